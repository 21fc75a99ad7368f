// Package bench compares the service with what the database alone can do. It
// records the statements that the service sends, has pgbench send the same, and
// makes calls from many callers at once. Only benchmarks and tests import it.
package bench
