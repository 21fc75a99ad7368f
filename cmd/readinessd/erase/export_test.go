package erase

import "slices"

// Tables returns the tables from which rows are deleted.
func Tables() []string { return slices.Concat(rowTables, operationTables) }
