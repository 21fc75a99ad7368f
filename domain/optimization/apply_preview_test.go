package optimization_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

// refused fails the test unless err is a refusal with the code whose message contains
// each text.
func refused(t *testing.T, err error, code domain.Code, texts ...string) {
	t.Helper()
	r, ok := domain.Refused(err)
	if !ok || r.Code != code {
		t.Fatalf("got %v, want a refusal with %s", err, code)
	}
	for _, text := range texts {
		if !strings.Contains(r.Message, text) {
			t.Errorf("the message %q does not say %q", r.Message, text)
		}
	}
}

// proves: 4.5/kind 9/6
func TestKindOf(t *testing.T) {
	t.Parallel()
	for _, k := range optimization.Kinds() {
		if got, err := optimization.KindOf(string(k)); got != k || err != nil {
			t.Errorf("%s is %s, %v", k, got, err)
		}
	}
	for _, name := range []string{"", "Descriptions", "synonyms", strings.Repeat("x", 500)} {
		_, err := optimization.KindOf(name)
		refused(t, err, domain.InvalidRequest, "aiInstructions, descriptions, properties, aiDataSchema")
	}
}

func TestApplyRequestCheck(t *testing.T) {
	t.Parallel()
	id, none, required := "p", "none", "required"
	keys, empty := []string{"Sales|Revenue"}, []string{}
	tests := map[string]struct {
		request optimization.ApplyPreview
		kind    optimization.Kind
		says    string // "" when it is accepted
	}{
		"a preview":                      {optimization.ApplyPreview{PreviewID: &id}, optimization.Descriptions, ""},
		"keys of a preview":              {optimization.ApplyPreview{PreviewID: &id, Keys: &keys}, optimization.Descriptions, ""},
		"values of a preview":            {optimization.ApplyPreview{PreviewID: &id, Values: map[string]string{"a": "b"}, ValuesGiven: true}, optimization.Descriptions, ""},
		"unattended":                     {optimization.ApplyPreview{Approval: &none}, optimization.Properties, ""},
		"a preview of the schema":        {optimization.ApplyPreview{PreviewID: &id}, optimization.AIDataSchema, ""},
		"neither":                        {optimization.ApplyPreview{}, optimization.Descriptions, "neither previewId"},
		"both":                           {optimization.ApplyPreview{PreviewID: &id, Approval: &none}, optimization.Descriptions, "both"},
		"another approval":               {optimization.ApplyPreview{Approval: &required}, optimization.Descriptions, `"required"`},
		"keys beside approval":           {optimization.ApplyPreview{Approval: &none, Keys: &keys}, optimization.Descriptions, "keys"},
		"no keys beside approval":        {optimization.ApplyPreview{Approval: &none, Keys: &empty}, optimization.Descriptions, "keys"},
		"values beside approval":         {optimization.ApplyPreview{Approval: &none, ValuesGiven: true}, optimization.Descriptions, "values"},
		"the schema unattended":          {optimization.ApplyPreview{Approval: &none}, optimization.AIDataSchema, "unattended"},
		"empty keys":                     {optimization.ApplyPreview{PreviewID: &id, Keys: &empty}, optimization.Descriptions, "keys is empty"},
		"empty keys of the data schema":  {optimization.ApplyPreview{PreviewID: &id, Keys: &empty}, optimization.AIDataSchema, "keys is empty"},
		"neither, but keys and no texts": {optimization.ApplyPreview{Keys: &keys}, optimization.Descriptions, "neither previewId"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := test.request.Check(test.kind)
			if test.says != "" {
				refused(t, err, domain.InvalidRequest, test.says)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// change returns a change of a preview.
func change(kind proposal.Type, table, object, current, proposed string) optimization.Change {
	property := map[proposal.Type]rewrite.Property{
		proposal.AIInstructions: rewrite.Instructions, proposal.Description: rewrite.Description, proposal.DisplayFolder: rewrite.DisplayFolder,
		proposal.SummarizeBy: rewrite.SummarizeBy, proposal.AIDataSchema: rewrite.Visibility,
	}[kind]
	c := optimization.Change{
		Key: table + "|" + object, Type: kind, Table: table, Object: object, ObjectType: proposal.Measure, Property: property, Proposed: proposed,
	}
	if current != "" {
		c.Current = &current
	}
	return c
}

// written returns the keys and values of the writes, in order.
func written(writes []optimization.Write) [][]string {
	var all [][]string
	for _, w := range writes {
		one := []string{string(w.Type)}
		for _, o := range w.Objects {
			one = append(one, o.Key+" = "+*o.Written)
		}
		all = append(all, one)
	}
	return all
}

func TestSelect(t *testing.T) {
	t.Parallel()
	descriptions := optimization.Preview{Kind: optimization.Descriptions, Changes: []optimization.Change{
		change(proposal.Description, "Sales", "Revenue", "", "What was sold, in euro."),
		change(proposal.Description, "Sales", "", "Sales.", "One row for each order line."),
	}}
	properties := optimization.Preview{Kind: optimization.Properties, Changes: []optimization.Change{
		change(proposal.SummarizeBy, "Sales", "Year", "sum", "none"),
		change(proposal.DisplayFolder, "Sales", "Revenue", "", "Money"),
	}}
	schema := optimization.Preview{Kind: optimization.AIDataSchema, RecommendedKeys: []string{"Sales|Key"}, Changes: []optimization.Change{
		change(proposal.AIDataSchema, "Sales", "Revenue", "", proposal.Visible),
		change(proposal.AIDataSchema, "Sales", "Key", "Auto", proposal.Hidden),
	}}
	bare := schema
	bare.RecommendedKeys = []string{}
	instructions := optimization.Preview{Kind: optimization.AIInstructions, Changes: []optimization.Change{
		change(proposal.AIInstructions, "", "", "", "Use [Revenue]."),
	}}
	asks := descriptions
	asks.NeedsYourWords = []optimization.NeededWords{
		{Table: "Sales", Object: "Net", ObjectType: proposal.Column, Question: "In which unit?", Key: "Sales|Net", Type: proposal.Description},
		{Table: "Sales", Object: "Kept", ObjectType: proposal.Column, Question: "What is it?"}, // its answer cannot be written
	}
	model := optimization.Preview{Kind: optimization.AIInstructions, NeedsYourWords: []optimization.NeededWords{
		{ObjectType: proposal.Model, Question: "Which words?", Key: "aiInstructions", Type: proposal.AIInstructions},
		{ObjectType: proposal.Model, Question: "Which date?", Key: "aiInstructions", Type: proposal.AIInstructions},
	}}
	keys := func(k ...string) *[]string { return &k }
	type values = map[string]string
	tests := map[string]struct {
		request optimization.ApplyPreview
		preview optimization.Preview
		want    [][]string
		says    string
	}{
		"everything":                   {optimization.ApplyPreview{}, descriptions, [][]string{{"description", "Sales|Revenue = What was sold, in euro.", "Sales| = One row for each order line."}}, ""},
		"one key":                      {optimization.ApplyPreview{Keys: keys("Sales|")}, descriptions, [][]string{{"description", "Sales| = One row for each order line."}}, ""},
		"a key twice":                  {optimization.ApplyPreview{Keys: keys("Sales|", "Sales|")}, descriptions, [][]string{{"description", "Sales| = One row for each order line."}}, ""},
		"the caller's text":            {optimization.ApplyPreview{Keys: keys("Sales|"), Values: values{"Sales|": "Orders\r\nby line\rand day\n."}}, descriptions, [][]string{{"description", "Sales| = Orders\nby line\nand day\n."}}, ""},
		"folders, then defaults":       {optimization.ApplyPreview{}, properties, [][]string{{"displayFolder", "Sales|Revenue = Money"}, {"summarizeBy", "Sales|Year = none"}}, ""},
		"defaults only":                {optimization.ApplyPreview{Keys: keys("Sales|Year")}, properties, [][]string{{"summarizeBy", "Sales|Year = none"}}, ""},
		"the caller's folder":          {optimization.ApplyPreview{Values: values{"Sales|Revenue": "KPIs"}}, properties, [][]string{{"displayFolder", "Sales|Revenue = KPIs"}, {"summarizeBy", "Sales|Year = none"}}, ""},
		"what is recommended":          {optimization.ApplyPreview{}, schema, [][]string{{"aiDataSchema", "Sales|Key = Hidden"}}, ""},
		"what is not":                  {optimization.ApplyPreview{Keys: keys("Sales|Revenue")}, schema, [][]string{{"aiDataSchema", "Sales|Revenue = Visible"}}, ""},
		"nothing recommended":          {optimization.ApplyPreview{}, bare, nil, "recommends none"},
		"the caller's instructions":    {optimization.ApplyPreview{Values: values{"|": "Ask\r\nfor [Revenue]."}}, instructions, [][]string{{"aiInstructions", "| = Ask\r\nfor [Revenue]."}}, ""},
		"an unknown key":               {optimization.ApplyPreview{Keys: keys("Sales|", "Sales|Cost")}, descriptions, nil, `"Sales|Cost"`},
		"everything but questions":     {optimization.ApplyPreview{}, asks, [][]string{{"description", "Sales|Revenue = What was sold, in euro.", "Sales| = One row for each order line."}}, ""},
		"an answer":                    {optimization.ApplyPreview{Keys: keys("Sales|", "Sales|Net"), Values: values{"Sales|Net": "In euro."}}, asks, [][]string{{"description", "Sales| = One row for each order line.", "Sales|Net = In euro."}}, ""},
		"answers about the model":      {optimization.ApplyPreview{Keys: keys("aiInstructions"), Values: values{"aiInstructions": "Busy is May."}}, model, [][]string{{"aiInstructions", "aiInstructions = Busy is May."}}, ""},
		"a question without an answer": {optimization.ApplyPreview{Keys: keys("Sales|Net")}, asks, nil, "give the answer in values"},
		"an answer that is left out":   {optimization.ApplyPreview{Values: values{"Sales|Net": "In euro."}}, asks, nil, "does not write"},
		"an answer without a key":      {optimization.ApplyPreview{Keys: keys("Sales|Kept"), Values: values{"Sales|Kept": "Kept."}}, asks, nil, `"Sales|Kept"`},
		"a blank answer":               {optimization.ApplyPreview{Keys: keys("Sales|Net"), Values: values{"Sales|Net": " "}}, asks, nil, "may not be blank"},
		"a key in another case":        {optimization.ApplyPreview{Keys: keys("sales|")}, descriptions, nil, `"sales|"`},
		"a text for no change":         {optimization.ApplyPreview{Values: values{"Sales|Cost": "What it cost."}}, descriptions, nil, "does not write"},
		"a text for what is left out":  {optimization.ApplyPreview{Keys: keys("Sales|"), Values: values{"Sales|Revenue": "What was sold."}}, descriptions, nil, "does not write"},
		"a text for a default":         {optimization.ApplyPreview{Values: values{"Sales|Year": "sum"}}, properties, nil, "summarizeBy"},
		"a text for the data schema":   {optimization.ApplyPreview{Keys: keys("Sales|Key"), Values: values{"Sales|Key": "Hidden"}}, schema, nil, "aiDataSchema"},
		"a blank description":          {optimization.ApplyPreview{Values: values{"Sales|": " \n\t"}}, descriptions, nil, "cannot be written"},
		"a blank text of instructions": {optimization.ApplyPreview{Values: values{"|": "\n"}}, instructions, nil, "cannot be written"},
		"a too long description":       {optimization.ApplyPreview{Values: values{"Sales|": strings.Repeat("é", 10_001)}}, descriptions, nil, "10000"},
		"too long instructions":        {optimization.ApplyPreview{Values: values{"|": strings.Repeat("é", 10_001)}}, instructions, nil, "10000"},
		"a description with U+2028":    {optimization.ApplyPreview{Values: values{"Sales|": "One\u2028two"}}, descriptions, nil, "cannot be written"},
		"a folder with a tab":          {optimization.ApplyPreview{Values: values{"Sales|Revenue": "A\tB"}}, properties, nil, "cannot be written"},
		"a folder of two lines":        {optimization.ApplyPreview{Values: values{"Sales|Revenue": "A\nB"}}, properties, nil, "cannot be written"},
		"a folder of 101 characters":   {optimization.ApplyPreview{Values: values{"Sales|Revenue": strings.Repeat("é", 101)}}, properties, nil, "100"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			writes, err := test.request.Select(test.preview)
			if test.says != "" {
				refused(t, err, domain.InvalidRequest, test.says)
				if writes != nil {
					t.Errorf("it still writes %v", written(writes))
				}
				return
			}
			if d := cmp.Diff(test.want, written(writes)); err != nil || d != "" {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
}

// Texts of the maximum length are accepted.
func TestSelectAtTheLimits(t *testing.T) {
	t.Parallel()
	for kind, test := range map[optimization.Kind]struct {
		change optimization.Change
		most   int
	}{
		optimization.AIInstructions: {change(proposal.AIInstructions, "", "", "", "x"), 10_000},
		optimization.Descriptions:   {change(proposal.Description, "Sales", "Revenue", "", "x"), 10_000},
		optimization.Properties:     {change(proposal.DisplayFolder, "Sales", "Revenue", "", "x"), 100},
	} {
		p := optimization.Preview{Kind: kind, Changes: []optimization.Change{test.change}}
		text := strings.Repeat("é", test.most)
		if _, err := (optimization.ApplyPreview{Values: map[string]string{test.change.Key: text}}).Select(p); err != nil {
			t.Errorf("%s: %d characters are refused: %v", kind, test.most, err)
		}
	}
}

// The recorded previous value is the one that the preview saw.
func TestSelectRecordsThePreview(t *testing.T) {
	t.Parallel()
	p := optimization.Preview{Kind: optimization.Descriptions, Changes: []optimization.Change{
		change(proposal.Description, "Sales", "A", "old", "new"), change(proposal.Description, "Sales", "B", "", "new"),
	}}
	writes, err := optimization.ApplyPreview{}.Select(p)
	if err != nil {
		t.Fatal(err)
	}
	if o := writes[0].Objects[0]; o.Previous == nil || *o.Previous != "old" {
		t.Errorf("previous is %v, want old", o.Previous)
	}
	if o := writes[0].Objects[1]; o.Previous != nil {
		t.Errorf("previous is %q of an object without a description", *o.Previous)
	}
}

func TestPreviewExpires(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p := optimization.Work{ExpiresAt: at}
	if p.Expired(at) || !p.Expired(at.Add(time.Microsecond)) {
		t.Error("a preview lives to the end of its 24 hours and no longer")
	}
}
