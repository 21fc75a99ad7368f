package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

// worthAFall is how many points a model may lose by an edit without a fall.
const worthAFall = 0.05

// honestEdits says which edits that careful owners make lower the score of which models.
func honestEdits(models []*semanticmodel.Model, seed uint64) {
	fmt.Printf("%d models, seed %d\n\n", len(models), seed)
	falls, done := 0, 0
	for _, e := range edits {
		n, gain, lost := 0, 0.0, []string{}
		for i, came := range models {
			m := stripped(came, func(*semanticmodel.Model) {})
			m.Relationships, m.Cultures = slices.Clone(m.Relationships), slices.Clone(m.Cultures)
			if !e.apply(m, rand.New(rand.NewPCG(seed, uint64(i)))) {
				continue
			}
			before, after := score(came), score(m)
			n++
			gain += after - before
			if after < before-worthAFall || rounded(m) < rounded(came) {
				lost = append(lost, fmt.Sprintf("    model %d: %.2f to %.2f\n", i, before, after)+rulesThatFell(came, m))
			}
		}
		if n == 0 {
			continue
		}
		done, falls = done+n, falls+len(lost)
		fmt.Printf("  %-44s %+6.2f on average of %2d models, %d fall\n%s", e.name, gain/float64(n), n, len(lost), strings.Join(lost, ""))
	}
	fmt.Printf("\n%d of %d edited models fall\n", falls, done)
}

func rounded(m *semanticmodel.Model) int {
	if s := readiness.Assess(m, readiness.Options{WithoutFindings: true}).Score; s != nil {
		return *s
	}
	return 0
}

// rulesThatFell says which rules judge a model worse after an edit.
func rulesThatFell(before, after *semanticmodel.Model) string {
	of := func(m *semanticmodel.Model) map[string]*float64 {
		all := map[string]*float64{}
		for _, d := range readiness.Assess(m, readiness.Options{}).Dimensions {
			for _, r := range d.Rules {
				all[r.ID] = r.Score
			}
		}
		return all
	}
	was, is := of(before), of(after)
	var b strings.Builder
	for id, score := range is {
		switch old := was[id]; {
		case score == nil:
		case old == nil && *score < 100:
			fmt.Fprintf(&b, "      %s applies: %.1f\n", id, *score)
		case old != nil && *score < *old-0.01:
			fmt.Fprintf(&b, "      %s %.3f to %.3f\n", id, *old, *score)
		}
	}
	for id, old := range was {
		if old != nil && *old > 0.99 && is[id] == nil {
			fmt.Fprintf(&b, "      %s applies no more\n", id)
		}
	}
	return b.String()
}

// edit is what a careful owner does to a model; apply is false where there is nothing to do.
type edit struct {
	name  string
	apply func(m *semanticmodel.Model, r *rand.Rand) bool
}

// applies says whether there is something to do to an object, and does does it.
type (
	applies[T any] = func(*semanticmodel.Model, *T) bool
	does[T any]    = func(*rand.Rand, *T)
	whole          = func(*semanticmodel.Model, *rand.Rand) bool
)

// one calls set for one drawn object of those that set accepts when it is asked whether it applies.
func one[T any](all func(*semanticmodel.Model) []*T, is applies[T], set does[T]) whole {
	return func(m *semanticmodel.Model, r *rand.Rand) bool {
		found := slices.DeleteFunc(all(m), func(o *T) bool { return !is(m, o) })
		if len(found) > 0 {
			set(r, found[r.IntN(len(found))])
		}
		return len(found) > 0
	}
}

// every is one for all objects.
func every[T any](all func(*semanticmodel.Model) []*T, is applies[T], set does[T]) whole {
	return func(m *semanticmodel.Model, r *rand.Rand) bool {
		found := slices.DeleteFunc(all(m), func(o *T) bool { return !is(m, o) })
		for _, o := range found {
			set(r, o)
		}
		return len(found) > 0
	}
}

func tablesOf(m *semanticmodel.Model) (all []*semanticmodel.Table) {
	for i := range m.Tables {
		if t := &m.Tables[i]; !t.IsUnseen() && !t.IsHidden {
			all = append(all, t)
		}
	}
	return all
}

func columnsOf(m *semanticmodel.Model) (all []*semanticmodel.Column) {
	for _, t := range tablesOf(m) {
		for i := range t.Columns {
			if c := &t.Columns[i]; !c.IsHidden && !c.IsRowNumber {
				all = append(all, c)
			}
		}
	}
	return all
}

func measuresOf(m *semanticmodel.Model) (all []*semanticmodel.Measure) {
	for _, t := range tablesOf(m) {
		for i := range t.Measures {
			if x := &t.Measures[i]; !x.IsHidden {
				all = append(all, x)
			}
		}
	}
	return all
}

func relationshipsOf(m *semanticmodel.Model) (all []*semanticmodel.Relationship) {
	for i := range m.Relationships {
		all = append(all, &m.Relationships[i])
	}
	return all
}

// foreign reports whether a column is the many end of an active relationship, not to a table that nobody sees.
func foreign(m *semanticmodel.Model, c *semanticmodel.Column) bool {
	for _, r := range m.Relationships {
		if slices.ContainsFunc(m.Tables, func(t semanticmodel.Table) bool { return t.Name == r.ToTable && t.IsUnseen() }) {
			continue
		}
		if t := slices.IndexFunc(m.Tables, func(t semanticmodel.Table) bool { return t.Name == r.FromTable }); r.IsActive && t >= 0 && r.FromColumn == c.Name {
			for i := range m.Tables[t].Columns {
				if &m.Tables[t].Columns[i] == c {
					return r.FromCardinality != semanticmodel.One
				}
			}
		}
	}
	return false
}

// needed reports whether a measure names a column.
func needed(m *semanticmodel.Model, column string) bool {
	return slices.ContainsFunc(m.Tables, func(t semanticmodel.Table) bool {
		return slices.ContainsFunc(t.Measures, func(x semanticmodel.Measure) bool { return strings.Contains(x.Expression, "["+column+"]") })
	})
}

func undescribed(_ *semanticmodel.Model, c *semanticmodel.Column) bool { return c.Description == "" }

var edits = []edit{
	{"describe a table", one(tablesOf, func(_ *semanticmodel.Model, t *semanticmodel.Table) bool { return t.Description == "" },
		func(r *rand.Rand, t *semanticmodel.Table) { t.Description = honest(r, "table", t.Name, english) })},
	{"describe a column", one(columnsOf, undescribed, func(r *rand.Rand, c *semanticmodel.Column) { c.Description = honest(r, "column", c.Name, english) })},
	{"describe a column, in German", one(columnsOf, undescribed, func(r *rand.Rand, c *semanticmodel.Column) {
		c.Description = honest(r, "column", c.Name, german)
	})},
	{"describe a measure", one(measuresOf, func(_ *semanticmodel.Model, x *semanticmodel.Measure) bool { return x.Description == "" },
		func(r *rand.Rand, x *semanticmodel.Measure) { x.Description = honest(r, "measure", x.Name, english) })},
	{"describe every measure", every(measuresOf, func(_ *semanticmodel.Model, x *semanticmodel.Measure) bool { return x.Description == "" },
		func(r *rand.Rand, x *semanticmodel.Measure) { x.Description = honest(r, "measure", x.Name, english) })},
	{"give a measure a format", one(measuresOf, func(_ *semanticmodel.Model, x *semanticmodel.Measure) bool {
		return x.FormatString == "" && x.FormatStringDefinition == ""
	}, func(_ *rand.Rand, x *semanticmodel.Measure) { x.FormatString = "#,0.00" })},
	{"hide a foreign key", one(columnsOf, foreign, func(_ *rand.Rand, c *semanticmodel.Column) { c.IsHidden = true })},
	{"hide all foreign keys", every(columnsOf, foreign, func(_ *rand.Rand, c *semanticmodel.Column) { c.IsHidden = true })},
	{"no default sum of texts and keys", every(columnsOf, func(m *semanticmodel.Model, c *semanticmodel.Column) bool {
		return c.SummarizeBy != "none" && (c.DataType == semanticmodel.String || foreign(m, c))
	}, func(_ *rand.Rand, c *semanticmodel.Column) { c.SummarizeBy = "none" })},
	{"filter in one direction", every(relationshipsOf, func(_ *semanticmodel.Model, r *semanticmodel.Relationship) bool {
		return r.CrossFilteringBehavior == "bothDirections" && r.FromCardinality != semanticmodel.One
	}, func(_ *rand.Rand, r *semanticmodel.Relationship) { r.CrossFilteringBehavior = "" })},
	{"a synonym for a measure", func(m *semanticmodel.Model, r *rand.Rand) bool {
		return named(m, r, 1, func(i int) string { return spoken[i] })
	}},
	{"a synonym for six measures", func(m *semanticmodel.Model, r *rand.Rand) bool {
		return named(m, r, 6, func(i int) string { return spoken[i] })
	}},
	{"a first line of AI instructions", func(m *semanticmodel.Model, r *rand.Rand) bool { return tell(m, r, 1) }},
	{"seven lines of AI instructions", func(m *semanticmodel.Model, r *rand.Rand) bool { return tell(m, r, 7) }},
	{"an AI data schema that leaves out keys", func(m *semanticmodel.Model, _ *rand.Rand) bool {
		s := &semanticmodel.AISchema{}
		hidden := 0
		for _, t := range tablesOf(m) {
			of := semanticmodel.AITable{Name: t.Name, Visibility: "Visible"}
			for i := range t.Columns {
				v := "Visible"
				if c := &t.Columns[i]; (c.IsHidden || foreign(m, c)) && !needed(m, c.Name) {
					v, hidden = "Hidden", hidden+1
				}
				of.Columns = append(of.Columns, semanticmodel.AIField{Name: t.Columns[i].Name, Visibility: v})
			}
			for _, x := range t.Measures {
				v := "Visible"
				if x.IsHidden {
					v = "Hidden"
				}
				of.Measures = append(of.Measures, semanticmodel.AIField{Name: x.Name, Visibility: v})
			}
			s.Tables = append(s.Tables, of)
		}
		done := hidden > 0 && m.Copilot.Schema == nil
		m.Copilot.Schema = s
		return done
	}},
	{"a measure for a number that has none", func(m *semanticmodel.Model, r *rand.Rand) bool {
		for _, t := range tablesOf(m) {
			for _, c := range t.Columns {
				if (c.DataType == semanticmodel.Decimal || c.DataType == semanticmodel.Double) && !c.IsHidden && c.SummarizeBy == "sum" && !needed(m, c.Name) {
					t.Measures = append(slices.Clone(t.Measures), semanticmodel.Measure{Name: "Total " + c.Name,
						Expression:   "SUM('" + t.Name + "'[" + c.Name + "])",
						FormatString: "#,0", Description: honest(r, "measure", c.Name, english)})
					return true
				}
			}
		}
		return false
	}},
	{"a marked date table", func(m *semanticmodel.Model, _ *rand.Rand) bool {
		for _, t := range tablesOf(m) {
			if strings.Contains(strings.ToLower(t.Name), "date") || strings.Contains(strings.ToLower(t.Name), "cal") || t.DataCategory == "Time" {
				return false
			}
		}
		for _, t := range tablesOf(m) {
			for _, c := range t.Columns {
				if c.DataType == semanticmodel.DateTime && !c.IsHidden {
					m.Tables = append(m.Tables, semanticmodel.Table{Name: "Date", DataCategory: "Time",
						Description: "One row for each day from 2015 on; the fiscal year begins in April.",
						Columns: []semanticmodel.Column{{Name: "Date", DataType: semanticmodel.DateTime, IsKey: true, SummarizeBy: "none"},
							{Name: "Year", DataType: semanticmodel.Int64, SummarizeBy: "none",
								Description: "Fiscal year, from April, named by its last month."},
							{Name: "Month", DataType: semanticmodel.String, SummarizeBy: "none", SortByColumn: "Month Number",
								Description: "Abbreviated, such as Apr."},
							{Name: "Month Number", DataType: semanticmodel.Int64, SummarizeBy: "none", IsHidden: true}},
						Hierarchies: []semanticmodel.Hierarchy{{Name: "Calendar", Levels: []semanticmodel.Level{{Name: "Year", Column: "Year"},
							{Name: "Month", Column: "Month"}}}}})
					m.Relationships = append(m.Relationships, semanticmodel.Relationship{Name: "dates", FromTable: t.Name, FromColumn: c.Name,
						ToTable: "Date", ToColumn: "Date", IsActive: true})
					return true
				}
			}
		}
		return false
	}},
	{"a verified answer with six phrases", func(m *semanticmodel.Model, _ *rand.Rand) bool {
		for _, t := range tablesOf(m) {
			for _, x := range t.Measures {
				if !x.IsHidden && len(m.Copilot.VerifiedAnswers) == 0 {
					m.Copilot.VerifiedAnswers = []semanticmodel.VerifiedAnswer{{Folder: "a", VisualType: "lineChart",
						Fields: []semanticmodel.FieldRef{{Table: t.Name, Name: x.Name}}, TriggerPhrases: []string{"How did it go?", "Show it by month",
							"What was it last year?", "Is it more than before?", "Which month was best?", "Give me the trend"}}}
					return true
				}
			}
		}
		return false
	}},
}

// named gives n measures without synonyms one that people say.
func named(m *semanticmodel.Model, r *rand.Rand, n int, term func(int) string) bool {
	all := measuresOf(m)
	if len(all) < n || len(m.Cultures) > 0 || m.Copilot.Schema != nil {
		return false
	}
	c := semanticmodel.Culture{Name: "en-US"}
	for i, at := range r.Perm(len(all))[:n] {
		for _, t := range tablesOf(m) {
			if slices.ContainsFunc(t.Measures, func(x semanticmodel.Measure) bool { return x.Name == all[at].Name }) {
				c.Entities = append(c.Entities, semanticmodel.LinguisticEntity{Table: t.Name, Property: all[at].Name,
					Terms: []semanticmodel.Term{{Text: term(i), State: "Authored"}}})
			}
		}
	}
	m.Cultures = []semanticmodel.Culture{c}
	return true
}

// tell adds n lines to AI instructions, or writes the first.
func tell(m *semanticmodel.Model, r *rand.Rand, n int) bool {
	all := measuresOf(m)
	if len(all) < n || slices.ContainsFunc(m.Cultures, func(c semanticmodel.Culture) bool { return c.CustomInstructions != nil }) {
		return false
	}
	text := ""
	if m.Copilot.Instructions != nil {
		text = *m.Copilot.Instructions + "\n"
	}
	from := r.IntN(len(told))
	for i, at := range r.Perm(len(all))[:n] {
		text += fmt.Sprintf(told[(from+i)%len(told)], "["+all[at].Name+"]") + "\n"
	}
	m.Copilot.Instructions = &text
	return true
}
