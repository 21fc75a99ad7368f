package readiness_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"readiness/domain/readiness"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shown formats an exposure: "Date* (day)" is a date table with a term, "Sales[Day]#" a
// key.
func shown(e readiness.Exposure) string {
	var out []string
	terms := func(t []string) string {
		if len(t) == 0 {
			return ""
		}
		return " (" + strings.Join(t, ", ") + ")"
	}
	for _, t := range e.Tables {
		name := t.Name
		if t.IsDate {
			name += "*"
		}
		out = append(out, name+terms(t.Terms))
		for _, c := range t.Columns {
			name := t.Name + "[" + c.Name + "]"
			if c.IsEnd {
				name += "#"
			}
			out = append(out, name+terms(c.Terms))
		}
		for _, m := range t.Measures {
			out = append(out, t.Name+"["+m.Name+"]"+terms(m.Terms))
		}
	}
	for _, r := range e.Relationships {
		out = append(out, r.FromTable+" -> "+r.ToTable)
	}
	for _, a := range e.Answers {
		out = append(out, fmt.Sprint(a.Phrases, a.Fields))
	}
	if e.Instructions != "" {
		out = append(out, e.Instructions)
	}
	return strings.Join(out, ", ")
}

func TestExpose(t *testing.T) {
	t.Parallel()
	parts := []any{
		table("Sales", date("Day"), amount("Net"), whole("Row", hidden), measure("Total", "1"), measure("Help", "1", hiddenMeasure)),
		table("Dates", date("Date", key), whole("Year")),
		table("Notes", text("Note"), hiddenTable),
		table("Secret", text("Word"), privateTable),
		table("LocalDateTable_1", date("Date")),
		related("Sales[Day] -> Dates[Date]"), related("Notes[Note] -> Sales[Net]"),
		synonyms("Sales[Total]", "Authored", "Turnover", "total"), synonyms("Sales[Net]", "Generated", "Nett"), synonyms("Dates", "", "Calendar"),
		instructed("Use [Total]."),
		answered("a", []string{"How much?"}, "sales[total]", "Dates[Year]"), answered("b", []string{"Who?"}, "Sales[Total]", "Sales[Help]"), answered("c", []string{"What?"}),
	}
	plain := model(parts...)
	prepared := model(append(parts, schema("Sales", "Sales[Net] Hidden", "Sales[Row] Visible", "Dates[Year] Hidden", "Dates[Date] Hidden"))...)
	blank := model(table("Sales", text("a")), instructed(" \n"))
	for name, tt := range map[string]struct {
		got  readiness.Exposure
		want string
	}{
		"what is not hidden": {readiness.Expose(plain), "Dates* (calendar), Dates[Date]#, Dates[Year], Sales, Sales[Day]#, Sales[Net]#, Sales[Total] (turnover), Sales -> Dates, [How much?] [{Sales Total} {Dates Year}], Use [Total]."},
		"the AI data schema": {readiness.Expose(prepared), "Sales, Sales[Day]#, Sales[Row], Sales[Total] (turnover), Use [Total]."},
		"an agent of a model that is not configured": {readiness.ExposeToAgent(plain, []string{"NOTES", "sales", "Gone", "Secret"}),
			"Notes, Notes[Note]#, Sales, Sales[Day]#, Sales[Net]#, Sales[Row], Sales[Help], Sales[Total] (turnover), Notes -> Sales, [Who?] [{Sales Total} {Sales Help}], Use [Total]."},
		"an agent: the table in both, and in it alone": {readiness.ExposeToAgent(prepared, []string{"Sales", "Dates"}),
			"Dates* (calendar), Dates[Date]#, Dates[Year], Sales, Sales[Day]#, Sales[Row], Sales[Total] (turnover), Sales -> Dates, [How much?] [{Sales Total} {Dates Year}], Use [Total]."},
		"an agent without tables":       {readiness.ExposeToAgent(plain, nil), "Use [Total]."},
		"nothing prepared":              {readiness.VisibleFields(prepared), "Dates*, Dates[Date]#, Dates[Year], Sales, Sales[Day]#, Sales[Net]#, Sales[Total], Sales -> Dates"},
		"instructions that say nothing": {readiness.Expose(blank), "Sales, Sales[a]"},
	} {
		if diff := cmp.Diff(tt.want, shown(tt.got)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// The exposure does not depend on the order of the definition, and equals the exposed
// set that is scored.
func TestExposeIgnoresOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		before := shown(readiness.Expose(m))
		m.Tables = rapid.Permutation(m.Tables).Draw(t, "tables")
		m.Relationships = rapid.Permutation(m.Relationships).Draw(t, "relationships")
		for i := range m.Tables {
			m.Tables[i].Columns = rapid.Permutation(m.Tables[i].Columns).Draw(t, "columns")
			m.Tables[i].Measures = rapid.Permutation(m.Tables[i].Measures).Draw(t, "measures")
		}
		e := readiness.Expose(m)
		if diff := cmp.Diff(before, shown(e)); diff != "" {
			t.Fatalf("in another order: -before +after\n%s", diff)
		}
		x, _ := readiness.Exposed(m)
		var want, got []string
		for _, k := range x {
			want = append(want, written(k))
		}
		for _, t := range e.Tables {
			got = append(got, t.Name)
			for _, c := range t.Columns {
				got = append(got, t.Name+"["+c.Name+"]")
			}
			for _, m := range t.Measures {
				got = append(got, t.Name+"["+m.Name+"]")
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("not the exposed set: -want +got\n%s", diff)
		}
	})
}
