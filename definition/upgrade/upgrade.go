// Package upgrade makes the parts of the folder Copilot from a model's linguistic schema. It is an experiment: Microsoft's own upgrade is not
// published, so this follows the published form of the parts and what is documented about them.
package upgrade

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/definition/tmdl"
)

// The parts and the schemas that they name.
const (
	schemas    = "https://developer.microsoft.com/json-schemas/fabric/item/"
	copilot    = schemas + "semanticModel/copilot/"
	version    = "{\n  \"$schema\": \"" + schemas + "version/1.0.0/schema.json\",\n  \"version\": \"1.0.0\"\n}"
	properties = "definition.pbism"
)

// The limits of the new parts.
const (
	maxSynonyms     = 1024
	maxSynonym      = 1024 // characters
	maxPrompts      = 10_000
	maxPrompt       = 500    // characters
	maxInstructions = 10_000 // characters
)

// Options says what is carried over.
type Options struct {
	// Culture is the culture whose linguistic schema is taken; "" means the model's default one, else the first that tells something.
	Culture string
	// Schema is a linguistic schema that was exported, JSON or YAML, in place of the model's; nil without one.
	Schema *string
	// Suggested carries over the synonyms that the platform suggested, too.
	Suggested bool
	// Remove removes the linguistic schema.
	Remove bool
}

// Loss is something that the new form does not have.
type Loss struct {
	What  string `json:"what"`
	Where string `json:"where,omitempty"`
	Why   string `json:"why"`
}

// Result is what an upgrade makes.
type Result struct {
	After definition.Definition `json:"-"`
	// Culture is the culture that was taken; "" for an exported schema.
	Culture string `json:"culture,omitempty"`
	// Synonyms, Hidden and Prompts count what was carried over; Instructions are characters.
	Synonyms     int `json:"synonyms"`
	Hidden       int `json:"hidden"`
	Prompts      int `json:"examplePrompts"`
	Instructions int `json:"instructionCharacters"`
	// Lost lists what was not, in the order of the schema.
	Lost []Loss `json:"lost"`
}

// ErrNothing reports a model without a linguistic schema that tells something.
var ErrNothing = errors.New("there is nothing to upgrade: no linguistic schema of it tells an AI anything")

// Make returns the definition with the parts that its linguistic schema makes. It refuses a definition that has a folder Copilot, which
// would be replaced, and one that can have none.
func Make(d definition.Definition, m *semanticmodel.Model, o Options) (Result, error) {
	r := Result{Lost: []Loss{}}
	switch {
	case d.Loose:
		return r, errors.New("it has no place for a folder Copilot; save the model as a project, in a folder that ends in .SemanticModel")
	case m.Copilot.Present:
		return r, errors.New("it has a folder Copilot already, so it is in the new form; what its linguistic schema holds is not read")
	}
	written, err := linguistic(d)
	if err != nil {
		return r, err
	}
	s, err := r.source(m, written, o)
	if err != nil {
		return r, err
	}
	parts := map[string][]byte{"Copilot/version.json": []byte(version)}
	made := newEntries(m)
	for _, e := range s.entities {
		r.carry(made, e, o.Suggested)
	}
	if tables := made.tables(); len(tables) > 0 {
		parts["Copilot/schema.json"] = encoded(map[string]any{"$schema": copilot + "schema/1.0.0/schema.json", "tables": tables})
	}
	if s.instructions != "" {
		parts["Copilot/Instructions/instructions.md"], parts["Copilot/Instructions/version.json"] = []byte(s.instructions), []byte(version)
		if r.Instructions = len([]rune(s.instructions)); r.Instructions > maxInstructions {
			r.lose(fmt.Sprintf("%d characters of AI instructions", r.Instructions-maxInstructions), "",
				"an AI reads 10,000 at most; all are carried over, shorten them")
		}
	}
	if prompts := r.prompts(s.questions); len(prompts) > 0 {
		parts["Copilot/examplePrompts.json"] = encoded(map[string]any{"$schema": copilot + "examplePrompts/1.0.0/schema.json", "prompts": prompts})
	}
	parts["Copilot/settings.json"] = encoded(map[string]any{"$schema": copilot + "settings/1.0.0/schema.json", "indexingEnabled": true})
	for _, key := range s.relations {
		r.lose("a phrasing", key, "the new form has no phrasings; say in the AI instructions what it means")
	}
	for _, member := range s.others {
		r.lose("the member "+member, "", "the new form has nothing like it")
	}
	p, ok := d.Named(properties)
	if !ok {
		return r, errors.New("it has no definition.pbism, which says that Q&A is off")
	}
	if parts[p.Path], err = withoutQnA(p); err != nil {
		return r, err
	}
	if o.Remove {
		if err := removeSchemas(d, len(written), parts); err != nil {
			return r, err
		}
	}
	r.After = d.With(parts)
	return r, nil
}

// source reads the linguistic schema that is upgraded.
func (r *Result) source(m *semanticmodel.Model, written map[string]string, o Options) (schema, error) {
	if o.Schema != nil {
		s, err := read(*o.Schema)
		switch {
		case err != nil:
			return s, fmt.Errorf("the exported linguistic schema: %w", err)
		case !s.tells(o.Suggested):
			return s, errors.New("the exported linguistic schema tells an AI nothing: it has no synonym of a person, instruction, question, " +
				"phrasing or hidden object")
		}
		return s, nil
	}
	all, telling := map[string]schema{}, []string{}
	for _, culture := range slices.Sorted(maps.Keys(written)) {
		s, err := read(written[culture])
		if err != nil {
			return s, fmt.Errorf("the linguistic schema of the culture %s: %w", culture, err)
		}
		if all[culture] = s; s.tells(o.Suggested) {
			telling = append(telling, culture)
		}
	}
	wanted := cmp.Or(o.Culture, m.Culture)
	at := slices.IndexFunc(telling, func(culture string) bool { return strings.EqualFold(culture, wanted) })
	switch {
	case o.Culture != "" && !slices.ContainsFunc(m.Cultures, func(c semanticmodel.Culture) bool { return strings.EqualFold(c.Name, o.Culture) }):
		return schema{}, fmt.Errorf("the model has no culture %q", o.Culture)
	case len(telling) == 0 || at < 0 && o.Culture != "":
		return schema{}, ErrNothing
	}
	r.Culture = telling[max(at, 0)]
	for _, culture := range telling {
		if n := all[culture].authored(); culture != r.Culture && n > 0 {
			r.lose(counted(n, "synonym"), "culture "+culture, "the new form has one list for all languages; --culture takes this one")
		}
	}
	return all[r.Culture], nil
}

func (r *Result) lose(what, where, why string) { r.Lost = append(r.Lost, Loss{what, where, why}) }

// carry carries an entity's synonyms and visibility over.
func (r *Result) carry(all *entries, e entity, suggested bool) {
	var kept []string
	left := 0
	for _, t := range e.terms {
		switch {
		case t.State == "Suggested" && !suggested:
			left++
		case !t.Authored() && t.State != "Suggested":
		case len([]rune(t.Text)) > maxSynonym:
			r.lose("a synonym", e.where(), "it has more than 1,024 characters")
		default:
			kept = append(kept, t.Text)
		}
	}
	if left > 0 {
		r.lose(counted(left, "suggested synonym"), e.where(), "nobody accepted them; --suggested carries them over")
	}
	if len(kept) == 0 && !e.hidden {
		return
	}
	to := all.of(e)
	if to == nil {
		why := "the model has no such object"
		switch {
		case e.table == "":
			why = "it is bound to no object"
		case e.varied:
			why = "it is of the automatic hierarchy of a date, which the new form does not have"
		}
		for _, text := range kept {
			r.lose(fmt.Sprintf("the synonym %q", text), e.where(), why)
		}
		return
	}
	for _, text := range kept {
		switch { // two entities may be bound to one object
		case slices.Contains(to.Synonyms, text):
		case len(to.Synonyms) == maxSynonyms:
			r.lose(fmt.Sprintf("the synonym %q", text), e.where(), "an object has 1,024 at most")
		default:
			to.Synonyms = append(to.Synonyms, text)
			r.Synonyms++
		}
	}
	if e.hidden {
		to.Visibility = "Hidden"
		r.Hidden++
	}
}

// where names the object of an entity, or its key.
func (e entity) where() string {
	name := cmp.Or(e.name, e.hierarchy)
	switch {
	case e.table == "":
		return e.key
	case name == "":
		return "'" + e.table + "'"
	case e.hierarchy != "" && e.level != "":
		name = e.hierarchy + "." + e.level
	}
	return "'" + e.table + "'[" + name + "]"
}

// prompts returns the questions that can be example prompts.
func (r *Result) prompts(all []string) (kept []string) {
	for _, q := range all {
		switch {
		case len([]rune(q)) > maxPrompt:
			r.lose("a suggested question", "", "it has more than 500 characters")
		case len(kept) == maxPrompts:
			r.lose(fmt.Sprintf("the suggested question %q", q), "", "there are 10,000 at most")
		case !slices.Contains(kept, q):
			kept = append(kept, q)
		}
	}
	r.Prompts = len(kept)
	return kept
}

// entry is an object of the AI data schema.
type entry struct {
	ID          string   `json:"id,omitempty"`
	Name        string   `json:"name"`
	Visibility  string   `json:"visibility"`
	Synonyms    []string `json:"synonyms,omitempty"`
	Columns     []*entry `json:"columns,omitempty"`
	Measures    []*entry `json:"measures,omitempty"`
	Hierarchies []*entry `json:"hierarchies,omitempty"`
	Levels      []*entry `json:"levels,omitempty"`
}

// silent reports whether the entry says nothing. It leaves out those of its parts that say nothing.
func (e *entry) silent() bool {
	parts := 0
	for _, of := range []*[]*entry{&e.Columns, &e.Measures, &e.Hierarchies, &e.Levels} {
		*of = slices.DeleteFunc(*of, (*entry).silent)
		parts += len(*of)
	}
	return parts == 0 && len(e.Synonyms) == 0 && e.Visibility == "Auto"
}

// entries are those of all objects of a model, in its order.
type entries struct {
	all  []*entry
	byID map[[4]string]*entry // by folded table, name of a column or measure, hierarchy and level
}

// key returns the key of an object.
func key(table, name, hierarchy, level string) [4]string {
	return [4]string{spelling.FoldSpace(table), spelling.FoldSpace(name), spelling.FoldSpace(hierarchy), spelling.FoldSpace(level)}
}

func newEntries(m *semanticmodel.Model) *entries {
	e := &entries{byID: map[[4]string]*entry{}}
	for _, t := range m.Tables {
		table := &entry{ID: t.LineageTag, Name: t.Name, Visibility: "Auto"}
		add := func(to *[]*entry, key [4]string, name, tag string) *entry {
			one := &entry{ID: tag, Name: name, Visibility: "Auto"}
			*to, e.byID[key] = append(*to, one), one
			return one
		}
		for _, c := range t.Columns {
			add(&table.Columns, key(t.Name, c.Name, "", ""), c.Name, c.LineageTag)
		}
		for _, one := range t.Measures {
			add(&table.Measures, key(t.Name, one.Name, "", ""), one.Name, one.LineageTag)
		}
		for _, h := range t.Hierarchies {
			of := add(&table.Hierarchies, key(t.Name, "", h.Name, ""), h.Name, h.LineageTag)
			for _, l := range h.Levels {
				add(&of.Levels, key(t.Name, "", h.Name, l.Name), l.Name, l.LineageTag)
			}
		}
		e.all, e.byID[key(t.Name, "", "", "")] = append(e.all, table), table
	}
	return e
}

// of returns the entry of an entity's object, or nil.
func (e *entries) of(of entity) *entry {
	switch {
	case of.table == "" || of.varied:
		return nil
	case of.hierarchy != "":
		return e.byID[key(of.table, "", of.hierarchy, of.level)]
	}
	return e.byID[key(of.table, of.name, "", "")]
}

// tables returns the entries that say something, each with its table.
func (e *entries) tables() []*entry { return slices.DeleteFunc(e.all, (*entry).silent) }

// encoded returns a part as the platform lays it out.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // texts and lists of texts
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// withoutQnA returns definition.pbism as a model of the new form has it: at least version 5.0, with Q&A off.
func withoutQnA(p definition.Part) ([]byte, error) {
	tree, err := jsonpart.Edit(p.Path, p.Data)
	if err != nil {
		return nil, err
	}
	if tree.Root.Kind() != '{' {
		return nil, errors.New("its definition.pbism is no JSON object")
	}
	if tree.Root.Member("$schema") == nil { // the published schema requires it
		tree.Root.Add("$schema", schemas+"semanticModel/definitionProperties/1.0.0/schema.json")
	}
	if v := tree.Root.Member("version"); v == nil {
		tree.Root.Add("version", "5.0", "$schema")
	} else if text, _ := v.Text(); majorOf(text) < 5 {
		v.SetText("5.0")
	}
	settings := tree.Root.Member("settings")
	if settings == nil || settings.Kind() != '{' {
		if settings != nil {
			settings.Remove()
		}
		settings = tree.Root.Add("settings", jsonpart.Object{}, "$schema", "version")
	}
	if v := settings.Member("qnaEnabled"); v != nil {
		v.Set([]byte("false"))
	} else {
		settings.Add("qnaEnabled", jsonpart.Literal("false"))
	}
	return tree.Bytes(), nil
}

// majorOf returns the first number of a version.
func majorOf(version string) int {
	text, _, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(text)
	return n
}

// removeSchemas removes the linguistic schemas from the parts of cultures, of which there are so many.
func removeSchemas(d definition.Definition, want int, parts map[string][]byte) error {
	removed := 0
	for _, p := range d.Parts {
		if !strings.HasSuffix(strings.ToLower(p.Path), ".tmdl") || !holdsSchema(p) {
			continue
		}
		doc, err := tmdl.Parse(p.Path, p.Data)
		if err != nil {
			return err
		}
		lines := bytes.SplitAfter(p.Data, []byte("\n"))
		for o := range doc.All() {
			if o.Keyword != "linguisticMetadata" || len(o.Properties) == 0 {
				continue
			}
			for n := o.Line; n <= o.Properties[len(o.Properties)-1].Line; n++ {
				lines[n-1] = nil
			}
			removed++
		}
		parts[p.Path] = bytes.Join(lines, nil)
	}
	if removed != want {
		return errors.New("its linguistic schemas are not in files of cultures, so they are not removed; remove them in Power BI Desktop")
	}
	return nil
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
