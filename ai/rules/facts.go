package rules

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/proposal/textcheck"
	"readiness/domain/readiness"
	"readiness/domain/readiness/informing"
)

// role is the purpose of a table.
type role int

const (
	plain role = iota
	fact
	dimension
	dateTable
	measureTable
	calculationGroup
	fieldParameter
)

// table is a table that the rules consider, with its fields.
type table struct {
	src        *semanticmodel.Table
	role       role
	columns    []*field // in the order of the definition, row numbers left out
	measures   []*field // in the order of the definition
	visibility string   // in the AI data schema
	exposed    bool     // an AI sees it now
	related    bool     // in an active relationship
	many, one  bool     // on a many side, on the one side of an active relationship
	around     []*table // tables on the one side of its relationships, by name
	facts      []*table // tables on the many side of its relationships, by name
	further    []*table // around, and what is around them; nil before it is asked for

	isSeries   bool      // a calculated table that calls GENERATESERIES
	series     *series   // what makes its rows, if it is only that
	fixed      *dax.Node // the rows of DATATABLE
	fixedNames []string  // the columns of DATATABLE
}

// field is a column or a measure: exactly one of the two is not nil.
type field struct {
	table       *table
	column      *semanticmodel.Column
	measure     *semanticmodel.Measure
	name        string
	description string
	words       []string
	hidden      bool // in the model, or its table is
	visibility  string
	exposed     bool
	views       int64

	dax    dax.Expression // of a measure or calculated column
	refs   []*field       // the fields it names, each once, in the order written
	usedBy []*field       // the measures that name it directly

	key      bool // an end of a relationship, or marked as key
	end      bool // of any relationship
	manySide bool // of any relationship
	oneOwns  bool // a relationship leads to a column that has each value once
	valued   bool // an expression names it for its values, not only to switch a relationship
	active   bool // an end of an active relationship
	dateEnd  bool // of a relationship with a date table

	orders    *field     // the column sorted by this one
	relations []relation // those with it as an end, active ones first
	counts    []*table   // the tables that its expression names
}

type relation struct {
	src      *semanticmodel.Relationship
	from, to *field
}

// facts are the facts of a model's definition, without the tables that an AI never sees. Tables are
// ordered by name, so that their order in the definition has no effect.
type facts struct {
	src          *semanticmodel.Model
	tables       []*table
	autoDate     []*semanticmodel.Table
	relations    []relation
	configured   bool // the AI data schema is configured
	usage        bool // the usage map has views
	fields       map[[2]string]*field
	measures     map[string]*field
	named        map[string]*table           // by name in lower case
	explanations map[*field]explanation      // what fields compute
	totals       map[string]*field           // the measures without conditions, by what they compute
	computed     map[*field][]*table         // the facts that measures are computed from
	based        map[*field]base             // what measures are computed from, any table
	filtered     map[filtering][]*table      // what filters tables
	views        map[string]map[string]int64 // the usage map, nil without views
	informing    *informing.Judge
	reading      *readiness.Reading // of src, with its usage
	violated     map[violationKey]float64
	unsound      map[*field]bool
	mentions     map[*field]bool
	choice       *[]proposal.Proposal // for the AI data schema
	currencies   *int                 // that formats name, nil before they are counted
	checks       *textcheck.Model     // of texts that instructions repeat, nil before the first
	staying      map[*field]bool      // what an AI should see
}

func newFacts(m *semanticmodel.Model, usage map[string]map[string]int64) *facts {
	m = m.Inlined()
	f := &facts{src: m, fields: map[[2]string]*field{}, measures: map[string]*field{},
		named: map[string]*table{}, computed: map[*field][]*table{},
	}
	for i := range m.Tables {
		switch t := &m.Tables[i]; {
		case automaticDates(t):
			f.autoDate = append(f.autoDate, t)
		case !t.IsPrivate:
			f.tables = append(f.tables, newTable(t))
		}
	}
	slices.SortStableFunc(f.tables, func(a, b *table) int { return strings.Compare(a.src.Name, b.src.Name) })
	for _, t := range f.tables {
		if name := strings.ToLower(t.src.Name); f.named[name] == nil {
			f.named[name] = t
		}
		for _, x := range t.fields() {
			if k := [2]string{strings.ToLower(t.src.Name), strings.ToLower(x.name)}; f.fields[k] == nil {
				f.fields[k] = x
			}
			if k := strings.ToLower(x.name); x.measure != nil && f.measures[k] == nil {
				f.measures[k] = x
			}
		}
	}
	f.view(usage)
	f.expose()
	f.relate()
	f.read()
	f.assign()
	return f
}

func newTable(src *semanticmodel.Table) *table {
	t := &table{src: src}
	for i := range src.Columns {
		if c := &src.Columns[i]; !c.IsRowNumber {
			t.columns = append(t.columns, &field{
				table: t, column: c, name: c.Name, description: c.Description, words: prose.Words(c.Name), hidden: c.IsHidden ||
					src.IsHidden,
				key: c.IsKey,
			})
		}
	}
	byName := make(map[string]*field, len(t.columns))
	for _, x := range t.columns {
		byName[strings.ToLower(x.name)] = x
	}
	for _, x := range t.columns {
		if by := byName[strings.ToLower(x.column.SortByColumn)]; by != nil && by != x && by.orders == nil {
			by.orders = x
		}
	}
	for i := range src.Measures {
		m := &src.Measures[i]
		t.measures = append(t.measures, &field{
			table: t, measure: m, name: m.Name, description: m.Description, words: prose.Words(m.Name), hidden: m.IsHidden || src.IsHidden,
		})
	}
	return t
}

func automaticDates(t *semanticmodel.Table) bool {
	_, local := t.Annotations["__PBI_LocalDateTable"]
	_, template := t.Annotations["__PBI_TemplateDateTable"]
	return local || template || strings.HasPrefix(t.Name, "LocalDateTable_") || strings.HasPrefix(t.Name, "DateTableTemplate_")
}

func (t *table) fields() []*field { return slices.Concat(t.columns, t.measures) }

func (f *facts) allFields() []*field {
	var all []*field
	for _, t := range f.tables {
		all = append(all, t.fields()...)
	}
	return all
}

// allMeasures returns every measure, the most useful first: by views, then by how many measures use
// it, then by table and place.
func (f *facts) allMeasures() []*field {
	var all []*field
	for _, t := range f.tables {
		all = append(all, t.measures...)
	}
	slices.SortStableFunc(all, func(a, b *field) int {
		return cmp.Or(cmp.Compare(b.views, a.views), cmp.Compare(len(b.usedBy), len(a.usedBy)))
	})
	return all
}

func (f *facts) find(table, name string) *field {
	return f.fields[[2]string{strings.ToLower(table), strings.ToLower(name)}]
}

func (f *facts) relate() {
	for i := range f.src.Relationships {
		r := &f.src.Relationships[i]
		from, to := f.find(r.FromTable, r.FromColumn), f.find(r.ToTable, r.ToColumn)
		if from == nil || to == nil || from.column == nil || to.column == nil {
			continue
		}
		f.relations = append(f.relations, relation{r, from, to})
		fromMany, toMany := r.FromCardinality != semanticmodel.One, r.ToCardinality == semanticmodel.Many
		from.key, from.end, from.manySide = true, true, from.manySide || fromMany
		to.key, to.end, to.manySide = true, true, to.manySide || toMany
		from.oneOwns, to.oneOwns = from.oneOwns || fromMany && !toMany, to.oneOwns || toMany && !fromMany
		if r.IsActive {
			from.active, to.active = true, true
			join(from.table, to.table, fromMany, toMany)
			join(to.table, from.table, toMany, fromMany)
		}
	}
	active := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(f.relations, func(a, b relation) int {
		return cmp.Or(
			cmp.Compare(active[a.src.IsActive], active[b.src.IsActive]),
			strings.Compare(a.from.table.src.Name, b.from.table.src.Name), strings.Compare(a.from.name, b.from.name),
			strings.Compare(a.to.table.src.Name, b.to.table.src.Name), strings.Compare(a.to.name, b.to.name))
	})
	for _, t := range f.tables {
		for _, others := range []*[]*table{&t.around, &t.facts} {
			slices.SortFunc(*others, func(a, b *table) int { return strings.Compare(a.src.Name, b.src.Name) })
			*others = slices.Compact(*others)
		}
	}
}

func join(t, other *table, many, otherMany bool) {
	t.related = true
	t.many = t.many || many && !otherMany
	t.one = t.one || !many
	switch {
	case t == other:
	case many && !otherMany:
		t.around = append(t.around, other)
	case otherMany && !many:
		t.facts = append(t.facts, other)
	}
}

// expression returns the DAX of a measure or of a calculated column, "" for another column.
func (x *field) expression() string {
	if x.measure != nil {
		return x.measure.Expression
	}
	return x.column.Expression
}

func (x *field) isDate() bool { return x.column != nil && x.column.DataType == semanticmodel.DateTime }

func (x *field) isNumber() bool {
	return x.column != nil && slices.Contains([]semanticmodel.DataType{semanticmodel.Int64, semanticmodel.Decimal, semanticmodel.Double},
		x.column.DataType)
}

// read parses the DAX of measures and calculated columns.
func (f *facts) read() {
	for _, x := range f.allFields() {
		if x.measure != nil {
			x.dax = dax.Read(x.measure.Expression)
		} else {
			x.dax = dax.Read(x.column.Expression)
		}
		for _, r := range x.dax.References {
			if to := f.resolve(r, x.table); to != nil && !slices.Contains(x.refs, to) {
				x.refs = append(x.refs, to)
			}
		}
		for _, r := range x.dax.Values() {
			if to := f.resolve(r, x.table); to != nil {
				to.valued = true
			}
		}
		if x.measure != nil {
			for _, to := range x.refs {
				to.usedBy = append(to.usedBy, x)
			}
			for _, name := range dax.Tables(x.measure.Expression) {
				if t := f.named[strings.ToLower(name)]; t != nil {
					x.counts = append(x.counts, t)
				}
			}
		}
	}
}

func (f *facts) resolve(r dax.Reference, home *table) *field {
	if r.Qualified {
		return f.find(r.Table, r.Name)
	}
	if m := f.measures[strings.ToLower(r.Name)]; m != nil || home == nil {
		return m
	}
	return f.find(home.src.Name, r.Name)
}

func (x *field) calls(names prose.Set) bool {
	return slices.ContainsFunc(x.dax.Calls, func(c dax.Call) bool { return names[strings.ToUpper(c.Name)] })
}

var (
	helperWords    = prose.SetOf("helper tooltip svg icon colour color title label placeholder debug dummy")
	helperNames    = regexp.MustCompile(`(?i)^[_\.]|^(x|zz|tmp|test|debug|helper)[ _-]`)
	technicalWords = prose.SetOf("sk guid uuid etl hash checksum rowid audit loaddate batch")
	technicalNames = regexp.MustCompile(`(?i)(^| |_)(row ?id|load ?date|inserted|upd|updated|created|modified)[ _]?(by|at|on|date|time|ts|timestamp)?$`)
	keyWords       = prose.SetOf("id key sk pk guid uuid")
)

// helper reports whether the measure is made for display (rule VIS-03).
func (x *field) helper() bool {
	return x.measure != nil && (helperNames.MatchString(x.name) || helperWords.Meets(x.words))
}

// technical reports whether the column is for record-keeping (rule VIS-02), keys excluded.
func (x *field) technical() bool {
	return x.column != nil && (technicalWords.Meets(x.words) || technicalNames.MatchString(x.name))
}

func (x *field) object() proposal.Object {
	o := proposal.Object{Table: x.table.src.Name, Name: x.name, Type: proposal.Column}
	if x.measure != nil {
		o.Type = proposal.Measure
	}
	return o
}

func (t *table) object() proposal.Object {
	return proposal.Object{Table: t.src.Name, Type: proposal.Table}
}

func (t *table) noun() string {
	if t.role == dateTable {
		return "date"
	}
	return prose.Noun(t.src.Name, t.role == fact || t.role == plain)
}

func tableNames(tables []*table) []string {
	var names []string
	for _, t := range tables {
		names = append(names, t.src.Name)
	}
	return prose.Mentions(names)
}
