package readiness_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

func TestFurtherCaps(t *testing.T) {
	t.Parallel()
	current := readiness.Current()
	base := func(parts ...any) *semanticmodel.Model {
		return model(append([]any{table("T", text("a"), measure("n", "1"))}, parts...)...)
	}
	broken := base(related("T[gone] -> T[a]", "inactive"))
	column := base(table("U", text("c", formula("Gone[x]")), measure("o", "1")), related("T[a] -> U[c]"))
	wrong := model(table("T", text("a"), measure("n", "Gone[x]")))
	for name, tt := range map[string]struct {
		model *semanticmodel.Model
		o     readiness.Options
		want  string
	}{
		"none":                           {base(), noOptions, ""},
		"a broken relationship":          {broken, noOptions, "CAP-BROKEN"},
		"a broken relationship, ignored": {broken, ignoringAll("REL-08"), ""},
		"a broken column":                {column, noOptions, "CAP-BROKEN"},
		"a broken measure":               {wrong, noOptions, "CAP-BROKEN-DAX"},
		"a broken measure, ignored":      {wrong, ignoringAll("MEA-07"), ""},
		"a broken item":                  {base(table("P", items("Gone[x]"), text("a"))), noOptions, "CAP-BROKEN-DAX"},
		"a broken measure and column":    {model(table("T", text("a", formula("(")), measure("n", "Gone[x]"))), noOptions, "CAP-BROKEN"},
		"a broken measure and relationship": {model(table("T", text("a"), measure("n", "Gone[x]")), related("T[gone] -> T[a]")), noOptions,
			"CAP-BROKEN"},
		"no measure and a broken column": {model(table("T", text("a", formula("(")))), noOptions, "CAP-NOMEASURE CAP-BROKEN"},
	} {
		r := current.Assess(tt.model, tt.o)
		if got := strings.Join(r.Caps, " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		most := 100.0
		for _, c := range r.Caps {
			most = min(most, map[string]float64{"CAP-BROKEN": 49, "CAP-BROKEN-DAX": 84, "CAP-NOMEASURE": 60}[c])
		}
		if *r.Raw != min(*r.RawUncapped, most) {
			t.Errorf("%s: got %v of %v under %v", name, *r.Raw, *r.RawUncapped, r.Caps)
		}
	}
	// One broken source of a data agent is enough.
	sources := []readiness.Source{selecting("1", base(), "T"), selecting("2", wrong, "T")}
	if got := strings.Join(current.AssessAgent(readiness.Agent{}, sources, noOptions).Caps, " "); got != "CAP-BROKEN-DAX" {
		t.Errorf("a broken measure: got %q", got)
	}
	sources = append(sources, selecting("3", broken, "T"))
	if got := strings.Join(current.AssessAgent(readiness.Agent{}, sources, noOptions).Caps, " "); got != "CAP-BROKEN" {
		t.Errorf("a broken relationship: got %q", got)
	}
}

func TestFurtherAgentRules(t *testing.T) {
	t.Parallel()
	m := model(table("Sales", text("Net"), measure("Gross", "1")), table("Order Lines", text("Qty"), text("Net 2")), table("Xy Z",
		text("b")), table("Private Notes", privateTable))
	for name, tt := range map[string]struct {
		instructions string
		sources      []readiness.Source
		want         string
	}{
		"nothing":         {"Answer kindly.", []readiness.Source{selecting("1", m, "Sales")}, ""},
		"selected fields": {"Use Sales[net], [GROSS] and 'sales'[ Net ].", []readiness.Source{selecting("1", m, "sales")}, ""},
		"fields of other tables": {"Use [ QTY ] and 'Order Lines'[Qty].", []readiness.Source{selecting("1", m, "Sales")},
			"[qty], order lines, order lines[qty]"},
		"unknown fields":         {"Use [Gone] and Sales[Gone].", []readiness.Source{selecting("1", m, "Sales")}, "[gone], sales[gone]"},
		"the name of a table":    {"See ORDER LINES.", []readiness.Source{selecting("1", m, "Sales")}, "order lines"},
		"a selected table":       {"See order lines.", []readiness.Source{selecting("1", m, "Order Lines")}, ""},
		"a name without a space": {"See sales.", []readiness.Source{selecting("1", m, "Order Lines")}, ""},
		"a name of 4 characters": {"See xy z.", []readiness.Source{selecting("1", m, "Sales")}, "xy z"},
		"a name of 3 characters": {"See x y.", []readiness.Source{selecting("1", model(table("X y"), table("S")), "S")}, ""},
		"a dropped table":        {"See private notes.", []readiness.Source{selecting("1", m, "Sales")}, ""},
		"selected in another": {"Use [Qty] of Order Lines.", []readiness.Source{selecting("1", m, "Sales"), selecting("2", m,
			"Order Lines")}, ""},
		"no semantic model": {"Use [Qty].", []readiness.Source{{ID: "lake", Name: "Lake"}}, ""},
		"no selected table": {"Use [Qty].", []readiness.Source{selecting("1", m)}, "[qty]"},
	} {
		r := readiness.Current().AssessAgent(readiness.Agent{Instructions: tt.instructions}, tt.sources, noOptions)
		var got []string
		for _, f := range r.Findings {
			if fmt.Sprint(f.RuleIDs) == "[AGT-06]" {
				got = append(got, f.ObjectName)
				if f.Table != "" || f.ObjectType != finding.DataAgentObject || f.Severity != finding.Medium || f.Violation != 1 {
					t.Errorf("%s: got %+v", name, f)
				}
			}
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		if rule := ruleOf(t, r, "AGT-06"); rule.Eligible != len(got) || len(got) > 0 && *rule.Score != 0 || len(got) == 0 && rule.Score != nil {
			t.Errorf("%s: got %+v", name, rule)
		}
	}
}

// AGT-01 compares the tables of the agent with those that the AI data schema exposes.
func TestAgreementOnTables(t *testing.T) {
	t.Parallel()
	m := model(table("Sales", text("Net")), table("Order Lines", text("Qty"), measure("Gross", "1")), table("Notes", text("c")),
		schema("Notes Hidden", "Sales[Net] Visible"))
	const both = "which also hides it from Copilot"
	for name, tt := range map[string]struct {
		instructions string
		selected     []string
		want         string // the finding about a table
		message      string
	}{
		"both agree":                   {"Use [Qty].", []string{"Sales", "order lines"}, "", ""},
		"selected, not exposed":        {"", []string{"Sales", "Order Lines", "Notes"}, "Notes 1 medium", "expose it in the AI data schema, or take it out of the agent"},
		"exposed, not selected":        {"Answer by sales.", []string{"Sales"}, "Order Lines 0.5 low", "Table 'Order Lines': select it in the agent, or hide it in the AI data schema, " + both},
		"a column is named":            {"Use 'order lines'[QTY].", []string{"Sales"}, "Order Lines 1 medium", "select it in the agent, whose instructions name it, or hide it in the AI data schema, " + both},
		"a bare column is named":       {"Use [Qty].", []string{"Sales"}, "Order Lines 1 medium", both},
		"a measure is named":           {"Use [gross].", []string{"Sales"}, "Order Lines 1 medium", both},
		"an unknown field of it":       {"Use 'Order Lines'[Gone].", []string{"Sales"}, "Order Lines 1 medium", both},
		"its name alone":               {"See ORDER LINES.", []string{"Sales"}, "Order Lines 0.5 low", both},
		"what must not be used":        {"Never use [Qty] of order lines.", []string{"Sales"}, "Order Lines 0.5 low", both},
		"a field of another table":     {"Use [Net] and [Gone].", []string{"Sales"}, "Order Lines 0.5 low", both},
		"a field of a table not shown": {"Use [c].", []string{"Sales", "Order Lines"}, "", ""},
	} {
		r := readiness.Current().AssessAgent(readiness.Agent{Instructions: tt.instructions}, []readiness.Source{selecting("1", m,
			tt.selected...)}, noOptions)
		got, message := "", ""
		for _, f := range r.Findings {
			if fmt.Sprint(f.RuleIDs) == "[AGT-01]" {
				got, message = got+fmt.Sprint(f.Table, " ", f.Violation, " ", f.Severity), f.Message
			}
		}
		if got != tt.want || !strings.Contains(message, tt.message) {
			t.Errorf("%s: got %q, %q, want %q, %q", name, got, message, tt.want, tt.message)
		}
	}
}

// A model whose preparation for AI the platform does not show is not judged by it.
func TestNotVisibleIsNotNone(t *testing.T) {
	t.Parallel()
	current := readiness.Current()
	m := model(table("Net_Sales", text("a_guid"), text("h", hidden), measure("m", "1")), schema("Net_Sales[h] Visible"),
		instructed("Use 'Net_Sales'[a_guid]."), answered("x", nil, "Net_Sales[a_guid]"),
		synonyms("Net_Sales", "Authored", "turnover"))
	m.Cultures[0].CustomInstructions = new("Use [m].")
	m.QnA = semanticmodel.QnAOff
	m.Copilot.NotVisible = true
	r := current.Assess(m, noOptions)
	lacking := []string{"VIS-01", "VIS-04", "VIS-07", "INS-01", "INS-02", "INS-03", "INS-04", "INS-05", "INS-06", "INS-07", "INS-08",
		"INS-09", "INS-10", "INS-11", "INS-12", "INS-13", "INS-14", "SYN-01", "SYN-02"}
	for _, id := range lacking {
		if got := ruleOf(t, r, id); got.Score != nil || got.Eligible != 0 {
			t.Errorf("%s: got %+v", id, got)
		}
	}
	if len(r.NotAssessable) != 1 || strings.Join(r.NotAssessable[0].RuleIDs, " ") != strings.Join(lacking,
		" ") || r.NotAssessable[0].Why == "" || r.ScoreComplete == nil || *r.ScoreComplete {
		t.Errorf("got %+v, complete %v", r.NotAssessable, r.ScoreComplete)
	}
	// X is what is not hidden, nothing is named, and a synonym of a culture counts.
	for id, want := range map[string]string{"VIS-02": "Net_Sales[a_guid] 1", "NAM-01": "Net_Sales 0.5, Net_Sales[m] 0"} {
		if got := found(t, current.Judge(m, noOptions, false, id)); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
	// A data agent lacks them by source, and AGT-01 judges the other sources.
	seen := *m
	seen.Copilot.NotVisible = false
	agent := current.AssessAgent(readiness.Agent{}, []readiness.Source{selecting("1", m, "Net_Sales"), selecting("2", &seen, "Net_Sales")},
		noOptions)
	if n := agent.NotAssessable; len(n) != 1 || n[0].SourceModelID != "1" || n[0].RuleIDs[len(n[0].RuleIDs)-1] != "AGT-01" || *agent.ScoreComplete {
		t.Errorf("got %+v", n)
	}
	if got := ruleOf(t, agent, "AGT-01"); got.Eligible != 1 {
		t.Errorf("AGT-01: got %+v", got)
	}
	if got := ruleOf(t, agent, "INS-01"); got.Eligible != 1 {
		t.Errorf("INS-01: got %+v", got)
	}
	// A complete score says so.
	if r := current.Assess(&seen, noOptions); r.NotAssessable != nil || r.ScoreComplete == nil || !*r.ScoreComplete {
		t.Errorf("got %+v, complete %v", r.NotAssessable, r.ScoreComplete)
	}
}

// Places for which Power BI refuses a model are listed and cost nothing; no more of a model than a page holds.
func TestRefusedPlaces(t *testing.T) {
	t.Parallel()
	current := readiness.Current()
	m := model(table("Sales", text("a"), measure("m", "1")))
	clean := current.Assess(m, noOptions)
	if clean.Refused != nil {
		t.Errorf("got %q", clean.Refused)
	}
	m.Notices = []semanticmodel.Notice{{Source: semanticmodel.Source{File: "f", Line: 2}, Column: 3, Message: "move it"}}
	r := current.Assess(m, noOptions)
	if strings.Join(r.Refused, "; ") != "f:2:3: move it" || *r.Raw != *clean.Raw || len(r.Findings) != len(clean.Findings) || !*r.ScoreComplete {
		t.Errorf("got %q, score %v", r.Refused, *r.Raw)
	}
	m.Notices = slices.Repeat(m.Notices, 23)
	if r := current.Assess(m, noOptions); len(r.Refused) != 21 || r.Refused[20] != "Power BI would refuse 3 more places of this model" {
		t.Errorf("got %q", r.Refused)
	}
}

// A part that is there and cannot be understood is not absent: the rules about it neither pass nor fail, and the result says why.
//
// proves: decisions/9/15-unread
func TestUnreadIsNotNone(t *testing.T) {
	t.Parallel()
	current := readiness.Current()
	visible := []string{"VIS-01", "VIS-02", "VIS-03", "VIS-04", "VIS-05", "VIS-06", "VIS-07", "VIS-08", "VIS-09"}
	said := []string{"INS-01", "INS-02", "INS-03", "INS-04", "INS-05", "INS-06", "INS-11"}
	for name, c := range map[string]struct {
		hides   semanticmodel.Aspect
		lacking []string
	}{
		"the AI data schema": {semanticmodel.Schema | semanticmodel.Exposure | semanticmodel.Synonyms, append(visible, "INS-12", "INS-13", "SYN-01", "SYN-02")},
		"the instructions":   {semanticmodel.Instructions, said},
		"a linguistic schema": {semanticmodel.Entities | semanticmodel.Synonyms | semanticmodel.Instructions,
			[]string{"INS-01", "INS-02", "INS-03", "INS-04", "INS-05", "INS-06", "INS-10", "INS-11", "SYN-01", "SYN-02"}},
		"the phrases":           {semanticmodel.TriggerPhrases, []string{"INS-08"}},
		"the fields of answers": {semanticmodel.AnswerFields, []string{"INS-09", "INS-14"}},
		"the properties":        {semanticmodel.QnASetting, []string{"INS-10"}},
		"what only people read": {0, nil},
	} {
		m := model(table("Sales", text("a_guid"), measure("m", "1")), answered("x", nil, "Sales[a_guid]"))
		m.QnA = semanticmodel.QnAOff
		m.Unread = []semanticmodel.Unread{{Notice: semanticmodel.Notice{Source: semanticmodel.Source{File: "f", Line: 2}, Column: 3, Message: "broken"},
			Hides: c.hides}}
		r := current.Assess(m, noOptions)
		var got []string
		for _, n := range r.NotAssessable {
			if got = n.RuleIDs; n.Why != "f:2:3: broken" {
				t.Errorf("%s: got %q", name, n.Why)
			}
		}
		if strings.Join(got, " ") != strings.Join(c.lacking, " ") || *r.ScoreComplete != (c.lacking == nil) {
			t.Errorf("%s: got %q, complete %v, want %q", name, got, *r.ScoreComplete, c.lacking)
		}
		for _, id := range c.lacking {
			if got := ruleOf(t, r, id); got.Score != nil || got.Eligible != 0 {
				t.Errorf("%s: %s judges: %+v", name, id, got)
			}
		}
		for _, f := range r.Findings {
			for _, id := range f.RuleIDs {
				if strings.Contains(strings.Join(c.lacking, " "), id) {
					t.Errorf("%s: got the finding %s", name, f.Message)
				}
			}
		}
	}
}
