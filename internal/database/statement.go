package database

// Statement is an SQL statement with its arguments.
type Statement struct {
	SQL  string
	Args []any
}
