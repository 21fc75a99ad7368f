package rewrite_test

import (
	"errors"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/rewrite"
)

// with returns the definition with another text in a part; "" removes the part.
func with(d definition.Definition, path, text string) definition.Definition {
	var parts []definition.Part
	for _, p := range d.Parts {
		if p.Path != path {
			parts = append(parts, p)
		}
	}
	if text != "" {
		parts = append(parts, definition.Part{Path: path, Data: []byte(text)})
	}
	return definition.New(parts...)
}

func part(t *testing.T, d definition.Definition, path string) string {
	t.Helper()
	data, ok := d.Part(path)
	if !ok {
		t.Fatalf("there is no part %s", path)
	}
	return string(data)
}

func write(t *testing.T, d definition.Definition, changes ...rewrite.Change) (definition.Definition, []rewrite.Undo) {
	t.Helper()
	written, undos, err := rewrite.Write(d, changes)
	if err != nil {
		t.Fatal(err)
	}
	return written, stored(t, undos)
}

// proves: decisions/8/3
func TestRestoreRefusesChangedObjects(t *testing.T) {
	t.Parallel()
	ofTMDL := model("definition/a.tmdl", columnTMDL)
	inSchema := change(rewrite.Visibility, "T", "C", "Hidden")
	for _, c := range []struct {
		name   string
		d      definition.Definition
		change rewrite.Change
		path   string // of the part that was changed since
		from   string
		to     string
	}{
		{"another description", ofTMDL, change(rewrite.Description, "T", "", "a"), "definition/a.tmdl", "/// a\n", "/// b\n"},
		{"no description", ofTMDL, change(rewrite.Description, "T", "", "a"), "definition/a.tmdl", "/// a\n", ""},
		{"another folder", ofTMDL, change(rewrite.DisplayFolder, "T", "M", "a"), "definition/a.tmdl", "displayFolder: a", "displayFolder: A"},
		{"another default", ofTMDL, change(rewrite.SummarizeBy, "T", "C", "none"), "definition/a.tmdl", "summarizeBy: none", "summarizeBy: min"},
		{"no object", ofTMDL, change(rewrite.SummarizeBy, "T", "C", "none"), "definition/a.tmdl", "column C\n", "column D\n"},
		{"another TMSL description", model("model.bim", bim), change(rewrite.Description, "T", "", "a"), "model.bim", `"a",`, `"b",`},
		{"other instructions", ofTMDL, change(rewrite.Instructions, "", "", "a"), "Copilot/Instructions/instructions.md", "a", "b"},
		{"no instructions", ofTMDL, change(rewrite.Instructions, "", "", "a"), "Copilot/Instructions/instructions.md", "a", ""},
		{"instructions in the linguistic schema", with(ofTMDL, "definition/c.tmdl", lsdl), change(rewrite.Instructions, "", "", "a"), "definition/c.tmdl", `"a"`, `"b"`},
		{"no linguistic schema", with(ofTMDL, "definition/c.tmdl", lsdl), change(rewrite.Visibility, "T", "", "Visible"), "definition/c.tmdl", "cultureInfo en-US", "cultureInfo de-DE"},
		{"instructions added by others", with(ofTMDL, "definition/c.tmdl", lsdl), change(rewrite.Instructions, "", "", "a"), "Copilot/Instructions/instructions.md", "", "b"},
		{"no instructions in the linguistic schema", with(ofTMDL, "definition/c.tmdl", lsdl), change(rewrite.Instructions, "", "", "a"), "definition/c.tmdl", `"CustomInstructions"`, `"Custom"`},
		{"a visibility", ofTMDL, inSchema, "Copilot/schema.json", `"Hidden"`, `"Visible"`},
		{"no visibility", ofTMDL, inSchema, "Copilot/schema.json", `"visibility"`, `"x"`},
		{"no entry", ofTMDL, inSchema, "Copilot/schema.json", `"name": "C"`, `"name": "D"`},
		{"no entry of the table", ofTMDL, inSchema, "Copilot/schema.json", `"name": "T"`, `"name": "U"`},
		{"no list", ofTMDL, inSchema, "Copilot/schema.json", `"columns"`, `"rows"`},
		{"no JSON", ofTMDL, inSchema, "Copilot/schema.json", `}`, `)`},
		{"a visibility in the linguistic schema", with(ofTMDL, "definition/c.tmdl", lsdl), change(rewrite.Visibility, "T", "", "Visible"), "definition/c.tmdl", `"Visible"`, `"Hidden"`},
		{"no visibility in the linguistic schema", with(ofTMDL, "definition/c.tmdl", lsdl), change(rewrite.Visibility, "T", "", "Visible"), "definition/c.tmdl", `"Visibility"`, `"Seen"`},
		{"no entity", with(ofTMDL, "definition/c.tmdl", lsdl), change(rewrite.Visibility, "T", "", "Visible"), "definition/c.tmdl", `"ConceptualEntity": "T"`, `"ConceptualEntity": "U"`},
	} {
		other := change(rewrite.Description, "T", "M", "beside it")
		written, undos := write(t, c.d, c.change, other)
		now := ""
		if data, ok := written.Part(c.path); ok {
			now = string(data)
		}
		_, err := rewrite.Restore(with(written, c.path, strings.ReplaceAll(now, c.from, c.to)+map[bool]string{true: c.to}[now == ""]), undos)
		if !errors.Is(err, rewrite.ErrChanged) || !strings.Contains(err.Error(), c.change.String()) {
			t.Errorf("%s: got %v, want ErrChanged that names %s", c.name, err, c.change)
		}
	}
}

func TestRestoreRefusesTwice(t *testing.T) {
	t.Parallel()
	written, undos := write(t, model("definition/a.tmdl", columnTMDL), change(rewrite.Description, "T", "", "a"))
	if _, err := rewrite.Restore(written, append(undos, undos...)); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("got %v", err)
	}
	if _, err := rewrite.Restore(model("definition/a.tmdl", "table T\n\t\tx"), undos); err == nil || !strings.Contains(err.Error(), "definition/a.tmdl:2") {
		t.Errorf("got %v", err)
	}
}

// Restore removes what a write created, unless someone else has added something to
// it.
//
// proves: decisions/8/20
func TestRestoreRemovesCreatedParts(t *testing.T) {
	t.Parallel()
	d := model("definition/a.tmdl", columnTMDL)
	hide := []rewrite.Change{change(rewrite.Visibility, "T", "C", "Hidden"), change(rewrite.Visibility, "T", "M", "Hidden")}
	brief := change(rewrite.Instructions, "", "", "Be brief.")
	restore := func(d definition.Definition, undos []rewrite.Undo) definition.Definition {
		t.Helper()
		restored, err := rewrite.Restore(d, undos)
		if err != nil {
			t.Fatal(err)
		}
		return restored
	}
	written, undos := write(t, d, append(hide, brief)...)

	t.Run("a part of the write leaves what the rest needs", func(t *testing.T) {
		partly := restore(written, undos[2:])
		if _, there := partly.Part("Copilot/Instructions/version.json"); there {
			t.Error("the version of the instructions is left")
		}
		part(t, partly, "Copilot/version.json")
		same(t, d, restore(partly, undos[:2]))
	})
	t.Run("an entry that somebody added to stays", func(t *testing.T) {
		schema := part(t, written, "Copilot/schema.json")
		edited := strings.Replace(schema, `"name": "C",`, `"name": "C", "synonyms": ["see"],`, 1)
		restored := restore(with(written, "Copilot/schema.json", edited), undos)
		got := part(t, restored, "Copilot/schema.json")
		if !strings.Contains(got, "synonyms") || strings.Contains(got, "Hidden") || strings.Contains(got, "measures") {
			t.Error(got)
		}
		part(t, restored, "Copilot/version.json")
	})
	t.Run("an entity that somebody added to stays", func(t *testing.T) {
		d := with(d, "definition/c.tmdl", lsdl)
		written, undos := write(t, d, hide...)
		culture := part(t, written, "definition/c.tmdl")
		edited := strings.Replace(culture, `"ConceptualProperty": "C"`, `"ConceptualProperty": "C" } }, "Terms": [], "More": { "And": {`, 1)
		got := part(t, restore(with(written, "definition/c.tmdl", edited), undos), "definition/c.tmdl")
		if !strings.Contains(got, `"t.c"`) || strings.Contains(got, `"t.m"`) || strings.Count(got, "Hidden") != 1 {
			t.Error(got)
		}
	})
	t.Run("a file that somebody added to stays", func(t *testing.T) {
		schema := part(t, written, "Copilot/schema.json")
		restored := restore(with(written, "Copilot/schema.json", strings.Replace(schema, "{", `{"x": 1,`, 1)), undos)
		if got := part(t, restored, "Copilot/schema.json"); !strings.Contains(got, `"x"`) || strings.Contains(got, "tables") {
			t.Error(got)
		}
	})
	t.Run("a version that somebody changed stays", func(t *testing.T) {
		restored := restore(with(written, "Copilot/version.json", "{}"), undos)
		same(t, with(d, "Copilot/version.json", "{}"), restored)
	})
	t.Run("what was there before stays", func(t *testing.T) {
		d := with(with(d, "Copilot/settings.json", "{}"), "Copilot/schema.json", `{"tables": [{"name": "T", "columns": [{"name": "C"}], "measures": [ ]}]}`)
		written, undos := write(t, d, append(hide, brief)...)
		same(t, d, restore(restore(written, undos[1:]), undos[:1]))
	})
	t.Run("a later write stays", func(t *testing.T) {
		later, laterUndos := write(t, written, change(rewrite.Visibility, "T", "", "Visible"))
		restored := restore(later, undos)
		if got := part(t, restored, "Copilot/schema.json"); !strings.Contains(got, "Visible") || strings.Contains(got, "Hidden") {
			t.Error(got)
		}
		same(t, d, restore(restore(later, laterUndos), undos))
	})
}

// The lines that a write replaced are restored as they were written.
func TestRestoreBytes(t *testing.T) {
	t.Parallel()
	d := model("definition/a.tmdl", "///x\r\n/// \n///  y\t\ntable T\r\n\tcolumn C\n\t\tSummarizeBy :  \"sum\" \r\n\n\tmeasure M = 1\n\t\tlineageTag: m\n\t\tdisplayFolder:A  ",
		"Copilot/Instructions/instructions.md", "\xff", "Copilot/schema.json", "{\"tables\": [{\"name\":\"T\" , \"visibility\" :null }\n]  }\n\n")
	written, undos := write(t, d,
		change(rewrite.Description, "T", "", "a\nb"), change(rewrite.SummarizeBy, "T", "C", "none"), change(rewrite.DisplayFolder, "T", "M", "B"),
		change(rewrite.DisplayFolder, "T", "C", "B"), change(rewrite.Description, "T", "M", "c"), change(rewrite.Instructions, "", "", "x"),
		change(rewrite.Visibility, "T", "", "Hidden"), change(rewrite.Visibility, "T", "M", "Hidden"))
	restored, err := rewrite.Restore(written, undos)
	if err != nil {
		t.Fatal(err)
	}
	same(t, d, restored)
}

func TestRestoreBytesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	for _, content := range []string{`"{\"CustomInstructions\":\"a` + "\xff" + `b\"}"`, `{"CustomInstructions":"a` + "\xff" + `b"}`} {
		d := model("model.bim", `{"model":{"tables":[],"cultures":[{"name":"a","linguisticMetadata":{"content":`+content+`}}]}}`)
		written, undos := write(t, d, change(rewrite.Instructions, "", "", "x"))
		restored, err := rewrite.Restore(written, undos)
		if err != nil {
			t.Fatal(err)
		}
		same(t, d, restored)
	}
}
