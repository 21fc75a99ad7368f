package model

import (
	"cmp"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/domain/readiness/wording"
)

// names looks up the names that DAX uses, without regard to case.
type names struct {
	Fields   map[Ref]*Object
	Columns  map[int]*Column // by Object.Index
	measures map[string]*Object
	ByIndex  map[int]*Measure // by Object.Index
}

func newNames(s *Snapshot) *names {
	n := &names{map[Ref]*Object{}, map[int]*Column{}, map[string]*Object{}, map[int]*Measure{}}
	for _, t := range s.Tables {
		table := strings.ToLower(t.Src.Name)
		for _, c := range t.Columns {
			n.Columns[c.Index] = c
			n.field(Ref{table, strings.ToLower(c.Name)}, &c.Object)
		}
		for _, m := range t.Measures {
			name := strings.ToLower(m.Name)
			n.ByIndex[m.Index] = m
			n.field(Ref{table, name}, &m.Object)
			if n.measures[name] == nil {
				n.measures[name] = &m.Object
			}
		}
	}
	return n
}

func (n *names) field(r Ref, o *Object) {
	n.Fields[r] = cmp.Or(n.Fields[r], o)
}

func (n *names) Column(table, name string) *Column {
	o := n.Fields[Ref{strings.ToLower(table), strings.ToLower(name)}]
	if o == nil {
		return nil
	}
	return n.Columns[o.Index]
}

// Resolve returns the object of a reference in an expression of the home table. A bare
// name is a measure of the model, else a column of home; home is nil for a calculation
// item. It returns nil for a reference to nothing.
func (n *names) Resolve(r dax.Reference, home *Table) *Object {
	name := strings.ToLower(r.Name)
	if r.Qualified {
		if o := n.Fields[Ref{strings.ToLower(r.Table), name}]; o != nil || !dax.IsKeyword(r.Table) {
			return o
		}
	}
	if m := n.measures[name]; m != nil || home == nil {
		return m
	}
	return n.Fields[Ref{strings.ToLower(home.Src.Name), name}]
}

// read returns the objects that an expression refers to, without duplicates, in object
// order, and records the calls that rules look for. own reports whether a column of the
// home table is among them without the table's name. USERELATIONSHIP has exactly two
// arguments, both columns.
func (s *Snapshot) read(text string, home *Table) (refs []*Object, own bool) {
	read := dax.Read(text)
	for _, c := range read.Calls {
		switch function := strings.ToUpper(c.Name); {
		case timeIntelligence[function]:
			s.TimeIntelligence = true
		case function == "USERELATIONSHIP" && len(c.References) >= 2:
			a, b := s.Names.Resolve(c.References[0], home), s.Names.Resolve(c.References[1], home)
			if a != nil && b != nil {
				s.activated[[2]*Object{a, b}] = true
			}
		}
	}
	for _, r := range read.Values() {
		if o := s.Names.Resolve(r, home); o != nil {
			s.valued[o] = true
		}
	}
	for _, r := range read.Automatic {
		if o := s.Names.Resolve(r, home); o != nil {
			if c := s.Names.Columns[o.Index]; c != nil && !slices.Contains(s.Automatic, c) {
				s.Automatic = append(s.Automatic, c)
			}
		}
	}
	for _, r := range read.References {
		if o := s.Names.Resolve(r, home); o != nil {
			refs = append(refs, o)
			own = own || o.Kind == ColumnKind && (!r.Qualified || dax.IsKeyword(r.Table) && !strings.EqualFold(r.Table,
				o.Table.Src.Name))
		}
	}
	slices.SortFunc(refs, func(a, b *Object) int { return a.Index - b.Index })
	return slices.Compact(refs), own
}

// TimeFunctions are the functions that rule TIM-06 looks for, separated by commas.
const TimeFunctions = "TOTALYTD,TOTALQTD,TOTALMTD,DATESYTD,DATESQTD,DATESMTD,SAMEPERIODLASTYEAR,DATEADD,PARALLELPERIOD," +
	"DATESINPERIOD,DATESBETWEEN,PREVIOUSYEAR,PREVIOUSQUARTER,PREVIOUSMONTH,PREVIOUSDAY,NEXTYEAR,NEXTQUARTER,NEXTMONTH,NEXTDAY," +
	"OPENINGBALANCEYEAR,OPENINGBALANCEQUARTER,OPENINGBALANCEMONTH,CLOSINGBALANCEYEAR,CLOSINGBALANCEQUARTER,CLOSINGBALANCEMONTH," +
	"TOTALWTD,DATESWTD,PREVIOUSWEEK,NEXTWEEK,OPENINGBALANCEWEEK,CLOSINGBALANCEWEEK"

var timeIntelligence = wording.SetOf(TimeFunctions)
