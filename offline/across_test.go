package offline_test

import (
	"bytes"
	"encoding/json"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/report/webpage"
)

// market is a second model next to shop: it shares its table and measure, with another expression and description.
var market = map[string]string{
	"Market.SemanticModel/definition/model.tmdl": "model Model\n",
	"Market.SemanticModel/definition/tables/Sales.tmdl": "/// One row for each order of the web shop.\ntable sales\n\n" +
		"\tmeasure 'net sales' = SUM ( Sales[Amount] ) - SUM(Sales[Discount]) // without discount\n\n\tcolumn Amount\n\t\tdataType: double\n",
}

func merged(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, one := range all {
		for name, text := range one {
			out[name] = text
		}
	}
	return out
}

// Models of a folder are compared with each other; that changes no score, finding or gate.
func TestAcross(t *testing.T) {
	t.Parallel()
	root := files(t, merged(shops(), market))
	a := assess(t, offline.AssessOptions{}, root)
	at := func(path, file string, line int) offline.ModelPlace {
		return offline.ModelPlace{Path: path, Place: offline.Place{File: path + "/definition/tables/" + file, Line: line}}
	}
	shops := func(file string, line int) offline.Variant {
		return offline.Variant{Models: 3, Listed: []offline.ModelPlace{at("Shop.SemanticModel", file, line), at("a/Shop.SemanticModel", file, line), at("b/Shop.SemanticModel", file, line)}}
	}
	one := func(name string, line, ofShop int) offline.Differences {
		return offline.Differences{Count: 1, Listed: []offline.Difference{{Name: name, Models: 4, Texts: 2, Listed: []offline.Variant{shops("Sales.tmdl", ofShop), {Models: 1, Listed: []offline.ModelPlace{at("Market.SemanticModel", "Sales.tmdl", line)}}}}}}
	}
	want := &offline.Across{Models: 4, Measures: one("net sales", 4, 4), Tables: one("sales", 2, 2), NearIdentical: offline.Groups{Listed: []offline.Group{}}}
	if diff := cmp.Diff(want, a.Across); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	alone := assess(t, offline.AssessOptions{}, root, root+"/Shop.SemanticModel")
	if alone.Across != nil {
		t.Errorf("one model is compared: %+v", alone.Across)
	}
	if diff := cmp.Diff(alone.Items[0].Result, item(t, a, "b/Shop.SemanticModel").Result); diff != "" {
		t.Errorf("a result next to other models (-alone +next):\n%s", diff)
	}
	gate := offline.Gate{FailOn: "high"}
	if alone, all := len(gate.Misses(alone)), len(gate.Misses(a)); all != 3*alone+len(gate.Misses(assess(t, offline.AssessOptions{}, files(t, market)))) {
		t.Errorf("the gate fails %d times for one model and %d times for all", alone, all)
	}
}

// A model that cannot be read, and data agents, are left out of the comparison.
func TestAcrossWithoutUnreadable(t *testing.T) {
	t.Parallel()
	root := files(t, merged(shop, map[string]string{
		"Broken.SemanticModel/definition/tables/T.tmdl": "table T\n\n\t<<<<<<< HEAD\n", "Agent.DataAgent/Files/Config/data_agent.json": "{}",
	}))
	if a := assess(t, offline.AssessOptions{}, root); a.Across != nil || a.Unreadable() != 2 {
		t.Errorf("got %+v", a.Across)
	}
}

// large is a model of n columns in one table, the last of them with an own name.
func large(name, last string, n int) map[string]string {
	text := "table T\n"
	for i := range n - 1 {
		text += "\n\tcolumn 'C" + strings.Repeat("x", i) + "'\n\t\tdataType: string\n"
	}
	return map[string]string{name + ".SemanticModel/definition/model.tmdl": "model Model\n", name + ".SemanticModel/definition/tables/T.tmdl": text + "\n\tcolumn " + last + "\n\t\tdataType: string\n"}
}

// Nearly identical models are listed, and every format for people says what was found across models, and no other.
func TestWritingAcross(t *testing.T) {
	t.Parallel()
	root := files(t, merged(large("One", "A", 40), large("Two", "B", 40), large("Other", "Z", 12), shop, market))
	a := assess(t, offline.AssessOptions{}, root)
	want := offline.Groups{Count: 1, Listed: []offline.Group{{Models: 2, Share: 0.9512, Listed: []string{"One.SemanticModel", "Two.SemanticModel"}}}}
	if diff := cmp.Diff(want, a.Across.NearIdentical); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	words := []string{"Across models", "5 models compared; this costs no points", "Nearly identical models (1)", "95 % or more of the objects in 2 models", "One.SemanticModel, Two.SemanticModel",
		"[net sales]: 2 expressions in 2 models", "(1) Market.SemanticModel", "(2) Shop.SemanticModel", "'sales': 2 descriptions in 2 models"}
	for name, write := range formats {
		text := html.UnescapeString(strings.ReplaceAll(string(written(t, func(b *bytes.Buffer) error { return write(b, a) })), `\`, ""))
		for _, w := range words {
			if people := slices.Contains([]string{"table.txt", "markdown", "html"}, name); strings.Contains(text, w) != people {
				t.Errorf("%s: has %q: %v", name, w, !people)
			}
		}
	}
	for _, l := range []report.Listing{{Rules: []string{"DSC-01"}}, {Object: "T"}} {
		for name, write := range map[string]func(*bytes.Buffer) error{
			"table":    func(b *bytes.Buffer) error { return report.WriteTable(b, a, report.Screen{Width: 120, Listing: l}) },
			"markdown": func(b *bytes.Buffer) error { return report.WriteMarkdown(b, a, l) },
			"html":     func(b *bytes.Buffer) error { return webpage.Write(b, a, l) },
		} {
			if text := string(written(t, write)); strings.Contains(text, "Across models") {
				t.Errorf("%s of %+v shows more than was asked for", name, l)
			}
		}
	}
	var d struct {
		Across *offline.Across `json:"across_models"`
	}
	if err := json.Unmarshal(written(t, func(b *bytes.Buffer) error { return offline.WriteJSON(b, a) }), &d); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.Across, d.Across); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

// The number of listed results follows Top, and longer lists say how many are missing.
func TestAcrossIsCut(t *testing.T) {
	t.Parallel()
	measures := func(name, add string) map[string]string {
		text := "table T\n"
		for i := range 60 {
			text += "\n\tmeasure M" + strings.Repeat("x", i) + " = 1" + add + "\n"
		}
		return map[string]string{name + ".SemanticModel/definition/model.tmdl": "model Model\n", name + ".SemanticModel/definition/tables/T.tmdl": text}
	}
	a := assess(t, offline.AssessOptions{}, files(t, merged(measures("One", ""), measures("Two", "+1"))))
	for top, more := range map[int]string{3: "… and 57 more", 55: "… and 10 more", 0: "… and 10 more"} {
		table := string(written(t, func(b *bytes.Buffer) error {
			return report.WriteTable(b, a, report.Screen{Width: 120, Listing: report.Listing{Top: top}})
		}))
		markdown := string(written(t, func(b *bytes.Buffer) error { return report.WriteMarkdown(b, a, report.Listing{Top: top}) }))
		_, table, _ = strings.Cut(table, "Across models")
		_, markdown, _ = strings.Cut(markdown, "Across models")
		want := 50
		if top == 3 {
			want = 3
		}
		if n := strings.Count(table, "[M"); n != want || !strings.Contains(table, more) {
			t.Errorf("top %d: the table lists %d, want %d and %q", top, n, want, more)
		}
		if n := strings.Count(markdown, "2 expressions"); n != want || !strings.Contains(markdown, more) {
			t.Errorf("top %d: Markdown lists %d, want %d and %q", top, n, want, more)
		}
	}
}
