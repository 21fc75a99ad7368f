// Package scenarios tells what the service does as text: each script of testdata drives it over real HTTP, on a real
// PostgreSQL and a real directory of workspaces, with its real workers. Every answer is held against openapi.yaml, and every
// refused call must have left nothing in the log and enqueued nothing. Other tests here kill the program and its database.
//
// The commands of a script, beside those of testscript:
//
//	workspace NAME [paused] [PERSON…]   makes a workspace, of everyone or of the named persons; $NAME is its id
//	model WORKSPACE NAME [FILE]         makes a semantic model, its one table from FILE or a good one; $NAME is its id
//	models WORKSPACE N                  makes N of them, $m1 to $mN, and a file models.json with their ids
//	accounts FILE                       applies an accounts file; at the start testdata/accounts.yaml is applied
//	as PERSON [SCOPE…]                  makes the calls that follow those of a person, with both scopes or those given; as - sends no token
//	token-of PERSON                     makes them with one token, however long they take
//	bearer TOKEN                        sends exactly this token with the calls that follow
//	with HEADER VALUE                   sends a header with the next call; an empty value leaves one out
//	METHOD STATUS PATH [FILE]           makes a call; the body to stdout, headers to stderr, ids and times replaced. After a 202 $op is the operation
//	repeat N METHOD STATUS PATH [FILE]  makes a call N times
//	json PATH VALUE                     holds a member of the last answer, value.0.score or value.length for how many; ! json PATH: there is none
//	header NAME [PATTERN]               holds a header of the last answer
//	let NAME PATH                       makes a member of the last answer, or header:NAME, the variable $NAME
//	wait-for OP STATUS                  until the operation has the status
//	wait-for-percent OP N               until so much of the operation is done
//	events [STREAM]                     stored events, stream by stream in order, or none
//	spent KIND N                        what the caller's account has used of an allowance in its window of now
//	clock DURATION                      moves the service's clock
//	workers stop|start                  stops or starts carrying out work
//	hold MODEL, release MODEL           makes reading a model's definition wait
//	fail MODEL CODE                     makes it fail, as the platform refuses or as the step's time runs out
//	pad FILE SIZE                       makes a JSON file SIZE bytes long
//	rebuild                             rebuilds every view and finds no difference
//	restart                             stops the service in good order and starts it again
package scenarios
