package offline

import (
	"path"
	"strings"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rules/instructions"
	"readiness/offline/rulehelp"
)

// places holds where the objects of a semantic model are declared.
type places struct {
	folder  string // relative to the root
	d       definition.Definition
	model   semanticmodel.Source
	objects map[object]semanticmodel.Source
	names   modelNames
	files   map[string]string // by part: findings share them
}

// object identifies the object of a finding. Names are in lower case, because a relationship may spell the names of its
// columns differently.
type object struct {
	kind        finding.ObjectType
	table, name string
}

func newObject(kind finding.ObjectType, table, name string) object {
	return object{kind, strings.ToLower(table), strings.ToLower(name)}
}

// newPlaces returns the places of a model. With a nil model, only its file is known.
func newPlaces(i Item, d definition.Definition, m *semanticmodel.Model) *places {
	at := &places{folder: i.Folder(), d: d, objects: map[object]semanticmodel.Source{}, names: modelNames{"": {"#": true}},
		files: map[string]string{}}
	at.model = semanticmodel.Source{File: at.first("definition/model.tmdl", "model.tmdl", "model.bim", "definition.pbism"), Line: 1}
	if m == nil {
		return at
	}
	for _, t := range m.Tables {
		names := map[string]bool{"": true}
		at.names[strings.ToLower(t.Name)] = names
		add := func(kind finding.ObjectType, name string, src semanticmodel.Source) {
			names[strings.ToLower(name)] = true
			if key := newObject(kind, t.Name, name); at.objects[key].File == "" {
				at.objects[key] = src
			}
		}
		add(finding.TableObject, "", t.Source)
		for _, c := range t.Columns {
			add(finding.ColumnObject, c.Name, c.Source)
		}
		for _, measure := range t.Measures {
			add(finding.MeasureObject, measure.Name, measure.Source)
		}
		for _, h := range t.Hierarchies {
			add(finding.HierarchyObject, h.Name, h.Source)
		}
		for _, p := range t.Partitions {
			add(finding.PartitionObject, finding.PartitionObject.NameOf(p.Name), t.Source)
		}
	}
	for _, r := range m.Relationships {
		label := r.FromTable + "[" + r.FromColumn + "] -> " + r.ToTable + "[" + r.ToColumn + "]"
		at.objects[newObject(finding.RelationshipObject, r.FromTable, label)] = r.Source
		if names := at.names[strings.ToLower(r.FromTable)]; names != nil {
			names[strings.ToLower(label)] = true
		}
	}
	for _, name := range m.Perspectives {
		at.names[""][strings.ToLower(finding.PerspectiveObject.NameOf(name))] = true
	}
	for _, a := range m.Copilot.VerifiedAnswers {
		at.names[""][strings.ToLower(a.Folder)] = true
	}
	for _, id := range ruleIDs {
		for _, name := range instructions.ModelNames(id) {
			at.names[""][strings.ToLower(name)] = true
		}
	}
	return at
}

// ruleIDs lists the rules of the current regime.
var ruleIDs = rulehelp.IDs(readiness.Current())

// first returns the first of the parts that exists, else any part.
func (at *places) first(parts ...string) string {
	for _, name := range parts {
		if p, ok := at.d.Named(name); ok {
			return p.Path
		}
	}
	return at.d.Parts[0].Path // a definition has at least one part
}

// file returns a part's path relative to the root.
func (at *places) file(part string) string {
	file, known := at.files[part]
	if !known {
		file = path.Join(at.folder, part)
		at.files[part] = file
	}
	return file
}

// place returns the place of a declaration.
func (at *places) place(src semanticmodel.Source) Place {
	return Place{at.file(src.File), max(src.Line, 1)}
}

// of returns the place for a finding: the declaration of its object, or the part that the rule checks.
func (at *places) of(f readiness.Finding) (file string, line int) {
	src, ok := at.objects[newObject(f.ObjectType, f.Table, f.ObjectName)]
	if !ok {
		src = at.model
		about := ""
		switch {
		case f.ObjectType == finding.VerifiedAnswerObject:
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

// The parts with the AI instructions and the AI data schema.
const (
	instructionsPart = "Copilot/Instructions/instructions.md"
	schemaPart       = "Copilot/schema.json"
)
