package rewrite_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/rewrite"
)

func TestValues(t *testing.T) {
	t.Parallel()
	absent := rewrite.Value{Found: true}
	is := func(text string) rewrite.Value { return rewrite.Value{Found: true, Text: &text} }
	ofTMDL := model("definition/a.tmdl", "model Model\n\tculture: en-US\n\n/// a\n/// b\ntable T\n\n\t///\n\tcolumn C\n\t\tsummarizeBy: None\n\t\tdisplayFolder: \" x\"\n\n\tmeasure M = 1\n")
	schema := func(text string) definition.Definition { return with(ofTMDL, "Copilot/schema.json", text) }
	for _, c := range []struct {
		name   string
		d      definition.Definition
		target rewrite.Change // its value does not matter
		want   rewrite.Value
	}{
		{"a description", ofTMDL, change(rewrite.Description, "T", "", ""), is("a\nb")},
		{"a blank description", ofTMDL, change(rewrite.Description, "T", "C", ""), absent},
		{"no description", ofTMDL, change(rewrite.Description, "T", "M", ""), absent},
		{"no table", ofTMDL, change(rewrite.Description, "U", "", ""), rewrite.Value{}},
		{"a name in another letter case", ofTMDL, change(rewrite.Description, "t", "", ""), rewrite.Value{}},
		{"a folder", ofTMDL, change(rewrite.DisplayFolder, "T", "C", ""), is(" x")},
		{"no folder", ofTMDL, change(rewrite.DisplayFolder, "T", "M", ""), absent},
		{"a default", ofTMDL, change(rewrite.SummarizeBy, "T", "C", ""), is("none")},
		{"a measure's default", ofTMDL, change(rewrite.SummarizeBy, "T", "M", ""), rewrite.Value{}},
		{"no instructions", ofTMDL, change(rewrite.Instructions, "", "", ""), absent},
		{"instructions of a table", ofTMDL, change(rewrite.Instructions, "T", "", ""), rewrite.Value{}},
		{"blank instructions", with(ofTMDL, "Copilot/Instructions/instructions.md", "\ufeff"), change(rewrite.Instructions, "", "", ""), is("")},
		{"instructions of the first culture by name", with(with(ofTMDL, "definition/b.tmdl", "cultureInfo b\n\tlinguisticMetadata = {\"CustomInstructions\":\"b\"}\n"), "definition/c.tmdl", "cultureInfo a\n\tlinguisticMetadata = {\"CustomInstructions\":\"a\"}\n"), change(rewrite.Instructions, "", "", ""), is("a")},
		{"instructions beside other Copilot parts", with(with(ofTMDL, "definition/c.tmdl", lsdl), "Copilot/settings.json", "{}"), change(rewrite.Instructions, "", "", ""), is("Old.")},
		{"no visibility", ofTMDL, change(rewrite.Visibility, "T", "", ""), absent},
		{"a visibility", schema(`{"tables":[{"name":"t ","columns":[{"name":"c","visibility":"Auto"}]},{"name":"T","visibility":"Hidden"}]}`), change(rewrite.Visibility, "T", "C", ""), is("Auto")},
		{"an entry that does not count", schema(`{"tables":[{"name":"t ","columns":[{"name":"c","visibility":"Auto"}]},{"name":"T","visibility":"Hidden"}]}`), change(rewrite.Visibility, "T", "", ""), absent},
		{"what stands in an entry that does not count", schema(`{"tables":[{"name":"t"},{"name":"T","columns":[{"name":"C","visibility":"Auto"}]}]}`), change(rewrite.Visibility, "T", "C", ""), absent},
		{"a measure in the list of columns", schema(`{"tables":[{"name":"T","columns":[{"name":"M","visibility":"Auto"}]}]}`), change(rewrite.Visibility, "T", "M", ""), absent},
		{"a visibility in the linguistic schema", with(ofTMDL, "definition/c.tmdl", lsdl), change(rewrite.Visibility, "T", "", ""), is("Hidden")},
		{"a linguistic schema that follows the model", with(ofTMDL, "definition/c.tmdl", strings.Replace(lsdl, "Authored", "", 1)), change(rewrite.Visibility, "T", "", ""), absent},
		{"a linguistic schema that hides a hierarchy", with(ofTMDL, "definition/c.tmdl", "cultureInfo a\n\tlinguisticMetadata = {\"Entities\": {\"h\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\", \"Hierarchy\": \"H\"}}, \"Visibility\": {\"Value\": \"Hidden\", \"State\": \"Authored\"}}, \"t\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\"}}, \"Visibility\": {\"Value\": \"Hidden\"}}}}\n"), change(rewrite.Visibility, "T", "", ""), absent},
		{"a linguistic schema beside Copilot parts", with(with(ofTMDL, "definition/c.tmdl", lsdl), "Copilot/settings.json", "{}"), change(rewrite.Visibility, "T", "", ""), absent},
	} {
		got, err := rewrite.Values(c.d, []rewrite.Target{c.target.Target})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if diff := cmp.Diff([]rewrite.Value{c.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if _, err := rewrite.Values(model("model.bim", "{\n}}"), nil); err == nil || !strings.Contains(err.Error(), "model.bim:2") {
		t.Errorf("no JSON: got %v, want an error that names part and line", err)
	}
}

// proves: 4.5/apply/3
func TestCheckText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		property rewrite.Property
		text     string
		ok       bool
	}{
		{rewrite.Description, "a", true},
		{rewrite.Description, "a\r\nb\nc\rd\te", true},
		{rewrite.Description, "", false},
		{rewrite.Description, " \t\r\n", false},
		{rewrite.Description, "\u00a0", false},
		{rewrite.Description, "a\u2028b", false},
		{rewrite.Description, "a\u2029b", false},
		{rewrite.Description, "a\vb", false},
		{rewrite.Description, "a\fb", false},
		{rewrite.Description, "a\u0085b", false},
		{rewrite.Description, "a\x00b", false},
		{rewrite.Description, "a\xffb", false},
		{rewrite.DisplayFolder, `Sales\Net`, true},
		{rewrite.DisplayFolder, strings.Repeat("é", 100), true},
		{rewrite.DisplayFolder, strings.Repeat("é", 101), false},
		{rewrite.DisplayFolder, "a\tb", false},
		{rewrite.DisplayFolder, "a\nb", false},
		{rewrite.DisplayFolder, "a\rb", false},
		{rewrite.DisplayFolder, "a\u2028b", false},
		{rewrite.DisplayFolder, " ", false},
		{rewrite.Instructions, strings.Repeat("é", 10_000), true},
		{rewrite.Instructions, strings.Repeat("é", 10_001), false},
		{rewrite.Instructions, "# a\r\n\n- b\u2028c", true},
		{rewrite.Instructions, "\n", false},
		{rewrite.Instructions, "a\x00b", false},
		{rewrite.SummarizeBy, "none", true},
		{rewrite.SummarizeBy, "None", false},
		{rewrite.Visibility, "Hidden", true},
		{rewrite.Visibility, "hidden", false},
		{"name", "a", false},
	} {
		if problem := rewrite.CheckText(c.property, c.text); (problem == "") != c.ok {
			t.Errorf("%s %.20q: got %q, want ok %t", c.property, c.text, problem, c.ok)
		}
	}
}
