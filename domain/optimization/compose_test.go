package optimization_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

// sales returns a definition with two measures. The folder of one of them is written
// over several lines, so that it cannot be set.
func sales(t *testing.T) (definition.Definition, *semanticmodel.Model) {
	t.Helper()
	d := definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte("table Sales\n\n\tmeasure Revenue = 1\n\t\tdisplayFolder = ```\n\t\t\t\tOld\n\t\t\t\t```\n\n" +
		"\tmeasure Cost = 2\n\n\tcolumn Year\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n\t\tsourceColumn: Year\n")})
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

func measure(name string) proposal.Object {
	return proposal.Object{Table: "Sales", Name: name, Type: proposal.Measure}
}

// answers proposes a value for each object of the ask, except for those skipped.
func answers(values map[string]string) optimization.Propose {
	return func(ask proposal.Ask) (proposal.Answer, error) {
		a := proposal.Answer{Provider: proposal.Provider{Kind: "test", Name: "Test"}}
		for _, o := range ask.Objects {
			if v, ok := values[o.Name]; ok {
				a.Proposals = append(a.Proposals, proposal.Proposal{Object: o, Value: v, Reason: "because"})
			} else {
				a.Skipped = append(a.Skipped, proposal.Skip{Object: o, Reason: proposal.NothingProposed, Message: "no idea"})
			}
		}
		return a, nil
	}
}

// An object that cannot be written is skipped alone; the others are proposed.
//
// proves: 2.12/preview/skipped 2.12/preview/properties
func TestComposeSkipsUnwritable(t *testing.T) {
	t.Parallel()
	d, m := sales(t)
	p := optimization.Preview{Kind: optimization.Properties}
	err := p.Compose(d, m, optimization.Asking{
		Targets: []optimization.Targets{
			{Type: proposal.DisplayFolder, Objects: []proposal.Object{measure("Revenue"), measure("Cost"), measure("Gone")}},
			{Type: proposal.SummarizeBy, Objects: []proposal.Object{{Table: "Sales", Name: "Year", Type: proposal.Column}}},
		},
		Propose: answers(map[string]string{"Revenue": "Money", "Cost": "Money"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var keys, skipped []string
	for _, c := range p.Changes {
		keys = append(keys, c.Key+" "+string(c.Property)+" = "+c.Proposed)
	}
	for _, s := range p.Skipped {
		skipped = append(skipped, s.Key+" "+s.Reason)
	}
	if got := strings.Join(keys, ", "); got != "Sales|Cost displayFolder = Money, Sales|Year summarizeBy = none" {
		t.Errorf("changes: %s", got)
	}
	if got := strings.Join(skipped, ", "); got != "Sales|Gone NothingProposed, Sales|Revenue NothingProposed" {
		t.Errorf("skipped: %s", got)
	}
	if p.NothingToDo != nil || p.ScoreNow == nil || p.ScoreAfter == nil {
		t.Errorf("nothing to do: %v, scores %v and %v", p.NothingToDo, p.ScoreNow, p.ScoreAfter)
	}
}

// Without its permission a data agent is not asked, and the preview does not claim that
// nothing is needed.
//
// proves: 2.12/preview/agent 4.5/preview/7
func TestComposeWithoutTheAgentsPermission(t *testing.T) {
	t.Parallel()
	d, m := sales(t)
	for access, reason := range map[item.Access]proposal.SkipReason{
		item.ConsentRequired: proposal.PermissionRequired, item.Unavailable: proposal.PermissionRequired, item.Granted: proposal.NothingProposed,
	} {
		p := optimization.Preview{Kind: optimization.Descriptions}
		err := p.Compose(d, m, optimization.Asking{
			Targets: []optimization.Targets{{Type: proposal.Description, Objects: []proposal.Object{measure("Revenue")}}},
			Propose: answers(nil), Agent: access, AgentPermission: "DataAgent.Execute.All",
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Skipped) != 1 || p.Skipped[0].Reason != string(reason) {
			t.Errorf("%s: skipped %v", access, p.Skipped)
		}
		denied := reason == proposal.PermissionRequired
		if (p.Reason != nil) != denied || (p.NothingToDo == nil) != denied || denied && !strings.Contains(*p.Message, "DataAgent.Execute.All") {
			t.Errorf("%s: reason %v, message %v, nothing to do %v", access, p.Reason, p.Message, p.NothingToDo)
		}
	}
}

// The items of a calculation group are named in the description of a column of the
// table with the finding.
func TestComposeDescribesTheItemColumn(t *testing.T) {
	t.Parallel()
	const group = "table Time\n\n\tcalculationGroup\n\n\t\tcalculationItem Current = SELECTEDMEASURE()\n\n\t\tcalculationItem YTD = CALCULATE(SELECTEDMEASURE())\n\n"
	column := func(name, source, description string) string {
		return description + "\tcolumn '" + name + "'\n\t\tdataType: string\n\t\tsourceColumn: " + source + "\n\n"
	}
	for name, test := range map[string]struct {
		columns string
		asked   []proposal.Object
		want    string
	}{
		"by its source":            {column("Other", "Other", "") + column("Show As", "Name", ""), nil, "Time|, Time|Show As"},
		"the only text":            {column("Show As", "x", ""), nil, "Time|, Time|Show As"},
		"which one is not known":   {column("A", "a", "") + column("B", "b", ""), nil, "Time|"},
		"names one item":           {column("Show As", "Name", "\t/// Current.\n"), nil, "Time|, Time|Show As"},
		"names its items":          {column("Show As", "Name", "\t/// CURRENT and ytd.\n"), nil, "Time|"},
		"names them where no AI":   {column("Show As", "Name", "\t/// Current and "+strings.Repeat("x", 200)+" YTD.\n"), nil, "Time|, Time|Show As"},
		"was found separately":     {column("Show As", "Name", ""), []proposal.Object{{Table: "Time", Name: "Show As", Type: proposal.Column}}, "Time|, Time|Show As"},
		"a table that is no group": {"", []proposal.Object{{Table: "Sales", Type: proposal.Table}}, "Time|, Sales|"},
	} {
		d := definition.New(definition.Part{Path: "definition/tables/Time.tmdl", Data: []byte(group + test.columns)},
			definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte("table Sales\n\n" + column("Name", "Name", ""))})
		m, err := semanticmodel.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		p := optimization.Preview{Kind: optimization.Descriptions}
		err = p.Compose(d, m, optimization.Asking{
			Targets: []optimization.Targets{{Type: proposal.Description, Objects: append([]proposal.Object{{Table: "Time", Type: proposal.Table}}, test.asked...)}},
			Propose: answers(nil),
		})
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		for _, s := range p.Skipped {
			asked = append(asked, s.Key)
		}
		if got := strings.Join(asked, ", "); got != test.want {
			t.Errorf("%s: asked for %s, want %s", name, got, test.want)
		}
	}
}

// A preview holds at most MaxDescriptions changes, the first ones that the provider proposes; objects without a
// proposal take no place.
func TestComposeKeepsTheCap(t *testing.T) {
	t.Parallel()
	text, values := "table Sales\n", map[string]string{}
	targets := optimization.Targets{Type: proposal.Description}
	for i := range optimization.MaxDescriptions + 20 {
		name := "M" + strconv.Itoa(i)
		text += "\n\tmeasure " + name + " = 1\n"
		targets.Objects = append(targets.Objects, measure(name))
		if i >= 10 {
			values[name] = "What it is, number " + strconv.Itoa(i)
		}
	}
	d := definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte(text)})
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	p := optimization.Preview{Kind: optimization.Descriptions}
	if err := p.Compose(d, m, optimization.Asking{Targets: []optimization.Targets{targets}, Propose: answers(values)}); err != nil {
		t.Fatal(err)
	}
	if len(p.Changes) != optimization.MaxDescriptions || len(p.Skipped) != 10 || p.Message == nil || !strings.Contains(*p.Message, "; 10 more") {
		t.Errorf("%d changes, %d skipped, message %v", len(p.Changes), len(p.Skipped), p.Message)
	}
	if last := p.Changes[len(p.Changes)-1].Key; last != "Sales|M209" {
		t.Errorf("the last change is about %s", last)
	}
}

// The questions of a provider are in the preview, and so are the fields that the AI data schema would show: nothing has
// judged these yet.
func TestComposeAsksForWords(t *testing.T) {
	t.Parallel()
	d := definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte("table Sales\n\n\tmeasure Revenue = SUM(Sales[Net])\n\n" +
		"\tcolumn Net\n\t\tdataType: decimal\n\t\tisHidden\n\t\tsourceColumn: Net\n\n\t/// Kept.\n\tcolumn Kept\n\t\tdataType: string\n\t\tisHidden\n\t\tsourceColumn: Kept\n")})
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	net := proposal.Object{Table: "Sales", Name: "Net", Type: proposal.Column}
	var asked []proposal.Object
	p := optimization.Preview{Kind: optimization.Descriptions}
	err = p.Compose(d, m, optimization.Asking{
		Targets: []optimization.Targets{{Type: proposal.Description, Objects: []proposal.Object{measure("Revenue")}}},
		Propose: func(ask proposal.Ask) (proposal.Answer, error) {
			if ask.Type == proposal.AIDataSchema {
				return proposal.Answer{Proposals: []proposal.Proposal{
					{Object: net, Value: proposal.Visible, Recommended: true},
					{Object: proposal.Object{Table: "Sales", Name: "Kept", Type: proposal.Column}, Value: proposal.Visible},
				}}, nil
			}
			asked = ask.Objects
			a, err := answers(map[string]string{"Revenue": "What was invoiced."})(ask)
			a.Questions = []proposal.Question{
				{Object: net, Text: "In which unit?"}, {Object: measure("Revenue"), Text: "Before tax?"},
				{Object: proposal.Object{Table: "Sales", Name: "Gone", Type: proposal.Column}, Text: "What was it?"},
				{Object: proposal.Object{Table: "Sales", Name: "Kept", Type: proposal.Column}, Text: "For whom?"},
			}
			return a, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []proposal.Object{measure("Revenue"), net}; !slices.Equal(asked, want) {
		t.Errorf("asked about %v, want %v", asked, want)
	}
	want := []optimization.NeededWords{
		{Table: "Sales", Object: "Net", ObjectType: proposal.Column, Question: "In which unit?", Key: "Sales|Net", Type: proposal.Description},
		{Table: "Sales", Object: "Revenue", ObjectType: proposal.Measure, Question: "Before tax?"}, // a text is proposed
		{Table: "Sales", Object: "Gone", ObjectType: proposal.Column, Question: "What was it?"},
		{Table: "Sales", Object: "Kept", ObjectType: proposal.Column, Question: "For whom?", Key: "Sales|Kept", Type: proposal.Description, Current: new("Kept.")},
	}
	if d := cmp.Diff(want, p.NeedsYourWords); d != "" {
		t.Errorf("it needs (-want +got):\n%s", d)
	}
}

// A dimension that would fall is reported with its scores and how much its rules judge; others are not.
func TestComposeReportsFallingDimensions(t *testing.T) {
	t.Parallel()
	d := definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte("table Sales\n\n\tmeasure Revenue = 1\n\n" +
		"\tcolumn 'Good Name'\n\t\tdataType: string\n\t\tsourceColumn: Net\n\n\tcolumn bd_nm\n\t\tdataType: string\n\t\tsourceColumn: Kept\n")},
		definition.Part{Path: "definition/model.tmdl", Data: []byte("model Model\n")}, definition.Part{Path: "Copilot/schema.json", Data: []byte("{}")})
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	p := optimization.Preview{Kind: optimization.AIDataSchema}
	err = p.Compose(d, m, optimization.Asking{Propose: func(proposal.Ask) (proposal.Answer, error) {
		return proposal.Answer{Proposals: []proposal.Proposal{
			{Object: proposal.Object{Table: "Sales", Name: "Good Name", Type: proposal.Column}, Value: proposal.Hidden, Recommended: true, Reason: "because"},
		}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	var fallen []string
	for _, f := range p.DimensionsThatFall {
		fallen = append(fallen, f.ID)
		if f.ScoreAfter >= f.ScoreNow || f.JudgedAfter >= f.JudgedNow || f.Name == "" {
			t.Errorf("got %+v", f)
		}
	}
	if !slices.Contains(fallen, "naming") || slices.Contains(fallen, "visibility") {
		t.Errorf("fallen are %v; skipped %v", fallen, p.Skipped)
	}
}

// A skip that concerns the entire model has the key of its kind.
func TestComposeSkipsTheModelByItsKind(t *testing.T) {
	t.Parallel()
	d, m := sales(t)
	for _, kind := range []optimization.Kind{optimization.AIInstructions, optimization.AIDataSchema} {
		p := optimization.Preview{Kind: kind}
		err := p.Compose(d, m, optimization.Asking{Propose: func(ask proposal.Ask) (proposal.Answer, error) {
			if ask.Type == proposal.Synonyms {
				return proposal.Answer{}, nil
			}
			return proposal.Answer{Skipped: []proposal.Skip{{Object: proposal.Object{Type: proposal.Model}, Reason: proposal.NothingProposed, Message: "nothing"}}}, nil
		}})
		if err != nil || len(p.Skipped) != 1 || p.Skipped[0].Key != string(kind) {
			t.Errorf("%s: skipped %v, %v", kind, p.Skipped, err)
		}
	}
}

// A flag keeps its sum, which is a count; a rate does not.
func TestComposeKeepsSummedFlags(t *testing.T) {
	t.Parallel()
	text := "table Calls\n\n"
	var objects []proposal.Object
	for _, name := range []string{"answered_flag", "HasError", "flag_id", "Score"} {
		text += "\tcolumn " + name + "\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n\t\tsourceColumn: x\n\n"
		objects = append(objects, proposal.Object{Table: "Calls", Name: name, Type: proposal.Column})
	}
	d := definition.New(definition.Part{Path: "definition/tables/Calls.tmdl", Data: []byte(text)})
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	p := optimization.Preview{Kind: optimization.Properties}
	if err := p.Compose(d, m, optimization.Asking{Effective: true, Propose: answers(nil), Targets: []optimization.Targets{{Type: proposal.SummarizeBy, Objects: objects}}}); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, c := range p.Changes {
		keys = append(keys, c.Key)
	}
	if got := strings.Join(keys, ", "); got != "Calls|flag_id, Calls|Score" {
		t.Errorf("changes %s", got)
	}
}

// Of objects that the AI data schema does not distinguish, only one is proposed; other
// kinds propose each.
func TestComposeDistinguishesSchemaObjects(t *testing.T) {
	t.Parallel()
	column := func(name string) string {
		return "\tcolumn '" + name + "'\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n\t\tsourceColumn: x\n\n"
	}
	d := definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte("table Sales\n\n" + column("Net sum") + column("Net  sum") + column("Net"))})
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	var objects []proposal.Object
	for _, c := range m.Tables[0].Columns {
		objects = append(objects, proposal.Object{Table: "Sales", Name: c.Name, Type: proposal.Column})
	}
	for kind, want := range map[optimization.Kind]int{optimization.AIDataSchema: 2, optimization.Properties: 3} {
		p := optimization.Preview{Kind: kind}
		err := p.Compose(d, m, optimization.Asking{
			Targets: []optimization.Targets{{Type: proposal.SummarizeBy, Objects: objects}},
			Propose: func(ask proposal.Ask) (a proposal.Answer, err error) {
				if ask.Type == proposal.Synonyms {
					return a, nil
				}
				for i, o := range objects {
					a.Proposals = append(a.Proposals, proposal.Proposal{Object: o, Value: []string{proposal.Hidden, proposal.Visible}[i%2], Recommended: true})
				}
				return a, nil
			},
		})
		if err != nil || len(p.Changes) != want || len(p.Skipped) != 3-want {
			t.Errorf("%s: %d changes, skipped %v, %v", kind, len(p.Changes), p.Skipped, err)
		}
	}
}

// A text that is too long to keep for a revert is not replaced.
func TestComposeSkipsLongTexts(t *testing.T) {
	t.Parallel()
	for n, changes := range map[int]int{64 << 10: 1, 64<<10 + 1: 0} {
		d := definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte("table Sales\n\n\t/// " + strings.Repeat("x", n) + "\n\tmeasure Revenue = 1\n")})
		m, err := semanticmodel.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		p := optimization.Preview{Kind: optimization.Descriptions}
		if err := p.Compose(d, m, optimization.Asking{
			Targets: []optimization.Targets{{Type: proposal.Description, Objects: []proposal.Object{measure("Revenue")}}},
			Propose: answers(map[string]string{"Revenue": "What was sold."}),
		}); err != nil {
			t.Fatal(err)
		}
		if len(p.Changes) != changes || len(p.Skipped) != 1-changes {
			t.Errorf("of a text of %d bytes: %d changes, skipped %v", n, len(p.Changes), p.Skipped)
		}
	}
}

// A preview proposes nothing where the platform may hold something back, and says why; the provider is not asked. Other previews
// of the model propose as usual.
func TestComposeWithoutWhatIsNotShown(t *testing.T) {
	t.Parallel()
	d, m := sales(t)
	for _, kind := range []optimization.Kind{optimization.AIInstructions, optimization.AIDataSchema, optimization.Properties} {
		for _, hidden := range []bool{false, true} {
			m.Copilot.NotVisible = hidden
			p := optimization.Preview{Kind: kind}
			asked := 0
			err := p.Compose(d, m, optimization.Asking{Propose: func(a proposal.Ask) (proposal.Answer, error) {
				asked++
				return answers(nil)(a)
			}, Targets: []optimization.Targets{{Type: proposal.DisplayFolder, Objects: []proposal.Object{measure("Cost")}}}})
			if err != nil {
				t.Fatal(err)
			}
			want := hidden && kind != optimization.Properties
			if nothing := p.NothingToDo != nil && strings.Contains(*p.NothingToDo, "does not show"); nothing != want || (asked == 0) != want {
				t.Errorf("%s, hidden %t: %v, and the provider is asked %d times", kind, hidden, p.NothingToDo, asked)
			}
			if want && (len(p.Changes) != 0 || p.ScoreNow == nil || p.ScoreAfter == nil) {
				t.Errorf("%s: got %+v", kind, p)
			}
		}
	}
}

// Where only what has an effect is asked for, columns that the platform does not summarize anyway keep their default, and one entry says so.
func TestComposeEffectiveDefaults(t *testing.T) {
	t.Parallel()
	d := definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte("table Sales\n\n" +
		"\tcolumn Year\n\t\tdataType: int64\n\n\tcolumn Region\n\t\tdataType: string\n\n\tcolumn Day\n\t\tdataType: dateTime\n\t\tsummarizeBy: default\n\n" +
		"\tcolumn Code\n\t\tdataType: string\n\t\tsummarizeBy: count\n\n" +
		"\tcolumn Invoice\n\t\tdataType: string\n\t\tsummarizeBy: count\n\n\t\tannotation SummarizationSetBy = User\n\n" +
		"\tcolumn Untyped\n\t\tsourceColumn: [x]\n\n" +
		"\tcolumn 'Order Id'\n\t\tdataType: int64\n\t\tsummarizeBy: count\n")})
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	var objects []proposal.Object
	for _, c := range m.Tables[0].Columns {
		objects = append(objects, proposal.Object{Table: "Sales", Name: c.Name, Type: proposal.Column})
	}
	for effective, want := range map[bool]string{false: "Year, Region, Day, Code, Invoice, Untyped, Order Id", true: "Year, Code"} {
		p := optimization.Preview{Kind: optimization.Properties}
		if err := p.Compose(d, m, optimization.Asking{Targets: []optimization.Targets{{Type: proposal.SummarizeBy, Objects: objects}}, Effective: effective,
			Propose: answers(nil)}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range p.Changes {
			got = append(got, c.Object)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("effective %t: got %v, want %s", effective, got, want)
		}
		if left := len(p.Skipped) == 1 && strings.HasPrefix(p.Skipped[0].Message, "3 text, date or true/false columns"); left != effective {
			t.Errorf("effective %t: skipped %v", effective, p.Skipped)
		}
	}
}
