package offline

import (
	"path"
	"strings"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

// places are where the objects of a semantic model are declared.
type places struct {
	folder  string // shown
	d       definition.Definition
	model   semanticmodel.Source
	objects map[object]semanticmodel.Source
	names   modelNames
}

// object is an object of a finding. Names are in lower case: a relationship may
// spell those of its columns otherwise than they do.
type object struct {
	kind        readiness.ObjectType
	table, name string
}

func newObject(kind readiness.ObjectType, table, name string) object {
	return object{kind, strings.ToLower(table), strings.ToLower(name)}
}

// newPlaces reads them. A model that cannot be read has none but its file.
func newPlaces(i Item, d definition.Definition, m *semanticmodel.Model) *places {
	at := &places{folder: i.folder(), d: d, objects: map[object]semanticmodel.Source{}, names: modelNames{"": {"#": true}}}
	at.model = semanticmodel.Source{File: at.first("definition/model.tmdl", "model.tmdl", "model.bim", "definition.pbism"), Line: 1}
	if m == nil {
		return at
	}
	for _, t := range m.Tables {
		names := map[string]bool{"": true}
		at.names[strings.ToLower(t.Name)] = names
		add := func(kind readiness.ObjectType, name string, src semanticmodel.Source) {
			names[strings.ToLower(name)] = true
			if key := newObject(kind, t.Name, name); at.objects[key].File == "" {
				at.objects[key] = src
			}
		}
		add(readiness.TableObject, "", t.Source)
		for _, c := range t.Columns {
			add(readiness.ColumnObject, c.Name, c.Source)
		}
		for _, measure := range t.Measures {
			add(readiness.MeasureObject, measure.Name, measure.Source)
		}
	}
	for _, r := range m.Relationships {
		label := r.FromTable + "[" + r.FromColumn + "] -> " + r.ToTable + "[" + r.ToColumn + "]"
		at.objects[newObject(readiness.RelationshipObject, r.FromTable, label)] = r.Source
		if names := at.names[strings.ToLower(r.FromTable)]; names != nil {
			names[strings.ToLower(label)] = true
		}
	}
	for _, a := range m.Copilot.VerifiedAnswers {
		at.names[""][strings.ToLower(a.Folder)] = true
	}
	for _, id := range ruleIDs {
		at.names[""]["#"+strings.ToLower(id)] = true
	}
	return at
}

// first is the first of the parts that is there, else any.
func (at *places) first(parts ...string) string {
	for _, name := range parts {
		if p, ok := at.d.Named(name); ok {
			return p.Path
		}
	}
	return at.d.Parts[0].Path // no definition is without a part
}

// file is a part as it is shown.
func (at *places) file(part string) string { return path.Join(at.folder, part) }

// of is where to look for what a finding says: the declaration of its object, or
// the part that the rule is about.
func (at *places) of(f readiness.Finding) (file string, line int) {
	src, ok := at.objects[newObject(f.ObjectType, f.Table, f.ObjectName)]
	if !ok {
		src = at.model
		about := ""
		switch {
		case f.ObjectType == readiness.VerifiedAnswerObject:
			about = "Copilot/VerifiedAnswers/definitions/" + f.ObjectName + "/definition.json"
		case f.Dimension == "instructions":
			about = instructionsPart
		case f.Dimension == "visibility":
			about = schemaPart
		}
		if p, there := at.d.Named(about); there {
			src = semanticmodel.Source{File: p.Path}
		}
	}
	return at.file(src.File), max(src.Line, 1)
}

// The parts that hold the AI instructions and the AI data schema.
const (
	instructionsPart = "Copilot/Instructions/instructions.md"
	schemaPart       = "Copilot/schema.json"
)
