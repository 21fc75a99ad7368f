package readiness

import (
	"cmp"
	"slices"
	"strings"
)

// mostSlicerColumns is how many columns a disconnected table has that only serves a
// measure as a slicer.
const mostSlicerColumns = 5

// shouldConnect leaves out disconnected slicers.
func shouldConnect(x *scope, t *table) bool {
	return ofSeveral(x, t) && (t.related || len(t.columns) > mostSlicerColumns || !slices.ContainsFunc(t.columns,
		func(c *column) bool { return c.used }))
}

// connections judges the tables one by one, or the model if no relationship joins any of them (docs/regime-precision.md
// P11).
func connections(x *scope, say func(judged, verdict)) {
	var tables []*table
	for _, t := range x.t {
		if shouldConnect(x, t) {
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 {
		return
	}
	if x.disconnected() {
		say(nil, unrelated(len(tables), x.joinable()))
		return
	}
	var keys *joinable
	for _, t := range tables {
		if t.related {
			say(t, verdict{})
			continue
		}
		if keys == nil {
			keys = x.joinable()
		}
		say(t, standsAlone(t, keys))
	}
}

// joinable holds the columns of TR, hidden too, that identify something by their last word, in object order. Two with
// equal words and data types may join their tables if one of them is a key (docs/regime-precision.md P11).
type joinable struct {
	columns     []*column
	alike, keys map[string][]*column // by joiningKey; keys has those that are a key
}

var (
	joiningEndings = setOf("id,key,code,cd,no,nr,number")
	countingWords  = setOf("count,sum")
)

func (x *scope) joinable() *joinable {
	j := &joinable{alike: map[string][]*column{}, keys: map[string][]*column{}}
	for _, t := range x.tables {
		if !t.starred {
			continue
		}
		for _, c := range t.columns {
			if k := joiningKey(c); k != "" {
				j.columns = append(j.columns, c)
				j.alike[k] = append(j.alike[k], c)
				if c.identifies() {
					j.keys[k] = append(j.keys[k], c)
				}
			}
		}
	}
	return j
}

// joiningKey returns what columns that may join have in common; "" for a column that cannot.
func joiningKey(c *column) string {
	if c.dataType == "" || !joiningEndings[lastWord(c.words)] ||
		slices.ContainsFunc(c.words, func(w string) bool { return countingWords[w] }) {
		return ""
	}
	return string(c.dataType) + joinWords(c.words)
}

// identifies reports whether a column is a key of its table.
func (c *column) identifies() bool { return c.src.IsKey || c.oneSide }

// with returns the columns that may be joined to c, and others of its own table.
func (j *joinable) with(c *column) []*column {
	if c.identifies() {
		return j.alike[joiningKey(c)]
	}
	return j.keys[joiningKey(c)]
}

// after returns the columns of later tables that may be joined to c.
func (j *joinable) after(c *column) []*column {
	all := j.with(c)
	i, _ := slices.BinarySearchFunc(all, c.table.index+1, func(c *column, table int) int { return cmp.Compare(c.table.index, table) })
	return all[i:]
}

// partner returns the first columns of a table and of another one that may join the two, or nil.
func (j *joinable) partner(t *table) (own, other *column) {
	for _, c := range t.columns {
		all := j.with(c)
		if len(all) > 0 && all[0].table != t {
			return c, all[0]
		}
		if later := j.after(c); len(later) > 0 {
			return c, later[0]
		}
	}
	return nil, nil
}

// pairs returns the first pairs of columns that may join two tables, as a message names them.
func (j *joinable) pairs(most int) (pairs []string) {
	for _, c := range j.columns {
		for _, other := range j.after(c) {
			if len(pairs) == most {
				return pairs
			}
			pairs = append(pairs, quotedColumn(c)+" to "+quotedColumn(other))
		}
	}
	return pairs
}

// mostPairs is how many pairs of columns a message names.
const mostPairs = 5

// unrelated is the verdict on a model without a relationship, in which n tables should have one.
func unrelated(n int, keys *joinable) verdict {
	by := ""
	if pairs := keys.pairs(mostPairs); len(pairs) > 0 {
		by = ", first " + strings.Join(pairs, ", ")
	}
	alone := count(n, "table") + " stand alone"
	if n == 1 {
		alone = "1 table stands alone"
	}
	return fails(1, "relate its tables to each other"+by+" ("+alone+")",
		"no active relationship joins two tables")
}

// standsAlone is the verdict on a table without a relationship.
func standsAlone(t *table, keys *joinable) verdict {
	if own, other := keys.partner(t); own != nil {
		return fails(1, "relate "+quotedColumn(own)+" to "+quotedColumn(other)+", or leave the table out of what an AI sees",
			"in no active relationship")
	}
	v := fails(1, "leave it out of what an AI sees, as no key of another table is called and typed as one of its columns",
		"in no active relationship, no column in common with another table")
	v.severity = Medium
	return v
}
