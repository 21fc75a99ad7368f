// Package projections builds the views that the GET routes read. A view is a pure fold from events to
// rows. It is written in the appending transaction (inline) or follows the log, and is rebuilt next to
// the live one when it changes. It never makes decisions.
package projections

import (
	"slices"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/eventstore"
)

// Column is a column of a view's table with its SQL type.
type Column struct{ Name, Type string }

// Table is a table of a view. The names of physical tables have the view's version and generation;
// every process reads and writes through the SQL view Name_vVersion.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // primary key, in the order of Key values
	Indexes []string // the text after CREATE INDEX ON table
	Derived *Derived // nil for a table whose rows Project changes
}

// Derived makes the rows of a table from those of tables that the view has before it, where they follow from several events.
type Derived struct {
	// By are the first columns of the key. Derive makes the rows that are equal in them anew.
	By []string
	// Rows returns SQL for the rows, in the order of the columns: of all, or of those that meet a condition on the columns By of p.
	Rows func(name func(*Table) string, condition string) string
}

// View is a pure fold from events to the rows of its tables. Each row is fed by one stream, or changed
// by Add and Ensure alone: inline, events of different streams may reach a row in another order than
// that of their positions.
type View struct {
	Name    string
	Version int
	// Inline views are written in the appending transaction; others follow the log.
	Inline bool
	Tables []*Table
	// Of lists the events that the view projects; nil means all. A rebuild reads no others.
	Of []domain.Event
	// Undecoded says that Project does not use Event. A rebuild leaves Event nil, so that it can fold
	// events of types that this program does not know.
	Undecoded bool
	Project   func(*Rows, eventstore.Recorded) error
}

// types returns the names of the events that the view needs: those that it projects, and the last of an account; none means all.
func (v *View) types() []string {
	if v.Of == nil {
		return nil
	}
	names := make([]string, len(v.Of), len(v.Of)+1)
	for i, e := range v.Of {
		names[i] = e.EventType()
	}
	if last := (account.Erased{}).EventType(); !slices.Contains(names, last) {
		names = append(names, last)
	}
	return names
}

// project projects one event; an event that is not in Of changes nothing.
func (v *View) project(rows *Rows, r eventstore.Recorded) error {
	present := r.Type // an event may be stored under a former name
	if r.Event != nil {
		present = r.Event.EventType()
	}
	if v.Of != nil && !slices.ContainsFunc(v.Of, func(e domain.Event) bool { return e.EventType() == present }) {
		return nil
	}
	return v.Project(rows, r)
}

// Row holds values by column. Insert names every column, nil where it is NULL; a column that Set leaves
// out keeps its value. In jsonb columns values are stored as JSON.
type Row map[string]any

// Key holds the values of a table's key columns, in order.
type Key []any

type change struct {
	table  *Table
	kind   byte // 'i'nsert, 's'et, 'a'dd, 'e'nsure, 'd'elete, 'm'ake anew
	key    Key
	values Row
}

// Rows collects the row changes that a view makes for an event, in order.
type Rows struct{ changes []change }

// Insert adds a row that must not exist.
func (r *Rows) Insert(t *Table, row Row) {
	r.changes = append(r.changes, change{table: t, kind: 'i', values: row})
}

// Set changes columns of the row with the key; without such a row it does nothing.
func (r *Rows) Set(t *Table, key Key, columns Row) {
	r.changes = append(r.changes, change{t, 's', key, columns})
}

// Add adds to number columns of the row with the key; a missing row starts at zero.
func (r *Rows) Add(t *Table, key Key, deltas Row) {
	r.changes = append(r.changes, change{t, 'a', key, deltas})
}

// Ensure adds a row that has only the key, unless the row exists.
func (r *Rows) Ensure(t *Table, key Key) {
	r.changes = append(r.changes, change{table: t, kind: 'e', key: key})
}

// Delete removes the row with the key, if it exists.
func (r *Rows) Delete(t *Table, key Key) {
	r.changes = append(r.changes, change{table: t, kind: 'd', key: key})
}

// Derive makes the rows of a derived table with the values of the columns By anew, from the rows after the event.
func (r *Rows) Derive(t *Table, by Key) {
	r.changes = append(r.changes, change{table: t, kind: 'm', key: by})
}
