package semanticmodel

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/report"
)

// The parts that prepare a model for AI. Older definitions have the verified answers
// directly below the item.
const (
	instructionsPart     = "Copilot/Instructions/instructions.md"
	schemaPart           = "Copilot/schema.json"
	verifiedAnswers      = "Copilot/VerifiedAnswers/definitions/"
	olderVerifiedAnswers = "VerifiedAnswers/definitions/"
)

// readCopilot reads the Copilot parts (docs/regime.md C.9 (24)). It never fails: a part that
// does not parse counts as absent.
func readCopilot(d definition.Definition) Copilot {
	var c Copilot
	if p, ok := d.Named(instructionsPart); ok {
		text := strings.ToValidUTF8(string(bytes.TrimPrefix(p.Data, []byte("\ufeff"))), "\ufffd")
		c.Instructions = &text
	}
	if p, ok := d.Named(schemaPart); ok {
		c.Schema = readSchema(p.Data)
	}
	c.VerifiedAnswers = readVerifiedAnswers(d, verifiedAnswers)
	if c.VerifiedAnswers == nil {
		c.VerifiedAnswers = readVerifiedAnswers(d, olderVerifiedAnswers)
	}
	return c
}

// readSchema reads schema.json; nil if it is not a JSON object.
func readSchema(data []byte) *AISchema {
	r, err := jsonpart.New(schemaPart, data)
	if err != nil || r.Kind() != '{' {
		return nil
	}
	s := &AISchema{}
	for member := range r.Object() {
		if member != "tables" {
			continue
		}
		s.Tables = nil
		for range r.Array() {
			if t := readAITable(r); t.Name != "" {
				s.Tables = append(s.Tables, t)
			}
		}
	}
	return s
}

func readAITable(r *jsonpart.Reader) AITable {
	var t AITable
	for member := range r.Object() {
		switch member {
		case "name":
			t.Name, _ = r.Text()
		case "visibility":
			t.Visibility = readVisibility(r)
		case "synonyms":
			t.Synonyms = r.Texts()
		case "columns":
			t.Columns = readAIFields(r)
		case "measures":
			t.Measures = readAIFields(r)
		case "hierarchies":
			t.Hierarchies = readAIFields(r)
		}
	}
	return t
}

func readAIFields(r *jsonpart.Reader) []AIField {
	var fields []AIField
	for range r.Array() {
		var f AIField
		for member := range r.Object() {
			switch member {
			case "name":
				f.Name, _ = r.Text()
			case "visibility":
				f.Visibility = readVisibility(r)
			case "synonyms":
				f.Synonyms = r.Texts()
			}
		}
		if f.Name != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// readVisibility reads a visibility. It distinguishes an absent one (or null) from
// other values, which expose nothing and hide nothing: an empty string, or a value
// that is not a string, is returned as written.
func readVisibility(r *jsonpart.Reader) string {
	raw := r.SkipValue()
	if string(raw) == "null" {
		return ""
	}
	value, err := jsonpart.New(schemaPart, raw)
	if err != nil {
		return string(raw)
	}
	text, _ := value.Text()
	return cmp.Or(text, string(raw))
}

// readVerifiedAnswers reads the folders below root that contain a definition.json,
// by name.
func readVerifiedAnswers(d definition.Definition, root string) []VerifiedAnswer {
	var answers []VerifiedAnswer
	for _, p := range d.Parts {
		if dir := path.Dir(p.Path); strings.EqualFold(path.Base(p.Path), "definition.json") && strings.EqualFold(path.Dir(dir)+"/", root) {
			answers = append(answers, VerifiedAnswer{
				Folder:         path.Base(dir),
				TriggerPhrases: readTriggerPhrases(p),
				Fields:         readFields(d, dir+"/", "visualSource.json", "filters.json"),
			})
		}
	}
	slices.SortFunc(answers, func(a, b VerifiedAnswer) int { return cmp.Compare(a.Folder, b.Folder) })
	return answers
}

func readTriggerPhrases(p definition.Part) []string {
	r, err := jsonpart.New(p.Path, p.Data)
	if err != nil {
		return nil
	}
	var phrases []string
	for member := range r.Object() {
		if member != "triggerPrompts" {
			continue
		}
		for range r.Array() {
			for member := range r.Object() {
				if member == "prompt" {
					if phrase, ok := r.Text(); ok {
						phrases = append(phrases, phrase)
					}
				}
			}
		}
	}
	return phrases
}

// readFields returns every field that the files in a folder name, each once.
func readFields(d definition.Definition, dir string, files ...string) []FieldRef {
	at, _ := slices.BinarySearchFunc(d.Parts, dir, func(p definition.Part, dir string) int { return strings.Compare(p.Path, dir) })
	folder := definition.Definition{Parts: d.Parts[at:]}
	if n := slices.IndexFunc(folder.Parts, func(p definition.Part) bool { return !strings.HasPrefix(p.Path, dir) }); n >= 0 {
		folder.Parts = folder.Parts[:n]
	}
	var fields []FieldRef
	for _, file := range files {
		p, _ := folder.Named(dir + file)
		references, err := report.ReadReferences(p.Path, p.Data)
		if err != nil {
			continue
		}
		for _, f := range references.Fields {
			if f := (FieldRef{Table: f.Table, Name: f.Name}); !slices.Contains(fields, f) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}
