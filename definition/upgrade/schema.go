package upgrade

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/definition/textfile"
	"readiness/definition/tmdl"
)

// schema is what is read of a linguistic schema.
type schema struct {
	instructions string
	questions    []string
	entities     []entity
	// relations are the keys of its relationships, which carry phrasings, sorted.
	relations []string
	// others are the members that are neither read nor part of every schema, sorted.
	others []string
}

// entity is a thing that the schema names, bound to an object of the model.
type entity struct {
	key, table, name, hierarchy, level string
	// varied is true for an object of the automatic hierarchy of dates of a column.
	varied, hidden bool
	terms          []semanticmodel.Term
}

// read reads a linguistic schema: JSON, or the YAML that Power BI Desktop exports.
func read(text string) (schema, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	var all map[string]any
	var err error
	switch {
	case strings.HasPrefix(text, "<"):
		return schema{}, errors.New("it is XML, the form before 2018; open the model in Power BI Desktop and save it, which rewrites it")
	case strings.HasPrefix(text, "{"):
		err = json.Unmarshal([]byte(text), &all)
	default:
		all, err = readYAML(text)
	}
	if err != nil {
		return schema{}, fmt.Errorf("it cannot be read: %w", err)
	}
	var s schema
	for member, value := range all {
		switch member {
		case "Version", "Language", "DynamicImprovement", "Agents", "MinResultConfidence", "Namespace", "$schema":
		case "CustomInstructions":
			s.instructions, _ = value.(string)
		case "Entities":
			s.entities = entities(object(value))
		case "Relationships":
			s.relations = relations(object(value))
		case "SuggestedQuestions", "Examples":
			s.questions = append(s.questions, questions(value)...)
		default:
			s.others = append(s.others, member)
		}
	}
	slices.Sort(s.others)
	return s, nil
}

// authored counts the terms that a person wrote.
func (s schema) authored() (n int) {
	for _, e := range s.entities {
		for _, t := range e.terms {
			if t.Authored() {
				n++
			}
		}
	}
	return n
}

// tells reports whether the schema holds what a person made or, if that is asked for, what the platform suggested.
func (s schema) tells(suggested bool) bool {
	return suggested && slices.ContainsFunc(s.entities, func(e entity) bool {
		return slices.ContainsFunc(e.terms, func(t semanticmodel.Term) bool { return t.State == "Suggested" })
	}) || s.instructions != "" || len(s.questions)+len(s.relations)+s.authored() > 0 ||
		slices.ContainsFunc(s.entities, func(e entity) bool { return e.hidden })
}

// holdsSchema reports whether a part of the model may hold a linguistic schema. Scripts that lie beside it are no part of the model.
func holdsSchema(p definition.Part) bool {
	return bytes.Contains(p.Data, []byte("linguisticMetadata")) && !strings.HasPrefix(strings.ToLower(p.Path), "tmdlscripts/")
}

// linguistic returns the linguistic schemas of a definition as they are written, by culture.
func linguistic(d definition.Definition) (map[string]string, error) {
	all := map[string]string{}
	for _, p := range d.Parts {
		if !holdsSchema(p) {
			continue
		}
		switch strings.ToLower(path.Ext(p.Path)) {
		case ".tmdl":
			doc, err := tmdl.Parse(p.Path, p.Data)
			if err != nil {
				return nil, err
			}
			for culture := range doc.All() {
				for _, o := range culture.Children {
					if culture.Keyword == "cultureInfo" && o.Keyword == "linguisticMetadata" && strings.TrimSpace(o.WrittenDefault()) != "" {
						all[culture.Name] = o.WrittenDefault()
					}
				}
			}
		case ".bim":
			var bim struct {
				Model struct {
					Cultures []struct {
						Name               string
						LinguisticMetadata struct{ Content json.RawMessage }
					}
				}
			}
			if err := json.Unmarshal(textfile.Trim(p.Data), &bim); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Path, err)
			}
			for _, c := range bim.Model.Cultures {
				if text := contentOf(c.LinguisticMetadata.Content); text != "" {
					all[c.Name] = text
				}
			}
		}
	}
	return all, nil
}

// contentOf returns a linguistic schema that model.bim holds as an object, a text, or the lines of one.
func contentOf(raw json.RawMessage) string {
	var text string
	var lines []string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return text
	case json.Unmarshal(raw, &lines) == nil:
		return strings.Join(lines, "\n")
	}
	return string(raw)
}

func object(v any) map[string]any { o, _ := v.(map[string]any); return o }

// first returns the first text among members of an object.
func first(o map[string]any, names ...string) string {
	for _, name := range names {
		if text, ok := o[name].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

func entities(all map[string]any) (out []entity) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		o := object(all[key])
		binding := object(object(o["Definition"])["Binding"])
		if binding == nil {
			binding = object(o["Binding"]) // as YAML has it
		}
		e := entity{key: key, table: first(binding, "ConceptualEntity", "Table"),
			name:      first(binding, "ConceptualProperty", "Column", "Measure", "Field", "Property"),
			hierarchy: first(binding, "Hierarchy"), level: first(binding, "HierarchyLevel", "Level"),
			varied: first(binding, "VariationSource", "VariationSet") != ""}
		visibility := object(o["Visibility"])
		e.hidden = visibility["Value"] == "Hidden" && visibility["State"] == "Authored"
		terms, _ := o["Terms"].([]any)
		for _, one := range terms {
			if text, ok := one.(string); ok {
				e.terms = append(e.terms, semanticmodel.Term{Text: text})
			}
			for text, how := range object(one) {
				state, _ := object(how)["State"].(string)
				e.terms = append(e.terms, semanticmodel.Term{Text: text, State: state})
			}
		}
		out = append(out, e)
	}
	return out
}

// relations returns the relationships that a person wrote or changed: the platform makes others again by itself.
func relations(all map[string]any) (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if state := object(all[key])["State"]; state != "Generated" && state != "Deleted" {
			keys = append(keys, key)
		}
	}
	return keys
}

// questions returns the texts of a list of questions, however each is written.
func questions(v any) (texts []string) {
	all, _ := v.([]any)
	for _, one := range all {
		text, _ := one.(string)
		if text == "" {
			text = first(object(one), "Text", "Question", "Utterance", "text")
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
