package semanticmodel_test

import (
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/semanticmodel"
)

const emptyTable = "table T\n\tcolumn A\n\t\tsourceColumn: A\n"

// A part that is there and cannot be understood is reported with its place, and what it says is
// unknown: it is not taken for absent.
func TestUnread(t *testing.T) {
	t.Parallel()
	const answer = "Copilot/VerifiedAnswers/definitions/a/"
	all := semanticmodel.Schema | semanticmodel.Exposure | semanticmodel.Synonyms
	for name, c := range map[string]struct {
		path, text string
		want       string // a part of the only unread part; "" for none
		hides      semanticmodel.Aspect
	}{
		"schema":                      {"Copilot/schema.json", `{"tables":[ {"id":"x" ]}`, "Copilot/schema.json:1:23: not valid JSON", all},
		"schema, a list":              {"Copilot/schema.json", "\n[]", "Copilot/schema.json:2:1: an object is expected", all},
		"schema, tables no list":      {"Copilot/schema.json", "{\n \"tables\": 5}", "Copilot/schema.json:2:12: an array is expected", all},
		"schema, empty":               {"Copilot/schema.json", "", "Copilot/schema.json:1:1: not valid JSON", all},
		"schema, a pointer":           {"copilot/Schema.json", "version https://git-lfs.github.com/spec/v1\n", "copilot/Schema.json:1:1: this is a Git LFS pointer", all},
		"schema, as it should be":     {"Copilot/schema.json", `{"tables":[{"name":"T","visibility":null}]}`, "", 0},
		"version":                     {"Copilot/version.json", `{"version":}`, "Copilot/version.json:1:12", all | semanticmodel.Instructions | semanticmodel.TriggerPhrases | semanticmodel.AnswerFields | semanticmodel.Indexing | semanticmodel.Prompts},
		"version, of later":           {"Copilot/version.json", `{"version":"2.0.0"}`, `the version "2.0.0" is not known`, all | semanticmodel.Instructions | semanticmodel.TriggerPhrases | semanticmodel.AnswerFields | semanticmodel.Indexing | semanticmodel.Prompts},
		"version, without a schema":   {"Copilot/version.json", `{"version":"1.1.0"}`, "", 0},
		"version of instructions":     {"Copilot/Instructions/version.json", `[`, "Copilot/Instructions/version.json:1:1", semanticmodel.Instructions},
		"version of answers":          {"Copilot/VerifiedAnswers/version.json", `x`, "Copilot/VerifiedAnswers/version.json:1:1", semanticmodel.TriggerPhrases | semanticmodel.AnswerFields},
		"instructions, in UTF-16":     {"Copilot/Instructions/instructions.md", "\xff\xfea\x00", "instructions.md:1:1: this is UTF-16", semanticmodel.Instructions},
		"instructions, in conflict":   {"Copilot/Instructions/instructions.md", "a\n<<<<<<< x\nb\n=======\nc\n>>>>>>> y\n", "instructions.md:2:1: this is an unsolved merge conflict", semanticmodel.Instructions},
		"instructions, empty":         {"Copilot/Instructions/instructions.md", "", "", 0},
		"prompts":                     {"Copilot/examplePrompts.json", `{"prompts":{}}`, "Copilot/examplePrompts.json:1:12: the member prompts", semanticmodel.Prompts},
		"settings":                    {"Copilot/settings.json", `{`, "Copilot/settings.json:1", semanticmodel.Indexing},
		"answer":                      {answer + "definition.json", `{"triggerPrompts":[}`, answer + "definition.json:1:20", semanticmodel.TriggerPhrases},
		"answer, phrases no list":     {answer + "definition.json", `{"triggerPrompts":1}`, answer + "definition.json:1:19: an array", semanticmodel.TriggerPhrases},
		"properties":                  {"definition.pbism", "{\"settings\":\n}", "definition.pbism:2:1", semanticmodel.QnASetting},
		"properties, settings a list": {"definition.pbism", `{"settings":[]}`, "definition.pbism:1:13: an object", semanticmodel.QnASetting},
		"linguistic schema": {
			"definition/cultures/a.tmdl", "cultureInfo a\n\n\tlinguisticMetadata =\n\t\t\t{\n\t\t\t  \"Version\": \"1\"\n\t\t\t  \"Language\": \"a\"\n\t\t\t}\n\t\tcontentType: json\n",
			"definition/cultures/a.tmdl:6:6: not valid JSON", semanticmodel.Instructions | semanticmodel.Synonyms | semanticmodel.Entities,
		},
		"linguistic schema on its line": {
			"definition/cultures/a.tmdl", "cultureInfo a\n\tlinguisticMetadata = {\"Entities\":[]}\n",
			"definition/cultures/a.tmdl:2:35: an object is expected", semanticmodel.Instructions | semanticmodel.Synonyms | semanticmodel.Entities,
		},
		"linguistic schema of XML": {
			"definition/cultures/a.tmdl", "cultureInfo a\n\tlinguisticMetadata = <LinguisticSchema/>\n\t\tcontentType: xml\n",
			"definition/cultures/a.tmdl:2:23: this linguistic schema is XML", semanticmodel.Synonyms,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := semanticmodel.Read(definition.New(definition.Part{Path: "definition/t.tmdl", Data: []byte(emptyTable)},
				definition.Part{Path: c.path, Data: []byte(c.text)}))
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if len(m.Unread) > 0 {
					t.Fatalf("got %v, want nothing", m.Unread)
				}
				return
			}
			if len(m.Unread) != 1 || !strings.Contains(m.Unread[0].String(), c.want) || m.Unknown() != c.hides {
				t.Errorf("got %v hiding %b, want %s hiding %b", m.Unread, m.Unknown(), c.want, c.hides)
			}
		})
	}
}

// A linguistic schema that cannot be understood hides no AI instructions that something else takes precedence over.
func TestUnreadLinguisticBehindInstructions(t *testing.T) {
	t.Parallel()
	broken := definition.Part{Path: "definition/cultures/b.tmdl", Data: []byte("cultureInfo b\n\tlinguisticMetadata = {\n")}
	for name, part := range map[string]definition.Part{
		"the part":            {Path: "Copilot/Instructions/instructions.md", Data: []byte("x")},
		"the default culture": {Path: "definition/cultures/a.tmdl", Data: []byte("cultureInfo a\n\tlinguisticMetadata = {\"CustomInstructions\":\"x\"}\n")},
	} {
		m, err := semanticmodel.Read(definition.New(part, broken,
			definition.Part{Path: "definition/model.tmdl", Data: []byte("model Model\n\tculture: a\n")}))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := m.Unknown(), semanticmodel.Synonyms|semanticmodel.Entities; got != want {
			t.Errorf("%s: hidden are %b, want %b", name, got, want)
		}
	}
}

// In TMSL the place of a linguistic schema is that in model.bim.
func TestUnreadLinguisticOfTMSL(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`"{\n \"A\"\n}"`:       "model.bim:2:1: in line 3 of the text that begins here: not valid JSON",
		"{\n\"Entities\": []}": "model.bim:3:13: an object is expected",
		`""`:                   "",
	} {
		m, err := semanticmodel.Read(definition.New(definition.Part{Path: "model.bim", Data: []byte(
			"{\"model\":{\"cultures\":[{\"name\":\"a\",\"linguisticMetadata\":{\"content\":\n" + content + "}}]}}")}))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case want == "" && len(m.Unread) == 0:
		case want == "" || len(m.Unread) != 1 || !strings.Contains(m.Unread[0].String(), want):
			t.Errorf("%s: got %v, want %q", content, m.Unread, want)
		}
	}
}
