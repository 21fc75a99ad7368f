package semanticmodel

import (
	"cmp"
	"fmt"
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

// readCopilot reads the Copilot parts. It never fails: what a part
// that cannot be understood says is unknown.
func (u *unreadable) readCopilot(d definition.Definition, m *Model) {
	c := &m.Copilot
	c.Present = slices.ContainsFunc(d.Parts, func(p definition.Part) bool {
		folder, _, _ := strings.Cut(p.Path, "/")
		return strings.EqualFold(folder, "Copilot")
	})
	c.Indexing, c.Prompts = readSettings(d), readPrompts(d)
	if p, ok := d.Named(instructionsPart); ok {
		var err error
		c.Instructions, err = instructionsText(p)
		u.add(p.Path, err, Instructions)
	}
	if p, ok := d.Named(schemaPart); ok {
		var err error
		var refs []aiRefs
		var notices []Notice
		c.Schema, refs, notices, err = readSchema(p)
		m.Notices = append(m.Notices, notices...)
		m.resolve(p.Path, refs)
		u.add(p.Path, err, ofSchema)
	}
	c.VerifiedAnswers = u.readVerifiedAnswers(d, verifiedAnswers)
	if c.VerifiedAnswers == nil {
		c.VerifiedAnswers = u.readVerifiedAnswers(d, olderVerifiedAnswers)
	}
}

// readSettings returns indexingEnabled of settings.json, nil if the file does not say it.
func readSettings(d definition.Definition) *bool {
	p, _ := d.Named(copilotSettings)
	r, err := objectPart(p.Path, p.Data)
	if err != nil {
		return nil
	}
	var enabled *bool
	for member := range r.Object() {
		if kind := r.Kind(); member == "indexingEnabled" && (kind == 't' || kind == 'f') {
			enabled = new(kind == 't')
		}
	}
	return enabled
}

// readPrompts returns the texts of examplePrompts.json.
func readPrompts(d definition.Definition) (prompts []string) {
	p, _ := d.Named(examplePrompts)
	r, err := objectPart(p.Path, p.Data)
	if err != nil {
		return nil
	}
	for member := range r.Object() {
		if member == "prompts" {
			r.Lenient(func() { prompts = r.Texts() })
		}
	}
	return prompts
}

// schemaReader reads schema.json, and notes what its format does not allow.
type schemaReader struct {
	*jsonpart.Reader
	file    string
	notices []Notice
}

// note adds a notice at the next value.
func (r *schemaReader) note(format string, args ...any) {
	r.notices = append(r.notices, Notice{Source{r.file, r.Line()}, r.Column(), fmt.Sprintf(format, args...)})
}

// unknown adds a notice of a member that the format does not have.
func (r *schemaReader) unknown(kind, member string) {
	r.note("the AI data schema has no member %q for a %s, so Power BI refuses it; correct the name, or remove it", member, kind)
}

// oneOf adds a notice if the text of a member is none of those of its format.
func (r *schemaReader) oneOf(member string, known ...string) {
	at := *r.Reader
	if text, ok := at.Text(); ok && !slices.Contains(known, text) {
		r.note("%s is %q, which the AI data schema does not allow; it allows %s", member, text, strings.Join(known, ", "))
	}
}

// readSchema reads schema.json, nil if it is no JSON object, and says what its format does not allow, and why it is not entirely
// understood.
func readSchema(p definition.Part) (s *AISchema, refs []aiRefs, notices []Notice, err error) {
	reader, err := objectPart(p.Path, p.Data)
	if err != nil {
		return nil, nil, nil, err
	}
	s = &AISchema{}
	r := &schemaReader{Reader: reader, file: p.Path}
	for member := range r.Object() {
		switch member {
		case "tables":
		case "$schema":
			continue
		default:
			r.unknown("model", member)
			continue
		}
		s.Tables, refs = nil, nil
		for range r.Array() {
			if t, of := r.table(); t.Name != "" || of.id != "" {
				s.Tables, refs = append(s.Tables, t), append(refs, of)
			}
		}
	}
	return s, refs, r.notices, r.Err()
}

func (r *schemaReader) table() (t AITable, of aiRefs) {
	of.line = r.Line()
	for member := range r.Object() {
		switch member {
		case "id":
			of.id, _ = r.Text()
		case "name":
			t.Name, _ = r.Text()
		case "visibility":
			t.Visibility = r.visibility()
		case "synonyms":
			t.Synonyms = readSynonyms(r.Reader)
		case "columns":
			t.Columns, of.columns = r.fields("column")
		case "measures":
			t.Measures, of.measures = r.fields("measure")
		case "hierarchies":
			t.Hierarchies, of.hierarchies = r.fields("hierarchy")
		default:
			r.unknown("table", member)
		}
	}
	return t, of
}

func (r *schemaReader) fields(kind string) (fields []AIField, refs []aiRef) {
	for range r.Array() {
		var f AIField
		of := aiRef{line: r.Line()}
		for member := range r.Object() {
			switch member {
			case "id":
				of.id, _ = r.Text()
			case "name":
				f.Name, _ = r.Text()
			case "visibility":
				f.Visibility = r.visibility()
			case "synonyms":
				f.Synonyms = readSynonyms(r.Reader)
			case "index":
				if kind == "column" {
					r.oneOf(member, "Default", "All", "None")
				} else {
					r.unknown(kind, member)
				}
				f.Index, _ = r.Text()
			default:
				if kind != "hierarchy" || member != "levels" {
					r.unknown(kind, member)
				}
			}
		}
		if f.Name != "" || of.id != "" {
			fields, refs = append(fields, f), append(refs, of)
		}
	}
	return fields, refs
}

// readSynonyms reads the texts of a list; its other elements are left out.
func readSynonyms(r *jsonpart.Reader) (texts []string) {
	if r.Kind() != '[' {
		return r.Texts()
	}
	r.Lenient(func() { texts = r.Texts() })
	return texts
}

// visibility reads a visibility. It distinguishes an absent one (or null) from
// other values, which expose nothing and hide nothing: an empty string, or a value
// that is not a string, is returned as written.
func (r *schemaReader) visibility() string {
	r.oneOf("visibility", "Auto", "Visible", "Hidden")
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
func (u *unreadable) readVerifiedAnswers(d definition.Definition, root string) []VerifiedAnswer {
	var answers []VerifiedAnswer
	for _, p := range d.Parts {
		if dir := path.Dir(p.Path); strings.EqualFold(path.Base(p.Path), "definition.json") && strings.EqualFold(path.Dir(dir)+"/", root) {
			a := VerifiedAnswer{
				Folder:         path.Base(dir),
				TriggerPhrases: u.readTriggerPhrases(p),
				Fields:         u.readFields(d, dir+"/", "visualSource.json", "filters.json"),
			}
			a.VisualType, a.Filters = visualOf(d, dir+"/")
			answers = append(answers, a)
		}
	}
	slices.SortFunc(answers, func(a, b VerifiedAnswer) int { return cmp.Compare(a.Folder, b.Folder) })
	return answers
}

func (u *unreadable) readTriggerPhrases(p definition.Part) []string {
	r, err := objectPart(p.Path, p.Data)
	if err != nil {
		u.add(p.Path, err, TriggerPhrases)
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
	u.add(p.Path, r.Err(), TriggerPhrases)
	return phrases
}

// visualOf returns the type of a verified answer's visual, "" if it is not said, and how many filters the answer has. What cannot be read
// readFields has reported.
func visualOf(d definition.Definition, dir string) (visualType string, filters int) {
	members := func(file, name string, read func(*jsonpart.Reader)) {
		p, ok := d.Named(dir + file)
		if !ok {
			return
		}
		r, err := objectPart(p.Path, p.Data)
		if err != nil {
			return
		}
		for member := range r.Object() {
			if member == name {
				read(r)
			}
		}
	}
	members("visualSource.json", "visualType", func(r *jsonpart.Reader) { visualType, _ = r.Text() })
	members("filters.json", "filters", func(r *jsonpart.Reader) {
		filters = 0
		for range r.Array() {
			filters++
		}
	})
	return visualType, filters
}

// readFields returns every field that the files in a folder name, each once.
func (u *unreadable) readFields(d definition.Definition, dir string, files ...string) []FieldRef {
	at, _ := slices.BinarySearchFunc(d.Parts, dir, func(p definition.Part, dir string) int { return strings.Compare(p.Path, dir) })
	folder := definition.Definition{Parts: d.Parts[at:]}
	if n := slices.IndexFunc(folder.Parts, func(p definition.Part) bool { return !strings.HasPrefix(p.Path, dir) }); n >= 0 {
		folder.Parts = folder.Parts[:n]
	}
	var fields []FieldRef
	for _, file := range files {
		p, ok := folder.Named(dir + file)
		if !ok {
			continue
		}
		references, err := report.ReadReferences(p.Path, p.Data)
		if err != nil {
			u.add(p.Path, err, AnswerFields)
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
