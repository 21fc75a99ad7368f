package normalform_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"readiness/definition/dax/evaluate"
	"readiness/definition/semanticmodel"
	"readiness/domain/verdict/normalform"
)

// star is a random small model with its rows, and parts of queries about it.
type star struct {
	vocabulary
	model semanticmodel.Model
	rows  map[string]*evaluate.Data
}

// add adds a column with a value for each row of its table, and returns it as in DAX.
func (s *star) add(at int, c semanticmodel.Column, values ...evaluate.Value) string {
	table := &s.model.Tables[at]
	table.Columns = append(table.Columns, c)
	d := s.rows[table.Name]
	d.Columns = append(d.Columns, evaluate.DataColumn{Name: c.Name, Values: values})
	return table.Name + "[" + c.Name + "]"
}

func (s *star) table(name string) int {
	s.model.Tables = append(s.model.Tables, semanticmodel.Table{Name: name})
	s.rows[name] = &evaluate.Data{Table: name}
	return len(s.model.Tables) - 1
}

// describe adds a column by which queries group and filter. Its values are few, and some are missing.
func (s *star) describe(t *rapid.T, at int, name string, rows int) {
	c, literals := column(name, semanticmodel.String), []string{`"x"`, `"y"`, `"z"`}
	of := func(n int) evaluate.Value { return evaluate.OfText(literals[n][1:2]) }
	if rapid.Bool().Draw(t, "number") {
		c, literals = column(name, semanticmodel.Int64), []string{"0", "1", "2"}
		of = func(n int) evaluate.Value { return evaluate.OfNumber(float64(n)) }
	}
	var values []evaluate.Value
	for range rows {
		v := of(rapid.IntRange(0, 2).Draw(t, name))
		if rapid.IntRange(0, 7).Draw(t, "missing") == 0 {
			v = evaluate.Value{}
		}
		values = append(values, v)
	}
	f, table, one, other := s.add(at, c, values...), s.model.Tables[at].Name, literals[0], literals[1]
	s.groups = append(s.groups, f)
	s.values = append(s.values, "DISTINCTCOUNT("+f+")")
	s.filters = append(s.filters, f+" = "+one, f+" <> "+one, f+" IN { "+one+", "+other+" }", f+" = "+other+" || "+f+" = "+one, "NOT "+f+" IN { "+one+" }",
		"KEEPFILTERS("+f+" = "+one+")", "FILTER(ALL("+f+"), "+f+" = "+one+")", "FILTER("+table+", "+f+" = "+one+")", "TREATAS({ "+one+", "+other+" }, "+f+")",
		"VALUES("+f+")", "ALL("+f+")")
	if c.DataType == semanticmodel.Int64 {
		s.filters = append(s.filters, f+" > 0", f+" >= 1", "NOT("+f+" < 1)", f+" < 2")
	}
}

// randomStar draws a table of facts with up to three dimensions. One may be described by another, keys may match nothing,
// and a relationship may be inactive or filter both ways.
func randomStar(t *rapid.T) *star {
	s := &star{rows: map[string]*evaluate.Data{}}
	facts, lines := s.table("Sales"), rapid.IntRange(0, 9).Draw(t, "lines")
	draw := func(name string, n, most int) (values []evaluate.Value) {
		for range n {
			values = append(values, evaluate.OfNumber(float64(rapid.IntRange(0, most).Draw(t, name))))
		}
		return values
	}
	s.add(facts, column("Amount", semanticmodel.Int64), draw("amount", lines, 4)...)
	s.add(facts, column("Quantity", semanticmodel.Int64), draw("quantity", lines, 3)...)
	s.describe(t, facts, "Channel", lines)
	s.values = append(s.values, "[Total]", "SUM(Sales[Amount])", "SUMX(Sales, Sales[Amount])", "[Lines]", "COUNTROWS(Sales)", "[Mean]", "DIVIDE([Total], [Lines])",
		"SUM(Sales[Quantity])", "SUM(Sales[Amount]) + 0", "[Some]", "SUMX(FILTER(Sales, Sales[Quantity] > 1), Sales[Amount])", "MAX(Sales[Amount])")
	s.filters = append(s.filters, "Sales[Quantity] > 1", "Sales[Quantity] >= 2", "Sales[Quantity] = 0", "Sales[Quantity] IN { 0 }")
	from, fromLines := facts, lines
	for i := range rapid.IntRange(1, 3).Draw(t, "dimensions") {
		name := string(rune('A' + i))
		at, rows := s.table(name), rapid.IntRange(1, 4).Draw(t, "rows")
		var keys []evaluate.Value
		for k := range rows {
			keys = append(keys, evaluate.OfNumber(float64(k)))
		}
		s.add(at, key("Key", semanticmodel.Int64), keys...)
		foreign := name + " Key"
		s.add(from, column(foreign, semanticmodel.Int64), draw("key", fromLines, rows)...) // the last one matches nothing
		r := to(s.model.Tables[from].Name, foreign, name, "Key", rapid.IntRange(0, 5).Draw(t, "active") > 0)
		if rapid.IntRange(0, 5).Draw(t, "both") == 0 {
			r.CrossFilteringBehavior = "bothDirections"
		}
		s.model.Relationships = append(s.model.Relationships, r)
		s.filters = append(s.filters, fmt.Sprintf("%s[Key] = 0", name), fmt.Sprintf("%s[%s] = 0", s.model.Tables[from].Name, foreign))
		s.values = append(s.values, "CALCULATE([Total], ALL("+name+"))", "COUNTROWS("+name+")", "DISTINCTCOUNT(Sales["+foreign+"])")
		for n := range rapid.IntRange(1, 2).Draw(t, "columns") {
			s.describe(t, at, fmt.Sprint("Kind", n+1), rows)
		}
		from, fromLines = facts, lines
		if rapid.IntRange(0, 3).Draw(t, "snowflake") == 0 {
			from, fromLines = at, rows
		}
	}
	s.model.Tables[facts].Measures = []semanticmodel.Measure{measure("Total", "SUM(Sales[Amount])"), measure("Lines", "COUNTROWS(Sales)"),
		measure("Mean", "DIVIDE([Total], [Lines])"), measure("Some", "CALCULATE([Total], "+rapid.SampledFrom(s.filters).Draw(t, "of the measure")+")")}
	s.groups = append(s.groups, "", s.groups[0]+", "+s.groups[len(s.groups)-1])
	return s
}

// A filter outside leaves out groups that one inside keeps, if it reaches their table and the value is not of the group's rows alone.
func TestFiltersThatReachTheGroups(t *testing.T) {
	t.Parallel()
	both, brands := shop(), shop()
	both.Relationships[0].CrossFilteringBehavior = "bothDirections"
	brands.Tables[1].Columns = append(brands.Tables[1].Columns, column("BrandKey", semanticmodel.Int64))
	brands.Tables = append(brands.Tables, semanticmodel.Table{Name: "Brand", Columns: []semanticmodel.Column{key("BrandKey", semanticmodel.Int64), column("Brand", semanticmodel.String)}})
	brands.Relationships = append(brands.Relationships, to("Product", "BrandKey", "Brand", "BrandKey", true))
	inside := func(group, value, filter string) pair {
		return pair{"EVALUATE SUMMARIZECOLUMNS(" + group + `, "v", CALCULATE(` + value + ", " + filter + "))", "EVALUATE CALCULATETABLE(SUMMARIZECOLUMNS(" + group + `, "v", ` + value + "), " + filter + ")"}
	}
	for name, tt := range map[string]struct {
		model *semanticmodel.Model
		pair
		want normalform.Likeness
	}{
		"through the facts":      {both, inside("Product[Category]", "COUNTROWS(Store)", `Store[City] = "Bern"`), normalform.Unknown},
		"one way only":           {shop(), inside("Product[Category]", "COUNTROWS(Sales)", `Store[City] = "Bern"`), normalform.Equal},
		"from a table's own one": {brands, inside("Product[Category]", "COUNTROWS(Brand)", `Brand[Brand] = "X"`), normalform.Unknown},
		"of the facts":           {brands, inside("Product[Category]", "COUNTROWS(Sales)", `Brand[Brand] = "X"`), normalform.Equal},
		"values both ways":       {both, pair{`EVALUATE { CALCULATE(COUNTROWS(Product), VALUES(Sales[Channel])) }`, `EVALUATE { COUNTROWS(Product) }`}, normalform.Unknown},
	} {
		if got := compared(t, normalform.NewModel(tt.model), tt.pair); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}

// What the reader calls equal gives equal rows in any star, not only in the shop.
func TestEqualQueriesOfRandomModelsGiveEqualRows(t *testing.T) {
	t.Parallel()
	n := tally{}
	rapid.Check(t, func(t *rapid.T) {
		s := randomStar(t)
		var rows []evaluate.Data
		for _, table := range s.model.Tables {
			rows = append(rows, *s.rows[table.Name])
		}
		n.compare(t, &s.model, rows, s.vocabulary)
	})
	n.enough(t)
}
