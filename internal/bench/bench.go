// Package bench measures the service against what the database alone does: it
// keeps the statements that the service sends, has pgbench send the same, and
// calls from many callers at once. Only benchmarks and tests import it.
package bench
