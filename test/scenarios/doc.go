// Package scenarios describes the service's behavior as text. Each script of testdata, here and in optimize, drives it over real HTTP, on
// a real
// PostgreSQL and a real directory of workspaces, with real workers. Every answer is validated with openapi.yaml. Every
// refused call must leave nothing in the log and enqueue nothing. The tests of the package program kill the program and its database.
//
// The commands of a script, in addition to those of testscript:
//
//	workspace NAME [paused] [PERSON…]   creates a workspace for everyone, or for the named people; $NAME is its id
//	model WORKSPACE NAME [FILE]         creates a semantic model with one table, from FILE or a good one; $NAME is its id
//	models WORKSPACE N                  creates N of them, $m1 to $mN, and a file models.json with their ids
//	wide FILE N                         creates such a FILE: a table of N columns and a measure of each, without descriptions
//	report WORKSPACE NAME MODEL [N]     creates a report of two pages, or N, on a model of the workspace; $NAME is its id
//	reports WORKSPACE MODEL N           creates N reports of one page, $r1 to $rN, and a file reports.json with their ids
//	accounts FILE                       applies an accounts file; at the start testdata/accounts.yaml is applied
//	as PERSON [SCOPE…]                  makes later calls as a person, with both scopes or those given; as - sends no token
//	token-of PERSON                     makes later calls with one token, however long they take
//	bearer TOKEN                        sends exactly this token with later calls
//	with HEADER VALUE                   sends a header with the next call; an empty value removes one
//	METHOD STATUS PATH [FILE]           makes a call; the body to stdout, headers to stderr, ids and times replaced. After a 202 $op is
//	                                    the operation. The $variables in FILE are replaced by their values
//	repeat N METHOD STATUS PATH [FILE]  makes a call N times
//	together N METHOD PATTERN PATH [FILE] makes a call N times at once; each status must match the pattern; prints the statuses
//	nothing                             asserts that the last call started nothing, as after every refused call
//	json PATH VALUE                     asserts a member of the last answer: value.0.score, value.length for the count, or
//	                                    changes.key=Sales|.table of the element with that key; ! json PATH: it is absent
//	like PATH PATTERN                   asserts that a member matches a pattern
//	list PATH,… MEMBER                  prints a member of every element of arrays, sorted
//	header NAME [PATTERN]               asserts a header of the last answer
//	let NAME PATH                       sets the variable $NAME to a member of the last answer, or to header:NAME
//	wait-for OP STATUS                  waits until the operation has the status
//	wait-for-percent OP N               waits until at least N percent of the operation is done
//	quiet                               waits until no step is left except held ones
//	drive OP STATUS                     reads the operation as the caller, waiting until it is quiet each time, until it ends with the
//	                                    status
//	events [STREAM]                     prints stored events by stream, in order, or "none"
//	spent KIND N                        asserts the use of an allowance of the caller's account in the current window
//	logged N PATTERN                    asserts how many stored events match, each as its stream, name and data
//	clock DURATION                      advances the service's clock; past the life of a schedule's token it pauses the schedule
//	clock stop                          stops the clock; it then moves only with this command
//	workers stop|start|kill             stops or starts the workers; kill stops them in the middle of a step
//	hold MODEL, hold-write MODEL        makes reading or writing a model's definition wait; release MODEL resumes both
//	held MODEL                          waits until a step waits for the model
//	fail MODEL CODE, fail-write MODEL CODE makes it fail, as a refusal of the platform or a timeout of the step; none: no longer
//	hold-asks MODEL N, release-asks MODEL makes questions about a model wait after N more answers; resumes them
//	asks MODEL N                        asserts how many questions about a model were answered
//	overdue, sweep                      ends operations that waited too long for their owner; deletes expired documents;
//	                                    the service does both periodically
//	reads MODEL N, writes MODEL N       asserts how many reads or writes of the definition were requested
//	keep NAME, kept NAME                records every file of the workspaces; asserts that all are unchanged, to the byte
//	changed NAME                        prints the lines that were added and removed since
//	placed REPORT N                     asserts how many Pixies are in a report's files
//	look REPORT N                       views each page with a Pixie N times, through the collector, and waits until that is counted
//	viewed REPORT PAGE N                asserts the number of views of a page
//	edit FILE OLD NEW, crlf FILE        changes a file as another person would; changes its line endings to CRLF
//	provider, asked yes|no              starts an AI provider with empty answers at $provider; asserts whether it was asked
//	llm NAME, asked-as NAME KEY         starts a language model at $NAME; asserts the keys it was asked with since the last check, - for
//	                                    none
//	secret TEXT                         a text that must be stored encrypted only: never logged, stored or exported in the clear
//	text FILE N                         replaces the @ of a file with N characters
//	questions FILE                      writes the body of a call that saves the questions of the last answer
//	pad FILE SIZE                       pads a JSON file to SIZE bytes
//	due                                 starts schedules that are due, as the workers do every minute
//	ended N                             waits until the caller's account has N operations and all have ended
//	rebuild                             rebuilds every view and asserts that there is no difference
//	moments N [ACCOUNT]                 asserts that each view as of N positions is what a database has that was rebuilt from the
//
// export cut there
//
//	restart                             stops the service gracefully and starts it again
package scenarios
