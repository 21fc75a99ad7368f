package semanticmodel

import (
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
		c.Schema, refs, err = readSchema(p)
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

// readSchema reads schema.json, nil if it is no JSON object, and says why it is not entirely
// understood.
func readSchema(p definition.Part) (s *AISchema, refs []aiRefs, err error) {
	r, err := objectPart(p.Path, p.Data)
	if err != nil {
		return nil, nil, err
	}
	s = &AISchema{}
	for member := range r.Object() {
		if member != "tables" {
			continue
		}
		s.Tables, refs = nil, nil
		for range r.Array() {
			if t, of := readAITable(r); t.Name != "" || of.id != "" {
				s.Tables, refs = append(s.Tables, t), append(refs, of)
			}
		}
	}
	return s, refs, r.Err()
}

func readAITable(r *jsonpart.Reader) (t AITable, of aiRefs) {
	of.line = r.Line()
	for member := range r.Object() {
		switch member {
		case "id":
			of.id, _ = r.Text()
		case "name":
			t.Name, _ = r.Text()
		case "visibility":
			t.Visibility = readVisibility(r)
		case "synonyms":
			t.Synonyms = readSynonyms(r)
		case "columns":
			t.Columns, of.columns = readAIFields(r)
		case "measures":
			t.Measures, of.measures = readAIFields(r)
		case "hierarchies":
			t.Hierarchies, of.hierarchies = readAIFields(r)
		}
	}
	return t, of
}

func readAIFields(r *jsonpart.Reader) (fields []AIField, refs []aiRef) {
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
				f.Visibility = readVisibility(r)
			case "synonyms":
				f.Synonyms = readSynonyms(r)
			case "index":
				f.Index, _ = r.Text()
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
