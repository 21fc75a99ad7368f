// Package scenarios tells what the service does as text: each script of testdata drives it over real HTTP, on a real
// PostgreSQL and a real directory of workspaces, with its real workers. Every answer is held against openapi.yaml, and every
// refused call must have left nothing in the log and enqueued nothing. Other tests here kill the program and its database.
//
// The commands of a script, beside those of testscript:
//
//	workspace NAME [paused] [PERSON…]   makes a workspace, of everyone or of the named persons; $NAME is its id
//	model WORKSPACE NAME [FILE]         makes a semantic model, its one table from FILE or a good one; $NAME is its id
//	models WORKSPACE N                  makes N of them, $m1 to $mN, and a file models.json with their ids
//	wide FILE N                         makes such a FILE, a table of N columns and a measure that nothing describes
//	report WORKSPACE NAME MODEL [N]     makes a report of two pages, or N, on a model of the workspace; $NAME is its id
//	reports WORKSPACE MODEL N           makes N of one page, $r1 to $rN, and a file reports.json with their ids
//	accounts FILE                       applies an accounts file; at the start testdata/accounts.yaml is applied
//	as PERSON [SCOPE…]                  makes the calls that follow those of a person, with both scopes or those given; as - sends no token
//	token-of PERSON                     makes them with one token, however long they take
//	bearer TOKEN                        sends exactly this token with the calls that follow
//	with HEADER VALUE                   sends a header with the next call; an empty value leaves one out
//	METHOD STATUS PATH [FILE]           makes a call; the body to stdout, headers to stderr, ids and times replaced. After a 202 $op is the operation
//	repeat N METHOD STATUS PATH [FILE]  makes a call N times
//	together N METHOD PATTERN PATH [FILE] makes a call N times at once; the statuses, each like the pattern, to stdout
//	nothing                             holds that the last call started nothing, as every refused call must have
//	json PATH VALUE                     holds a member of the last answer, value.0.score, value.length for how many, or
//	                                    changes.key=Sales|.table of the element with that key; ! json PATH: there is none
//	like PATH PATTERN                   holds a member against a pattern
//	list PATH,… MEMBER                  prints a member of every element of arrays, sorted
//	header NAME [PATTERN]               holds a header of the last answer
//	let NAME PATH                       makes a member of the last answer, or header:NAME, the variable $NAME
//	wait-for OP STATUS                  until the operation has the status
//	wait-for-percent OP N               until so much of the operation is done
//	quiet                               until no step is left to do but those that are held
//	drive OP STATUS                     reads the operation as the caller, and waits until it is quiet, until it ends with the status
//	events [STREAM]                     stored events, stream by stream in order, or none
//	spent KIND N                        what the caller's account has used of an allowance in its window of now
//	logged N PATTERN                    holds how many stored events match, each as its stream, name and data
//	clock DURATION                      moves the service's clock
//	clock stop                          stops it: from then on it stands still until it is moved
//	workers stop|start|kill             stops or starts carrying out work; stops it in the middle
//	hold MODEL, hold-write MODEL        makes reading a model's definition wait, or writing it; release MODEL lets both go on
//	held MODEL                          until something waits for it
//	fail MODEL CODE, fail-write MODEL CODE makes it fail, as the platform refuses or as the step's time runs out; none: no longer
//	hold-asks MODEL N, release-asks MODEL makes questions about a model wait once so many more were answered; lets them go on
//	asks MODEL N                        holds how many questions about a model were answered
//	overdue, sweep                      ends what has waited for its owner for too long, deletes documents whose life is over, as the
//	                                    service does every so often
//	reads MODEL N, writes MODEL N       holds how often that was asked for
//	keep NAME, kept NAME                remembers every file of the workspaces; holds that each is as it was, to the byte
//	changed NAME                        prints the lines that came and went since
//	placed REPORT N                     holds how many Pixies are in a report's files
//	look REPORT N                       looks N times at each page with a Pixie, through the collector, until that is counted
//	viewed REPORT PAGE N                holds how often a page was looked at
//	edit FILE OLD NEW, crlf FILE        changes a file as somebody else would; gives it the other line ending
//	provider, asked yes|no              starts an AI provider at $provider that has nothing to say; holds whether it was asked
//	llm NAME, asked-as NAME KEY         starts a language model at $NAME; holds with which key it was asked since the last look, - for not at all
//	secret TEXT                         a text that must be found nowhere but sealed: not in what is logged, stored or exported
//	text FILE N                         puts N characters in the place of the @ of a file
//	questions FILE                      makes the body of a call that saves the questions of the last answer
//	pad FILE SIZE                       makes a JSON file SIZE bytes long
//	due                                 looks for schedules that are due, as the workers do every minute
//	ended N                             until the caller's account has N operations and every one has ended
//	rebuild                             rebuilds every view and finds no difference
//	restart                             stops the service in good order and starts it again
package scenarios
