package normalform

import (
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
)

// Model is what Read needs to know of a semantic model. It is safe for concurrent use.
type Model struct {
	tables   map[string]*table // by folded name
	measures map[string]*measure
	// ends maps the column at the one side of an active relationship to those at the many sides.
	ends map[*column][]*column
	// both is true if filters of a relationship may go other ways than from its one side to its many side.
	both bool
}

type table struct {
	name    string
	columns map[string]*column // by folded name
	// date is the column of its days if the table is a calendar, else nil; ruling is true if a filter on it in
	// CALCULATE replaces the filters on all other columns of the table.
	date   *column
	ruling bool
}

type column struct {
	table *table
	name  string
	kind  semanticmodel.DataType
	key   bool // of its table, by the model or by a relationship
	part  part
	sort  *column // the column that it is sorted by
	one   *column // the other end of its active relationship, at the one side
}

// measure is a measure of the model or of the query. tree is nil if its expression cannot be read.
type measure struct {
	name string
	tree *dax.Node
	in   *table
}

// String is the column's name as in DAX, folded.
func (c *column) String() string {
	table, name := spelling.Fold(c.table.name), spelling.Fold(c.name)
	return "'" + strings.ReplaceAll(table, "'", "''") + "'[" + strings.ReplaceAll(name, "]", "]]") + "]"
}

func (c *column) numeric() bool {
	numbers := []semanticmodel.DataType{semanticmodel.Int64, semanticmodel.Decimal, semanticmodel.Double, semanticmodel.DateTime}
	return slices.Contains(numbers, c.kind)
}

// integral reports whether the column's values are integers, or the days of a calendar.
func (c *column) integral() bool {
	return c.kind == semanticmodel.Int64 || c.kind == semanticmodel.DateTime && c.table.date == c
}

// NewModel returns the model for reading queries.
func NewModel(m *semanticmodel.Model) *Model {
	of := &Model{tables: map[string]*table{}, measures: map[string]*measure{}, ends: map[*column][]*column{}}
	for _, t := range m.Tables {
		of.add(t)
	}
	for _, r := range m.Relationships {
		of.relate(r)
	}
	for _, t := range m.Tables {
		of.tables[spelling.Fold(t.Name)].calendar(t, of.ends)
	}
	return of
}

func (m *Model) add(t semanticmodel.Table) {
	added := &table{name: t.Name, columns: map[string]*column{}}
	for _, c := range t.Columns {
		if !c.IsRowNumber && t.CalculationGroup == nil { // a filter on its items changes what measures are
			added.columns[spelling.Fold(c.Name)] = &column{table: added, name: c.Name, kind: c.DataType, key: c.IsKey}
		}
	}
	for _, c := range t.Columns {
		if of := added.columns[spelling.Fold(c.Name)]; of != nil && c.SortByColumn != "" {
			of.sort = added.columns[spelling.Fold(c.SortByColumn)]
		}
	}
	for _, x := range t.Measures {
		tree, ok := dax.Parse(x.Expression)
		if !ok {
			tree = nil
		}
		m.measures[spelling.Fold(x.Name)] = &measure{x.Name, tree, added}
	}
	m.tables[spelling.Fold(t.Name)] = added
}

func (m *Model) relate(r semanticmodel.Relationship) {
	from, to := m.column(r.FromTable, r.FromColumn), m.column(r.ToTable, r.ToColumn)
	if from == nil || to == nil {
		return
	}
	if r.FromCardinality == semanticmodel.One && r.ToCardinality == semanticmodel.Many {
		from, to, r.FromCardinality, r.ToCardinality = to, from, semanticmodel.Many, semanticmodel.One
	}
	m.both = m.both || r.CrossFilteringBehavior != "" && !strings.EqualFold(r.CrossFilteringBehavior, "oneDirection")
	if !r.IsActive {
		return
	}
	if r.FromCardinality == semanticmodel.One || r.ToCardinality == semanticmodel.Many {
		m.both = true // one to one, or many to many: filters go ways that are not followed here
		return
	}
	to.key, from.one = true, to
	m.ends[to] = append(m.ends[to], from)
}

func (m *Model) column(tableName, name string) *column {
	if t := m.tables[spelling.Fold(tableName)]; t != nil {
		return t.columns[spelling.Fold(name)]
	}
	return nil
}

// calendar finds the column of days of a table, and which parts of dates its other columns hold. The column of days
// is the key, or the only column of dates of a table at the one side of a relationship.
func (t *table) calendar(of semanticmodel.Table, ends map[*column][]*column) {
	var dates []*column
	one := false
	for _, c := range of.Columns {
		column := t.columns[spelling.Fold(c.Name)]
		if column == nil {
			continue
		}
		one = one || len(ends[column]) > 0
		if c.DataType == semanticmodel.DateTime {
			dates = append(dates, column)
		}
	}
	if i := slices.IndexFunc(dates, func(c *column) bool { return c.key }); i >= 0 {
		t.date = dates[i]
	} else if len(dates) == 1 && one {
		t.date = dates[0]
	}
	if t.date == nil {
		return
	}
	t.ruling = len(ends[t.date]) > 0 || t.date.key && strings.EqualFold(of.DataCategory, "Time")
	for _, c := range of.Columns {
		if column := t.columns[spelling.Fold(c.Name)]; column != nil && column != t.date {
			column.part = partOf(c, t.date)
		}
	}
	for _, c := range t.columns {
		if c.part == noPart && c.sort != nil && c.kind == semanticmodel.String {
			c.part = c.sort.part.label()
		}
	}
}

// part is what of its day a column of a calendar holds.
type part int

const (
	noPart         part = iota
	yearPart            // 2025
	quarterPart         // 1 to 4
	monthPart           // 1 to 12
	yearMonthPart       // 202503
	monthLabel          // March, sorted by a column of months
	quarterLabel        // Q1, sorted by a column of quarters
	yearMonthLabel      // March 2025, sorted by a column of months of years
)

// label returns the part of the column that is sorted by a column of this part.
func (p part) label() part {
	switch p {
	case monthPart:
		return monthLabel
	case quarterPart:
		return quarterLabel
	case yearMonthPart:
		return yearMonthLabel
	default:
		return noPart
	}
}

var partNames = map[part][]string{
	yearPart:      {"year", "calendar year", "year number"},
	quarterPart:   {"quarter", "quarter number", "quarter no", "quarter of year", "calendar quarter"},
	monthPart:     {"month", "month number", "month no", "month of year", "calendar month"},
	yearMonthPart: {"year month", "year month number", "month key", "year month key", "month year number"},
}

// partOf returns the part that a column holds by its own expression, else by its name and type.
func partOf(c semanticmodel.Column, date *column) part {
	if tree, ok := dax.Parse(c.Expression); ok && c.Expression != "" {
		return computedPart(tree, date)
	}
	if c.Expression != "" || c.DataType != semanticmodel.Int64 {
		return noPart
	}
	between := func(r rune) bool { return strings.ContainsRune(" _-.", r) }
	name := strings.Join(strings.FieldsFunc(spelling.Fold(spaced(c.Name)), between), " ")
	for p, names := range partNames {
		if slices.Contains(names, name) {
			return p
		}
	}
	return noPart
}

// spaced puts a blank before each capital after a small letter.
func spaced(name string) string {
	var b strings.Builder
	last := ' '
	for _, r := range name {
		if 'a' <= last && last <= 'z' && 'A' <= r && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// computedPart reads YEAR([Date]), QUARTER([Date]), MONTH([Date]) and YEAR([Date]) * 100 + MONTH([Date]).
func computedPart(n *dax.Node, date *column) part {
	of := func(n *dax.Node) part {
		if n.Kind != dax.CallNode || len(n.Parts) != 1 || n.Parts[0].Kind != dax.ColumnNode ||
			spelling.Fold(n.Parts[0].Reference.Name) != spelling.Fold(date.name) {
			return noPart
		}
		switch n.Text {
		case "YEAR":
			return yearPart
		case "QUARTER":
			return quarterPart
		case "MONTH":
			return monthPart
		}
		return noPart
	}
	if n.Kind == dax.OperationNode && n.Text == "+" && len(n.Variables) == 0 {
		times, month := n.Parts[0], n.Parts[1]
		if times.Kind == dax.OperationNode && times.Text == "*" && of(times.Parts[0]) == yearPart && times.Parts[1].Text == "100" &&
			of(month) == monthPart {
			return yearMonthPart
		}
	}
	if len(n.Variables) > 0 {
		return noPart
	}
	return of(n)
}
