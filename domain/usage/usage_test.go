package usage_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/domain/pixies"
	"readiness/domain/readiness"
	"readiness/domain/usage"
)

// shop returns a model with every path from a name to a field.
func shop() *semanticmodel.Model {
	column := func(name string) semanticmodel.Column { return semanticmodel.Column{Name: name} }
	measure := func(name, expression string) semanticmodel.Measure {
		return semanticmodel.Measure{Name: name, Expression: expression}
	}
	return &semanticmodel.Model{Tables: []semanticmodel.Table{
		{
			Name: "Sales", Columns: []semanticmodel.Column{column("Amount"), column("Cost"), column("Order Date"), column("Region"), column("Unused")},
			Measures: []semanticmodel.Measure{
				measure("Revenue", "SUM(Sales[Amount]) -- and not Sales[Unused]"), measure("Spent", "SUM('sales'[COST])"),
				measure("Margin", "[Revenue] - [Spent]"), measure("Margin %", "DIVIDE([Margin], [revenue])"),
				measure("Chicken", "[Egg] + 1"), measure("Egg", "[Chicken] + SUM([Region])"),
			},
		},
		{
			Name: "Date", Columns: []semanticmodel.Column{column("Date"), column("Year")},
			Hierarchies: []semanticmodel.Hierarchy{{Name: "Calendar", Levels: []semanticmodel.Level{{Name: "Jahr", Column: "Year"}, {Name: "Tag", Column: "Date"}, {Name: "Gone", Column: "Gone"}}}},
		},
		{Name: "LocalDateTable_1", Columns: []semanticmodel.Column{column("Date")}},
		{Name: "Secret", IsPrivate: true, Columns: []semanticmodel.Column{column("Key")}},
	}}
}

func fields(names ...string) report.References {
	var all report.References
	for _, n := range names {
		table, name, _ := strings.Cut(strings.TrimSuffix(n, "]"), "[")
		all.Fields = append(all.Fields, report.Field{Table: table, Name: name})
	}
	return all
}

func page(name string, of ...report.References) report.Page {
	p := report.Page{Name: name}
	for _, r := range of {
		p.Visuals = append(p.Visuals, report.Visual{References: r})
	}
	return p
}

// written shows a map in order: "Sales[Amount] 3, Sales[Revenue] 3".
func written(views map[string]map[string]int64) string {
	var all []string
	for table, fields := range views {
		for field, n := range fields {
			all = append(all, fmt.Sprintf("%s[%s] %d", table, field, n))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// seen is a report and the views of its pages.
type seen struct {
	report report.Report
	views  map[string]int64
}

func count(m *semanticmodel.Model, all ...seen) map[string]map[string]int64 {
	c := usage.NewCount(m)
	for _, s := range all {
		c.Add(s.report, s.views)
	}
	return c.Fields()
}

func TestCount(t *testing.T) {
	t.Parallel()
	one := func(p ...report.Page) report.Report { return report.Report{Pages: p} }
	once := map[string]int64{"p": 1}
	for name, c := range map[string]struct {
		seen []seen
		want string
	}{
		"nothing":                   {nil, ""},
		"a column":                  {[]seen{{one(page("p", fields("Sales[Region]"))), map[string]int64{"p": 7}}}, "Sales[Region] 7"},
		"names under norm":          {[]seen{{one(page("p", fields(" SALES [ order  date ]"))), once}}, "Sales[Order Date] 1"},
		"in two visuals, once":      {[]seen{{one(page("p", fields("Sales[Region]"), fields("Sales[Region]", "Sales[Revenue]"))), once}}, "Sales[Amount] 1, Sales[Region] 1, Sales[Revenue] 1"},
		"through a measure":         {[]seen{{one(page("p", fields("Sales[Revenue]"))), once}}, "Sales[Amount] 1, Sales[Revenue] 1"},
		"through measures":          {[]seen{{one(page("p", fields("Sales[Margin %]"))), once}}, "Sales[Amount] 1, Sales[Cost] 1, Sales[Margin %] 1, Sales[Margin] 1, Sales[Revenue] 1, Sales[Spent] 1"},
		"directly and through":      {[]seen{{one(page("p", fields("Sales[Revenue]", "Sales[Amount]"))), once}}, "Sales[Amount] 1, Sales[Revenue] 1"},
		"measures in a circle":      {[]seen{{one(page("p", fields("Sales[Chicken]"))), once}}, "Sales[Chicken] 1, Sales[Egg] 1, Sales[Region] 1"},
		"a level is its column":     {[]seen{{one(page("p", report.References{Levels: []report.Level{{Table: "date", Hierarchy: "CALENDAR", Level: "Jahr"}, {Table: "Date", Hierarchy: "Calendar", Level: "Year"}, {Table: "Date", Hierarchy: "Calendar", Level: "Gone"}}})), once}}, "Date[Year] 1"},
		"a date's own hierarchy":    {[]seen{{one(page("p", report.References{Variations: []report.Field{{Table: "Sales", Name: "Order Date"}}})), once}}, "Sales[Order Date] 1"},
		"unknown and dropped names": {[]seen{{one(page("p", fields("Sales[Gone]", "Gone[Amount]", "LocalDateTable_1[Date]", "Secret[Key]", "Sales[]"))), once}}, ""},
		"a page's own filters":      {[]seen{{one(report.Page{Name: "p", References: fields("Date[Year]")}), once}}, "Date[Year] 1"},
		"the report's filters, page by page": {
			[]seen{{report.Report{References: fields("Date[Year]"), Pages: []report.Page{page("p"), page("q"), page("unviewed")}}, map[string]int64{"p": 2, "q": 3}}},
			"Date[Year] 5",
		},
		"pages are added":                   {[]seen{{one(page("p", fields("Sales[Revenue]")), page("q", fields("Sales[Amount]"))), map[string]int64{"p": 2, "q": 3}}}, "Sales[Amount] 5, Sales[Revenue] 2"},
		"pages not viewed, gone or unheard": {[]seen{{one(page("p", fields("Sales[Amount]")), page("q", fields("Sales[Cost]"))), map[string]int64{"p": 0, "q": -3, "gone": 5}}}, ""},
		"reports are added": {
			[]seen{{one(page("p", fields("Sales[Amount]"))), map[string]int64{"p": 2}}, {one(page("p", fields("Sales[Revenue]"))), map[string]int64{"p": 40}}},
			"Sales[Amount] 42, Sales[Revenue] 40",
		},
		"more than can be counted": {
			[]seen{{one(page("p", fields("Sales[Amount]")), page("q", fields("Sales[Amount]"))), map[string]int64{"p": math.MaxInt64, "q": math.MaxInt64}}},
			fmt.Sprintf("Sales[Amount] %d", int64(math.MaxInt64)),
		},
		"the report's own measures": {
			[]seen{{report.Report{
				Measures: []report.Measure{
					{Table: "Sales", Name: "Doubled", Expression: "[twice] + 'Sales'[halved] + [Gone] + [Cost]"}, {Table: "Date", Name: "Twice", Expression: "2 * [Revenue] + [Year] + [Doubled]"},
					{Table: "Sales", Name: "Halved", Expression: "SUM(Sales[Region]) / 2"}, {Table: "Nowhere", Name: "Lost", Expression: "[Amount] + [Spent]"},
				},
				Pages: []report.Page{page("p", fields("sales[DOUBLED]")), page("q", fields("Nowhere[Lost]"))},
			}, map[string]int64{"p": 1, "q": 10}}},
			"Date[Year] 1, Sales[Amount] 1, Sales[Cost] 11, Sales[Region] 1, Sales[Revenue] 1, Sales[Spent] 10",
		},
		"its own go before the model's": {
			[]seen{
				{report.Report{Measures: []report.Measure{{Table: "Sales", Name: "Spent", Expression: "[Region]"}}, Pages: []report.Page{page("p", fields("Sales[Spent]"))}}, once},
				{one(page("p", fields("Sales[Spent]"))), map[string]int64{"p": 10}}, // another report's measures are its own
			},
			"Sales[Cost] 10, Sales[Region] 1, Sales[Spent] 10",
		},
	} {
		if got := written(count(shop(), c.seen...)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// Pages with 1,000, 100 and 10 views: the weights of the fields they query are the
// check values of docs/regime.md.
//
// proves: 4.4/single/3-weighted
func TestWeighedScore(t *testing.T) {
	t.Parallel()
	m := shop()
	views := count(m, seen{
		report.Report{Pages: []report.Page{page("much", fields("Sales[Revenue]")), page("some", fields("Sales[Cost]")), page("little", fields("Date[Year]"))}},
		map[string]int64{"much": 1000, "some": 100, "little": 10},
	})
	if want := "Date[Year] 10, Sales[Amount] 1000, Sales[Cost] 100, Sales[Revenue] 1000"; written(views) != want {
		t.Fatalf("got %s, want %s", written(views), want)
	}
	plain, weighted := readiness.Assess(m, readiness.Options{}), readiness.Assess(m, readiness.Options{Usage: views})
	if plain.Weighting != readiness.Unweighted || weighted.Weighting != readiness.WeightedByUsage {
		t.Errorf("got weightings %s and %s", plain.Weighting, weighted.Weighting)
	}
	if diff := cmp.Diff(plain.Scores, weighted.Unweighted); diff != "" {
		t.Errorf("the unweighted companion (-want +got):\n%s", diff)
	}
	// DSC-02 of seven columns without a description, where one gets one. The loss is the
	// weight of the other six.
	described := func(table, name int) float64 {
		m := shop()
		m.Tables[table].Columns[name].Description = "What the customer was invoiced for the line."
		for _, d := range readiness.Assess(m, readiness.Options{Usage: views}).Dimensions {
			for _, r := range d.Rules {
				if r.ID == "DSC-02" {
					return *r.Score
				}
			}
		}
		return -1
	}
	all := 4 + 3.004031 + 2.041242 + 4*1 // Amount, Cost, Year and the rest
	for _, c := range []struct {
		table, column int
		weight        float64
	}{{0, 0, 4}, {0, 1, 3.004031}, {1, 1, 2.041242}, {0, 4, 1}} {
		if got, want := described(c.table, c.column), c.weight/all; math.Abs(got-want) > 1e-4 {
			t.Errorf("column %d of table %d: DSC-02 is %v, want %v", c.column, c.table, got, want)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"2026-11-21T00:00:00Z":           "2026-10-25 2026-11-21",
		"2026-11-21T23:59:59.999Z":       "2026-10-25 2026-11-21",
		"2026-11-21T23:30:00-02:00":      "2026-10-26 2026-11-22",
		"2027-03-01T12:00:00Z":           "2027-02-02 2027-03-01",
		"2028-03-01T00:30:00.5123+01:00": "2028-02-02 2028-02-29",
	} {
		instant, err := time.Parse(time.RFC3339Nano, at)
		if err != nil {
			t.Fatal(err)
		}
		from, to := usage.Window(instant)
		if got := from.Format(time.DateOnly) + " " + to.Format(time.DateOnly); got != want || to.Sub(from) != (usage.Days-1)*24*time.Hour {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}

func TestViewed(t *testing.T) {
	t.Parallel()
	var reports []pixies.Report
	for n := range byte(6) {
		reports = append(reports, pixies.Report{ReportID: uuid.UUID{15: n}})
	}
	views := usage.Views{
		reports[0].ReportID: {"a": 1}, reports[1].ReportID: {"a": 2, "b": 3}, reports[2].ReportID: {"a": 0}, reports[3].ReportID: {"a": 5}, reports[4].ReportID: {"a": -7, "b": 9},
	}
	got := views.Viewed(reports)
	if diff := cmp.Diff([]pixies.Report{reports[4], reports[1], reports[3], reports[0]}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(reports) != 6 || reports[5].ReportID != (uuid.UUID{15: 5}) {
		t.Error("the caller's reports were changed")
	}
}

// anyReport draws a report over the names of shop and some others, with views.
func anyReport(pages int) *rapid.Generator[seen] {
	names := []string{"Sales[Amount]", "Sales[Cost]", "Sales[Region]", "Sales[Revenue]", "Sales[Spent]", "Sales[Margin]", "Sales[Margin %]", "Sales[Chicken]", "Sales[Egg]", "Date[Year]", "Gone[Gone]", "Sales[Own 0]", "Sales[Own 1]", "Sales[Own 2]"}
	return rapid.Custom(func(t *rapid.T) seen {
		some := func(label string) []string {
			return rapid.SliceOfN(rapid.SampledFrom(names), 0, 4).Draw(t, label)
		}
		s := seen{report.Report{References: fields(some("filters")...)}, map[string]int64{}}
		for i := range rapid.IntRange(0, 3).Draw(t, "measures") {
			s.report.Measures = append(s.report.Measures, report.Measure{Table: "Sales", Name: fmt.Sprint("Own ", i), Expression: strings.Join(some("expression"), " + ")})
		}
		for i := range rapid.IntRange(0, pages).Draw(t, "pages") {
			name := fmt.Sprint("p", i)
			s.report.Pages = append(s.report.Pages, page(name, fields(some("visual")...)))
			s.views[name] = rapid.Int64Range(0, 1000).Draw(t, "views")
		}
		return s
	})
}

// plainly counts page by page, following references one at a time.
func plainly(m *semanticmodel.Model, all ...seen) map[string]map[string]int64 {
	leads := map[string][]string{
		"Sales[Revenue]": {"Sales[Amount]"}, "Sales[Spent]": {"Sales[Cost]"}, "Sales[Margin]": {"Sales[Revenue]", "Sales[Spent]"}, "Sales[Margin %]": {"Sales[Margin]", "Sales[Revenue]"},
		"Sales[Chicken]": {"Sales[Egg]"}, "Sales[Egg]": {"Sales[Chicken]", "Sales[Region]"},
	}
	known := map[string]bool{}
	for _, t := range m.Tables {
		for _, c := range t.Columns {
			known[t.Name+"["+c.Name+"]"] = true
		}
		for _, c := range t.Measures {
			known[t.Name+"["+c.Name+"]"] = true
		}
	}
	views := map[string]map[string]int64{}
	for _, s := range all {
		leads := maps.Clone(leads)
		for _, own := range s.report.Measures {
			leads["Sales["+own.Name+"]"] = strings.Split(own.Expression, " + ")
		}
		for _, p := range s.report.Pages {
			found := map[string]bool{}
			var follow func(name string)
			follow = func(name string) {
				if !found[name] {
					found[name] = true
					for _, to := range leads[name] {
						follow(to)
					}
				}
			}
			for _, f := range slices.Concat(p.All().Fields, s.report.References.Fields) {
				follow(f.Table + "[" + f.Name + "]")
			}
			for name := range found {
				if n := s.views[p.Name]; n > 0 && known[name] {
					table, field, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
					if views[table] == nil {
						views[table] = map[string]int64{}
					}
					views[table][field] += n
				}
			}
		}
	}
	return views
}

// Counting reports together gives the same as counting page by page, even for more
// pages than are counted at a time. One more view of a page reduces no field's views
// and adds at most one to each.
func TestCountProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(anyReport(rapid.SampledFrom([]int{3, 140}).Draw(t, "size")), 0, 3).Draw(t, "reports")
		m := shop()
		got := count(m, all...)
		if diff := cmp.Diff(plainly(m, all...), got); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		if len(all) == 0 || len(all[0].report.Pages) == 0 {
			return
		}
		more := seen{all[0].report, maps.Clone(all[0].views)}
		more.views[rapid.SampledFrom(all[0].report.Pages).Draw(t, "page").Name]++
		after := count(m, append([]seen{more}, all[1:]...)...)
		for _, table := range m.Tables {
			for _, name := range []string{"Amount", "Cost", "Region", "Revenue", "Spent", "Margin", "Chicken", "Egg", "Year", "Unused"} {
				if d := after[table.Name][name] - got[table.Name][name]; d != 0 && d != 1 {
					t.Fatalf("%s[%s]: one view more makes %d", table.Name, name, d)
				}
			}
		}
	})
}

// Long chains of measures neither overflow the stack nor are followed once per page.
func TestLongChains(t *testing.T) {
	t.Parallel()
	const n = 20_000
	m := &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "T", Columns: []semanticmodel.Column{{Name: "c"}}}}}
	r := seen{views: map[string]int64{}}
	for i := range n {
		expression := fmt.Sprintf("[m%d] + [m0] + T[c]", i+1)
		m.Tables[0].Measures = append(m.Tables[0].Measures, semanticmodel.Measure{Name: fmt.Sprint("m", i), Expression: expression})
		r.report.Measures = append(r.report.Measures, report.Measure{Table: "T", Name: fmt.Sprint("o", i), Expression: strings.ReplaceAll(expression, "m", "o") + " + [m0]"})
	}
	for i := range 500 {
		name := fmt.Sprint("p", i)
		r.report.Pages = append(r.report.Pages, page(name, fields(fmt.Sprintf("T[o%d]", i))))
		r.views[name] = 1
	}
	if got := count(m, r); got["T"]["c"] != 500 || got["T"]["m0"] != 500 || got["T"][fmt.Sprint("m", n-1)] != 500 {
		t.Errorf("got %d, %d and %d views, want 500", got["T"]["c"], got["T"]["m0"], got["T"][fmt.Sprint("m", n-1)])
	}
}
