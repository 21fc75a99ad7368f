package readiness

import (
	"slices"
	"strings"

	"readiness/definition/dax"
)

// names looks up the names that DAX uses, without regard to case (docs/regime.md C.9 (25)).
type names struct {
	fields   map[ref]*object
	columns  map[int]*column // by object.index
	measures map[string]*object
	byIndex  map[int]*measure // by object.index
	keywords bool             // whether a keyword before a name is no table, as in RETURN[Sales]
}

func newNames(s *snapshot) *names {
	n := &names{map[ref]*object{}, map[int]*column{}, map[string]*object{}, map[int]*measure{}, s.keywords}
	for _, t := range s.tables {
		table := strings.ToLower(t.src.Name)
		for _, c := range t.columns {
			n.columns[c.index] = c
			n.field(ref{table, strings.ToLower(c.name)}, &c.object)
		}
		for _, m := range t.measures {
			name := strings.ToLower(m.name)
			n.byIndex[m.index] = m
			n.field(ref{table, name}, &m.object)
			if n.measures[name] == nil {
				n.measures[name] = &m.object
			}
		}
	}
	return n
}

func (n *names) field(r ref, o *object) {
	if n.fields[r] == nil {
		n.fields[r] = o
	}
}

func (n *names) column(table, name string) *column {
	o := n.fields[ref{strings.ToLower(table), strings.ToLower(name)}]
	if o == nil {
		return nil
	}
	return n.columns[o.index]
}

// resolve returns the object of a reference in an expression of the home table. A bare
// name is a measure of the model, else a column of home; home is nil for a calculation
// item. It returns nil for a reference to nothing (docs/regime.md C.9 (11, 22)).
func (n *names) resolve(r dax.Reference, home *table) *object {
	name := strings.ToLower(r.Name)
	if r.Qualified {
		if o := n.fields[ref{strings.ToLower(r.Table), name}]; o != nil || !n.keywords || !dax.IsKeyword(r.Table) {
			return o
		}
	}
	if m := n.measures[name]; m != nil || home == nil {
		return m
	}
	return n.fields[ref{strings.ToLower(home.src.Name), name}]
}

// read returns the objects that an expression refers to, without duplicates, in object
// order, and records the calls that rules look for. own reports whether a column of the
// home table is among them without the table's name. USERELATIONSHIP has exactly two
// arguments, both columns.
func (s *snapshot) read(text string, home *table) (refs []*object, own bool) {
	read := dax.Read(text)
	for _, c := range read.Calls {
		switch function := strings.ToUpper(c.Name); {
		case timeIntelligence[function]:
			s.timeIntelligence = true
		case function == "USERELATIONSHIP" && len(c.References) >= 2:
			a, b := s.names.resolve(c.References[0], home), s.names.resolve(c.References[1], home)
			if a != nil && b != nil {
				s.activated[[2]*object{a, b}] = true
			}
		}
	}
	for _, r := range read.References {
		if o := s.names.resolve(r, home); o != nil {
			refs = append(refs, o)
			own = own || o.kind == columnKind && (!r.Qualified || s.keywords && dax.IsKeyword(r.Table) && !strings.EqualFold(r.Table,
				o.table.src.Name))
		}
	}
	slices.SortFunc(refs, func(a, b *object) int { return a.index - b.index })
	return slices.Compact(refs), own
}

// timeIntelligence holds the functions that rule TIM-06 looks for.
var timeIntelligence = setOf("TOTALYTD,TOTALQTD,TOTALMTD,DATESYTD,DATESQTD,DATESMTD,SAMEPERIODLASTYEAR,DATEADD,PARALLELPERIOD," +
	"DATESINPERIOD,PREVIOUSYEAR,PREVIOUSMONTH")
