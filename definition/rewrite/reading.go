package rewrite

import (
	"cmp"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
)

// reading finds the values of a model.
type reading struct {
	model *semanticmodel.Model
	// hasCopilot is true for a definition with any part under Copilot/.
	hasCopilot bool
	// noFolder is why the definition can get no folder Copilot; nil if it can.
	noFolder error
	// hasProperties is true for a definition with a definition.pbism that can be edited.
	hasProperties bool
	tables        map[string]*semanticmodel.Table
	columns       map[object]*semanticmodel.Column
	measures      map[object]*semanticmodel.Measure
	entries       map[object]aiEntry // of the AI data schema, by folded names
	entities      map[object]*string // visibilities of the linguistic schema
	synonymsKnown bool               // whether synonymsError is known: why there is no place for synonyms
	synonymsError error
}

// object names a table (name "") or a field.
type object struct{ table, name string }

func newReading(d definition.Definition, m *semanticmodel.Model) *reading {
	r := &reading{
		model:         m,
		hasCopilot:    slices.ContainsFunc(d.Parts, func(p definition.Part) bool { return isCopilot(p.Path) }),
		hasProperties: readProperties(d) != nil,
		tables:        map[string]*semanticmodel.Table{},
		columns:       map[object]*semanticmodel.Column{},
		measures:      map[object]*semanticmodel.Measure{},
	}
	switch {
	case d.Loose:
		r.noFolder = errNoFolder
	case d.MayLackCopilot && !r.hasCopilot:
		r.noFolder = errNotShown
	}
	for i := range m.Tables {
		t := &m.Tables[i]
		r.tables[t.Name] = t
		for j := range t.Columns {
			r.columns[object{t.Name, t.Columns[j].Name}] = &t.Columns[j]
		}
		for j := range t.Measures {
			r.measures[object{t.Name, t.Measures[j].Name}] = &t.Measures[j]
		}
	}
	return r
}

// isCopilot reports whether a part prepares a model for AI.
func isCopilot(path string) bool {
	folder, _, inside := strings.Cut(path, "/")
	return inside && strings.EqualFold(folder, copilotFolder)
}

// value returns the model's value at the target.
func (r *reading) value(t Target) Value {
	if t.Property == Instructions || t.Property == QnAEnabled {
		switch {
		case t.Table != "" || t.Name != "":
			return Value{}
		case t.Property == QnAEnabled:
			return r.qna()
		}
		return Value{Found: true, Text: r.instructions()}
	}
	text, found := r.property(t)
	switch {
	case found && t.Property == Visibility:
		return Value{Found: true, Text: r.visibility(t)}
	case found && t.Property == Synonyms:
		return r.synonyms(t)
	}
	if text == "" {
		return Value{Found: found}
	}
	return Value{found, &text}
}

// property returns the text of a property that the object itself has.
func (r *reading) property(t Target) (text string, found bool) {
	table, column, measure := r.find(t)
	switch {
	case table != nil:
		return table.Description, t.Property == Description || t.Property == Visibility || t.Property == Synonyms
	case column != nil:
		switch t.Property {
		case DisplayFolder:
			return column.DisplayFolder, true
		case SummarizeBy:
			return column.SummarizeBy, true
		default:
			return column.Description, true
		}
	case measure != nil:
		if t.Property == DisplayFolder {
			return measure.DisplayFolder, true
		}
		return measure.Description, t.Property != SummarizeBy
	}
	return "", false
}

// find returns the object that the target names.
func (r *reading) find(t Target) (*semanticmodel.Table, *semanticmodel.Column, *semanticmodel.Measure) {
	if t.Name == "" {
		return r.tables[t.Table], nil, nil
	}
	o := object{t.Table, t.Name}
	return nil, r.columns[o], r.measures[o]
}

// instructions returns the text that the model uses as its AI instructions.
func (r *reading) instructions() *string {
	if r.model.Copilot.Instructions != nil {
		return r.model.Copilot.Instructions
	}
	if c := r.culture(hasInstructions); c != nil {
		return c.CustomInstructions
	}
	return nil
}

func hasInstructions(c *semanticmodel.Culture) bool { return c.CustomInstructions != nil }

// hides reports whether a culture's linguistic schema contains an AI data schema.
func hides(c *semanticmodel.Culture) bool {
	return slices.ContainsFunc(c.Entities, func(e semanticmodel.LinguisticEntity) bool {
		return e.VisibilityState == "Authored" && e.Visibility != "" && !e.OfHierarchy
	})
}

// culture returns the model's default culture if it fits, else the first by name
// that does; nil if none does.
func (r *reading) culture(fits func(*semanticmodel.Culture) bool) *semanticmodel.Culture {
	var first *semanticmodel.Culture
	for i := range r.model.Cultures {
		c := &r.model.Cultures[i]
		switch {
		case !fits(c):
		case c.Name == r.model.Culture:
			return c
		case first == nil || cmp.Less(c.Name, first.Name):
			first = c
		}
	}
	return first
}

// instructionsCulture returns the culture in whose linguistic schema AI instructions
// are written; "" if they have their own part.
func (r *reading) instructionsCulture() string { return r.linguisticCulture(hasInstructions, hides) }

// linguisticCulture returns the culture of a definition without a folder Copilot that fits the first of the conditions
// that any fits; "" if there is none.
func (r *reading) linguisticCulture(conditions ...func(*semanticmodel.Culture) bool) string {
	if r.hasCopilot {
		return ""
	}
	for _, fits := range conditions {
		if c := r.culture(fits); c != nil {
			return c.Name
		}
	}
	return ""
}

// visibilityCulture returns the culture in whose linguistic schema visibilities are
// stored; "" if they are in the AI data schema. AI instructions keep them there: a new
// folder Copilot would take precedence over the instructions.
func (r *reading) visibilityCulture() string { return r.linguisticCulture(hides, hasInstructions) }

// visibility returns the target's visibility in the AI data schema, nil if there is
// none.
func (r *reading) visibility(t Target) *string {
	if name := r.linguisticCulture(hides); name != "" {
		return r.entityVisibility(name, t)
	}
	return r.entryOf(t).visibility
}

// aiEntry is what an entry of the AI data schema says about an object.
type aiEntry struct {
	visibility *string
	synonyms   []string
}

// entryOf returns the target's entry in Copilot/schema.json, the zero aiEntry if it has
// none. The first entry for an object counts.
func (r *reading) entryOf(t Target) aiEntry {
	if r.entries == nil {
		r.entries = map[object]aiEntry{}
		add := func(o object, visibility string, synonyms []string) {
			if _, ok := r.entries[o]; ok {
				return
			}
			e := aiEntry{synonyms: synonyms}
			if visibility != "" {
				e.visibility = &visibility
			}
			r.entries[o] = e
		}
		if s := r.model.Copilot.Schema; s != nil {
			for _, table := range s.Tables {
				name := spelling.FoldSpace(table.Name)
				if _, seen := r.entries[object{name, ""}]; seen {
					continue
				}
				add(object{name, ""}, table.Visibility, table.Synonyms)
				for kind, fields := range map[string][]semanticmodel.AIField{columns: table.Columns, measures: table.Measures} {
					for _, f := range fields {
						add(object{name, kind + spelling.FoldSpace(f.Name)}, f.Visibility, f.Synonyms)
					}
				}
			}
		}
	}
	if t.Name == "" {
		return r.entries[object{spelling.FoldSpace(t.Table), ""}]
	}
	return r.entries[object{spelling.FoldSpace(t.Table), r.list(t) + spelling.FoldSpace(t.Name)}]
}

// entityVisibility returns the target's visibility in the culture's linguistic
// schema.
func (r *reading) entityVisibility(culture string, t Target) *string {
	if r.entities == nil {
		r.entities = map[object]*string{}
		for _, c := range r.model.Cultures {
			for _, e := range c.Entities {
				if c.Name == culture && !e.OfHierarchy {
					note(r.entities, object{spelling.FoldSpace(e.Table), spelling.FoldSpace(e.Property)}, e.Visibility)
				}
			}
		}
	}
	return r.entities[object{spelling.FoldSpace(t.Table), spelling.FoldSpace(t.Name)}]
}

// note records the first visibility of an object.
func note(visibilities map[object]*string, o object, visibility string) {
	if _, ok := visibilities[o]; ok {
		return
	}
	visibilities[o] = nil
	if visibility != "" {
		visibilities[o] = &visibility
	}
}

// list returns the member of a table's entry in the AI data schema that contains the
// target's entry; "" for a table.
func (r *reading) list(t Target) string {
	switch _, column, measure := r.find(t); {
	case column != nil:
		return columns
	case measure != nil:
		return measures
	}
	return ""
}
