package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/report"
)

// A report's own words for fields, in both layouts, and what makes them say something else.
func TestCaptions(t *testing.T) {
	t.Parallel()
	const (
		sales  = `{"Measure":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Net"}}`
		region = `{"Column":{"Expression":{"SourceRef":{"Entity":"Shop"}},"Property":"Region"}}`
		total  = `{"Aggregation":{"Expression":{"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Amount"}},"Function":0}}`
		first  = `{"Aggregation":{"Expression":` + region + `,"Function":3}}`
		active = `,"filterConfig":{"filters":[{"field":` + region + `,"filter":{"Version":2}}]}`
		idle   = `,"filterConfig":{"filters":[{"field":` + sales + `,"type":"Categorical"}]}`
	)
	shows := func(field, name string) string {
		if name != "" {
			name = `,"displayName":` + fmt.Sprintf("%q", name)
		}
		return `{"field":` + field + `,"queryRef":"x"` + name + `}`
	}
	title := func(text, show string) string {
		if show != "" {
			show = `,"show":{"expr":{"Literal":{"Value":"` + show + `"}}}`
		}
		return `,"visualContainerObjects":{"title":[{"properties":{"text":{"expr":{"Literal":{"Value":"` + text + `"}}}` + show + `}}]}`
	}
	visual := func(projections, title, filter string) string {
		return `{"visual":{"visualType":"card","query":{"queryState":{"Values":{"projections":[` + projections + `]}}}` + title + `}` + filter + `}`
	}
	net := func(text string) report.Caption {
		return report.Caption{Field: report.Field{Table: "Sales", Name: "Net"}, Text: text}
	}
	amount := func(text string) report.Caption {
		return report.Caption{Field: report.Field{Table: "Sales", Name: "Amount"}, Text: text}
	}
	place := func(text string) report.Caption {
		return report.Caption{Field: report.Field{Table: "Shop", Name: "Region"}, Text: text}
	}
	for name, row := range map[string]struct {
		visuals            []string
		page, pageFilter   string
		reportFilter, also string
		want               []report.Caption
	}{
		"nothing":                     {visuals: []string{visual(shows(sales, ""), "", "")}},
		"a name":                      {visuals: []string{visual(shows(sales, "Revenue"), "", idle)}, want: []report.Caption{net("Revenue")}},
		"names of two":                {visuals: []string{visual(shows(sales, "Revenue")+","+shows(region, "Area"), "", "")}, want: []report.Caption{net("Revenue"), place("Area")}},
		"the name of an aggregation":  {visuals: []string{visual(shows(total, "Revenue"), "", "")}},
		"a title over a sum":          {visuals: []string{visual(shows(total, ""), title("'Revenue'", ""), "")}, page: "Money", want: []report.Caption{amount("Revenue"), amount("Money")}},
		"a title over a first value":  {visuals: []string{visual(shows(first, ""), title("'Most sold'", ""), "")}, page: "Winner"},
		"a title over a count":        {visuals: []string{visual(shows(strings.ReplaceAll(first, `3}`, `"Count"}`), ""), title("'Shops'", ""), "")}, page: "Shops"},
		"a title":                     {visuals: []string{visual(shows(sales, ""), title("'Team''s revenue'", ""), "")}, want: []report.Caption{net("Team's revenue")}},
		"a title that is shown":       {visuals: []string{visual(shows(sales, ""), title("'Revenue'", "true"), "")}, want: []report.Caption{net("Revenue")}},
		"a title that is not shown":   {visuals: []string{visual(shows(sales, ""), title("'Revenue'", "false"), "")}},
		"a title that is no text":     {visuals: []string{visual(shows(sales, ""), title("12L", ""), "")}},
		"a title over two":            {visuals: []string{visual(shows(sales, "")+","+shows(region, ""), title("'Revenue'", ""), "")}},
		"a filter of the visual":      {visuals: []string{visual(shows(sales, "Revenue"), title("'Income'", ""), active)}, page: "Money"},
		"a filter of the page":        {visuals: []string{visual(shows(sales, "Revenue"), "", "")}, page: "Money", pageFilter: active},
		"a filter of the report":      {visuals: []string{visual(shows(sales, "Revenue"), "", "")}, page: "Money", reportFilter: active},
		"a page of one field":         {visuals: []string{visual(shows(sales, ""), "", ""), visual(shows(sales, ""), "", "")}, page: "Money", want: []report.Caption{net("Money")}},
		"a page of two fields":        {visuals: []string{visual(shows(sales, ""), "", ""), visual(shows(region, ""), "", "")}, page: "Money"},
		"another kind of a title":     {visuals: []string{visual(shows(sales, "Revenue"), `,"visualContainerObjects":{"title":{"a":1}}`, "")}, want: []report.Caption{net("Revenue")}},
		"another kind of a container": {visuals: []string{visual(shows(sales, "Revenue"), `,"visualContainerObjects":[1]`, "")}, want: []report.Caption{net("Revenue")}},
		"a title of other members":    {visuals: []string{visual(shows(sales, "Revenue"), `,"visualContainerObjects":{"title":[1,{"properties":[2]},{"x":{}}]}`, "")}, want: []report.Caption{net("Revenue")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := map[string]string{
				"definition.pbir": byPath, "definition/report.json": `{"a":1` + row.reportFilter + `}`,
				"definition/pages/p/page.json": fmt.Sprintf(`{"name":"p","displayName":%q%s}`, row.page, row.pageFilter),
			}
			for i, v := range row.visuals {
				all[fmt.Sprintf("definition/pages/p/visuals/v%d/visual.json", i)] = v
			}
			r, err := report.Read(parts(all))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, r.Captions()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The older layout keeps names by the query's columns, and titles in vcObjects.
func TestCaptionsOfTheOlderLayout(t *testing.T) {
	t.Parallel()
	const config = `{"name":"v","singleVisual":{"visualType":"card","columnProperties":{"Sales.Net":{"displayName":"Revenue"},` +
		`"Sum(Sales.Amount)":{"displayName":"Total"},"Gone.Net":{"displayName":"Gone"}},"prototypeQuery":{"From":[{"Name":"s","Entity":"Sales"}],` +
		`"Select":[{"Measure":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"Net"},"Name":"Sales.Net"}]},` +
		`"vcObjects":{"title":[{"properties":{"text":{"expr":{"Literal":{"Value":"'Income'"}}}}}]}}}`
	for filters, want := range map[string][]report.Caption{
		`[]`: {
			{Field: report.Field{Table: "Sales", Name: "Net"}, Text: "Revenue"},
			{Field: report.Field{Table: "Sales", Name: "Net"}, Text: "Income"},
			{Field: report.Field{Table: "Sales", Name: "Net"}, Text: "Money"},
		},
		`[{"filter":{"Version":2}}]`: nil,
	} {
		r, err := report.Read(parts(map[string]string{
			"definition.pbir": byPath,
			"report.json": fmt.Sprintf(`{"sections":[{"name":"p","displayName":"Money","filters":"[]","visualContainers":[{"config":%q,"filters":%q}]}]}`,
				config, filters),
		}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.Captions()); diff != "" {
			t.Errorf("filters %s (-want +got):\n%s", filters, diff)
		}
	}
}
