package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// reading is how a regime reads those terms of docs/regime.md C.1 that regimes define
// differently.
type reading struct {
	// dataType is the type of a column.
	dataType func(*semanticmodel.Table, *semanticmodel.Column) semanticmodel.DataType
	// holdsMeasures reports whether a table that has measures and no end of a
	// relationship is a measure table. used reports whether a measure refers to an
	// object.
	holdsMeasures func(t *table, exposed, used func(*column) bool) bool
	// isDate reports whether a table is a date table.
	isDate func(*table) bool
}

// declaredReading is that of 2026-11.
var declaredReading = reading{
	dataType:      func(_ *semanticmodel.Table, c *semanticmodel.Column) semanticmodel.DataType { return c.DataType },
	holdsMeasures: func(t *table, exposed, _ func(*column) bool) bool { return !slices.ContainsFunc(t.columns, exposed) },
	isDate:        func(t *table) bool { return t.dateByName || t.markedAsDate() },
}
