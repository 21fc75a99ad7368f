package relationships

import (
	"cmp"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// mostSlicerColumns is how many columns a disconnected table has that only serves a
// measure as a slicer.
const mostSlicerColumns = 5

// shouldConnect leaves out disconnected slicers.
func shouldConnect(x *model.Scope, t *model.Table) bool {
	return ofSeveral(x, t) && (t.Related || len(t.Columns) > mostSlicerColumns || !slices.ContainsFunc(t.Columns,
		func(c *model.Column) bool { return c.Used }))
}

// connections judges the tables one by one, or the model if no relationship joins any of them.
func connections(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	tables := lists.Where(x.T, func(t *model.Table) bool { return shouldConnect(x, t) })
	if len(tables) == 0 {
		return
	}
	if x.Disconnected() {
		say(nil, unrelated(tables, joinableOf(x, lacksKeys(x))))
		return
	}
	var keys *joinable
	inactive := inactiveOf(x)
	for _, t := range tables {
		if t.Related || slices.ContainsFunc(inactive[t], x.Activates) {
			say(t, rule.Verdict{})
			continue
		}
		if keys == nil {
			keys = joinableOf(x, false)
		}
		say(t, unconnectedTable(t, inactive[t], keys))
	}
}

// inactiveOf returns the inactive relationships between tables, by each of their two tables.
func inactiveOf(x *model.Scope) map[*model.Table][]*model.Relationship {
	of := map[*model.Table][]*model.Relationship{}
	for _, r := range x.Relationships {
		if from, to := r.From.Table, r.To.Table; !r.Src.IsActive && r.Between() && from != to {
			of[from], of[to] = append(of[from], r), append(of[to], r)
		}
	}
	return of
}

// lacksKeys reports whether the model does not show which columns are keys.
func lacksKeys(x *model.Scope) bool {
	return len(x.Relationships) == 0 && !slices.ContainsFunc(x.Columns, func(c *model.Column) bool { return c.Src.IsKey })
}

// joinable holds the columns of TR, hidden too, that identify something by their last word, in object order. Two with
// equal words and data types may join their tables if one of them is a key.
type joinable struct {
	unproven    bool // any two may join their tables, as no column is known to be a key
	columns     []*model.Column
	alike, keys map[string][]*model.Column // by joiningKey; keys has those that are a key
}

var (
	joiningEndings = wording.SetOf("id,key,code,cd,no,nr,number")
	countingWords  = wording.SetOf("count,sum")
)

func joinableOf(x *model.Scope, unproven bool) *joinable {
	j := &joinable{unproven: unproven, alike: map[string][]*model.Column{}, keys: map[string][]*model.Column{}}
	for _, t := range x.Tables {
		if !t.Starred {
			continue
		}
		for _, c := range t.Columns {
			if k := joiningKey(c); k != "" {
				j.columns = append(j.columns, c)
				j.alike[k] = append(j.alike[k], c)
				if identifies(c) {
					j.keys[k] = append(j.keys[k], c)
				}
			}
		}
	}
	return j
}

// joiningKey returns a key that is equal for columns that may join; "" for a column that cannot.
func joiningKey(c *model.Column) string {
	if c.DataType == "" || !joiningEndings[wording.LastWord(c.Words)] ||
		slices.ContainsFunc(c.Words, func(w string) bool { return countingWords[w] }) {
		return ""
	}
	words := c.Words
	if !slices.ContainsFunc(words, func(w string) bool { return !anyKeyWords[w] }) {
		words = append(singular(c.Table.Words), "id") // its table's own key: Stages[id] is what others call stage_id
	}
	return string(c.DataType) + wording.JoinWords(words)
}

// anyKeyWords are the words of names that say that a column is a key, and not of what.
var anyKeyWords = wording.SetOf("id,key,code,cd,no,nr,number,row,record,line,item,primary,pk,sk,unique,surrogate,source,system,index,sort,object,internal," +
	"external,global,instance,entity,sys,guid,uuid")

// singular returns words with the last one in the singular, of whatever language.
func singular(words []string) []string {
	all := slices.Clone(words)
	if n := len(all); n > 0 {
		if stem, is := strings.CutSuffix(all[n-1], "ies"); is {
			all[n-1] = stem + "y"
		} else {
			all[n-1] = strings.TrimSuffix(all[n-1], "s")
		}
	}
	return all
}

// identifies reports whether a column is a key of its table.
func identifies(c *model.Column) bool { return c.Src.IsKey || c.OneSide }

// with returns the columns that may be joined to c, and others of the same table.
func (j *joinable) with(c *model.Column) []*model.Column {
	if j.unproven || identifies(c) {
		return j.alike[joiningKey(c)]
	}
	return j.keys[joiningKey(c)]
}

// after returns the columns of later tables that may be joined to c.
func (j *joinable) after(c *model.Column) []*model.Column {
	all := j.with(c)
	i, _ := slices.BinarySearchFunc(all, c.Table.Index+1, func(c *model.Column, table int) int { return cmp.Compare(c.Table.Index, table) })
	return all[i:]
}

// partner returns the first columns of a table and of another one that may join the two, or nil.
func (j *joinable) partner(t *model.Table) (own, other *model.Column) {
	for _, c := range t.Columns {
		all := j.with(c)
		if len(all) > 0 && all[0].Table != t {
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
			pairs = append(pairs, model.QuotedColumn(c)+" to "+model.QuotedColumn(other))
		}
	}
	return pairs
}

// mostPairs is how many pairs of columns a message names.
const mostPairs = 5

// unrelated is the verdict on a model without a relationship, in which the tables should have one. If few of them have
// a column to join by, they may be unrelated results.
func unrelated(tables []*model.Table, keys *joinable) rule.Verdict {
	by, joined := "", 0
	for _, t := range tables {
		if own, _ := keys.partner(t); own != nil {
			joined++
		}
	}
	switch pairs := strings.Join(keys.pairs(mostPairs), ", "); {
	case pairs == "":
	case keys.unproven:
		by = ", for example " + pairs + ", if one of the two has each value once"
	default:
		by = ", first " + pairs
	}
	alone := wording.Count(len(tables), "table") + " stand alone"
	if len(tables) == 1 {
		alone = "1 table stands alone"
	}
	v := rule.Fails(1, "relate its tables to each other"+by+" ("+alone+")", "no active relationship joins two tables")
	if 2*joined < len(tables) {
		v.Severity = finding.Medium
	}
	return v
}

// unconnectedTable is the verdict on a table without an active relationship. A table that no measure aggregates matters less.
func unconnectedTable(t *model.Table, inactive []*model.Relationship, keys *joinable) rule.Verdict {
	advice, evidence := "relate it to a table that its questions need", "in no active relationship, no key in common with another table"
	own, other := keys.partner(t)
	if len(inactive) > 0 {
		own, other = inactive[0].From, inactive[0].To
		advice = "activate its relationship " + model.QuotedColumn(own) + " -> " + model.QuotedColumn(other)
		evidence = "in no active relationship, and no USERELATIONSHIP activates an inactive one"
	} else if own != nil {
		advice, evidence = "relate "+model.QuotedColumn(own)+" to "+model.QuotedColumn(other), "in no active relationship"
	}
	v := rule.Fails(1, advice+", or leave the table out of what an AI sees", "%s", evidence)
	if own == nil {
		v.Message = advice + ", or leave it out of what an AI sees"
	}
	switch counts := slices.ContainsFunc(t.Columns, func(c *model.Column) bool { return c.Used || c.Numeric() && !c.Key && c.Summed() }); {
	case own == nil && !counts && len(t.Measures) == 0 && len(t.Columns) <= mostSlicerColumns &&
		!slices.ContainsFunc(t.Columns, func(c *model.Column) bool { return joiningKey(c) != "" || !c.Is(semanticmodel.String) }):
		v.Severity = finding.Low // it tells something to readers of a report
	case own == nil || !counts:
		v.Severity = finding.Medium
	}
	return v
}
