// Package projections builds the views that the GET routes read: pure folds
// from events to rows, carried out in the appending transaction (inline) or
// behind the log, and rebuilt beside the live ones when they change
// (architecture 3). It never decides anything.
package projections

import (
	"slices"

	"readiness/domain"
	"readiness/eventstore"
)

// Column is a column of a view's table with its SQL type.
type Column struct{ Name, Type string }

// Table is a table of a view. Physical tables carry the view's version and
// generation; everybody reads and writes through the SQL view Name_vVersion.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // primary key, in the order of Key values
	Indexes []string // what follows CREATE INDEX ON table
}

// View is a pure fold from events to the rows of its tables. A row is fed by
// one stream, or changed by Add and Ensure alone: inline, events of different streams may
// reach a row in another order than their positions'.
type View struct {
	Name    string
	Version int
	// Inline views are projected in the appending transaction; others follow
	// the log.
	Inline bool
	Tables []*Table
	// Of are the events that it is projected of; nil is all of them. A rebuild
	// reads no others.
	Of []domain.Event
	// Undecoded says that Project does not look at Event; a rebuild leaves it nil,
	// so that it can fold events of types that this program does not know.
	Undecoded bool
	Project   func(*Rows, eventstore.Recorded) error
}

// types are the names of the events that the view is projected of; nil is all.
func (v *View) types() []string {
	names := make([]string, len(v.Of))
	for i, e := range v.Of {
		names[i] = e.EventType()
	}
	return names
}

// project projects one event; one that the view is not of changes nothing.
func (v *View) project(rows *Rows, r eventstore.Recorded) error {
	if v.Of != nil && !slices.ContainsFunc(v.Of, func(e domain.Event) bool { return e.EventType() == r.Type }) {
		return nil
	}
	return v.Project(rows, r)
}

// Row holds values by column; a column left out is NULL (Insert) or stays
// (Set). Values that are neither text, numbers, times nor UUIDs go into jsonb
// columns as JSON.
type Row map[string]any

// Key holds the values of a table's key columns, in order.
type Key []any

type change struct {
	table  *Table
	kind   byte // 'i'nsert, 's'et, 'a'dd, 'e'nsure, 'd'elete
	key    Key
	values Row
}

// Rows collects the row changes that a view makes of an event, in order.
type Rows struct{ changes []change }

// Insert adds a row that is not there.
func (r *Rows) Insert(t *Table, row Row) {
	r.changes = append(r.changes, change{table: t, kind: 'i', values: row})
}

// Set changes columns of the row with the key; no such row, no change.
func (r *Rows) Set(t *Table, key Key, columns Row) {
	r.changes = append(r.changes, change{t, 's', key, columns})
}

// Add adds to number columns of the row with the key, which begins at zero.
func (r *Rows) Add(t *Table, key Key, deltas Row) {
	r.changes = append(r.changes, change{t, 'a', key, deltas})
}

// Ensure adds a row of nothing but the key, unless the row with the key is there.
func (r *Rows) Ensure(t *Table, key Key) {
	r.changes = append(r.changes, change{table: t, kind: 'e', key: key})
}

// Delete removes the row with the key, if it is there.
func (r *Rows) Delete(t *Table, key Key) {
	r.changes = append(r.changes, change{table: t, kind: 'd', key: key})
}
