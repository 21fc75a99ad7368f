package optimization

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/internal/lists"
)

// Targets are the objects of a preview and the type of change to propose for them.
type Targets struct {
	Type    proposal.Type
	Objects []proposal.Object
}

// defaultRules are the rules whose findings a field default of none resolves.
var defaultRules = []string{"TYP-01", "TYP-02"}

// folderRule is the rule whose findings a display folder resolves.
const folderRule = "MEA-04"

// TargetsOf returns the targets of the kind's preview from the findings of the latest
// assessment, the highest impact first, one element for each type that has any. Kinds
// that concern the entire model have none.
func TargetsOf(k Kind, findings []readiness.Finding) []Targets {
	var all []Targets
	add := func(t proposal.Type, wanted func(readiness.Finding) bool) {
		var objects []proposal.Object
		seen := map[proposal.Object]bool{}
		for _, f := range findings {
			o, ok := objectOf(f)
			if ok && wanted(f) && !seen[o] {
				seen[o] = true
				objects = append(objects, o)
			}
		}
		if len(objects) > 0 {
			all = append(all, Targets{t, objects})
		}
	}
	switch k {
	case Descriptions:
		add(proposal.Description, func(f readiness.Finding) bool {
			return slices.Contains(f.FixKinds, finding.Descriptions)
		})
	case Properties:
		add(proposal.DisplayFolder, func(f readiness.Finding) bool {
			return f.ObjectType == finding.MeasureObject && slices.Contains(f.RuleIDs, folderRule)
		})
		add(proposal.SummarizeBy, func(f readiness.Finding) bool {
			return f.ObjectType == finding.ColumnObject &&
				slices.ContainsFunc(defaultRules, func(id string) bool { return slices.Contains(f.RuleIDs, id) })
		})
	case AIInstructions, AIDataSchema:
	}
	return all
}

// Memory keeps what the previews of one model have in common. It is not safe for concurrent use, except Assessed.
type Memory struct {
	proposal.Memory
	// Assessed is what the assessments have in common.
	Assessed model.Memory
	// findings are those of the model with some proposals for the AI data schema.
	findings []readiness.Finding
	with     []proposal.Proposal
}

// toBeShown returns the targets of a kind's preview among the fields that proposals for the
// AI data schema would show to an AI: nothing judges these yet. Without them, a preview
// after the schema is applied would propose more.
func (known *Memory) toBeShown(k Kind, m *semanticmodel.Model, schema []proposal.Proposal, by *readiness.Regime, o readiness.Options) []Targets {
	shown := map[proposal.Object]bool{}
	applied := slices.DeleteFunc(slices.Clone(schema), func(p proposal.Proposal) bool { return !p.Recommended })
	for _, p := range applied {
		shown[p.Object] = p.Value == proposal.Visible && p.Object.Type != proposal.Table
	}
	if !slices.ContainsFunc(applied, func(p proposal.Proposal) bool { return shown[p.Object] }) {
		return nil
	}
	if !slices.Equal(known.with, applied) {
		o.Memory = &known.Assessed
		known.findings, known.with = by.Assess(proposal.Show(m, applied), o).Findings, applied
	}
	all := TargetsOf(k, known.findings)
	for i := range all {
		all[i].Objects = slices.DeleteFunc(all[i].Objects, func(o proposal.Object) bool { return !shown[o] })
	}
	return all
}

// joined returns targets with more of them after, each object once.
func joined(all, more []Targets) []Targets {
	all = slices.Clone(all)
	for _, t := range more {
		at := slices.IndexFunc(all, func(known Targets) bool { return known.Type == t.Type })
		if at < 0 {
			at = len(all)
			all = append(all, Targets{Type: t.Type})
		}
		known := lists.Set(all[at].Objects)
		for _, o := range t.Objects {
			if !known[o] {
				all[at].Objects = append(slices.Clip(all[at].Objects), o)
			}
		}
	}
	return slices.DeleteFunc(all, func(t Targets) bool { return len(t.Objects) == 0 })
}

// withItemColumns adds, after each calculation group, the column whose description
// should name its items and does not. Rule DSC-07 reports the table, and describing
// this column resolves the finding.
func (t Targets) withItemColumns(m *semanticmodel.Model) Targets {
	groups := map[string]*semanticmodel.Table{}
	for i := range m.Tables {
		if m.Tables[i].CalculationGroup != nil {
			groups[m.Tables[i].Name] = &m.Tables[i]
		}
	}
	known := lists.Set(t.Objects)
	var objects []proposal.Object
	for _, o := range t.Objects {
		objects = append(objects, o)
		if o.Type != proposal.Table || groups[o.Table] == nil {
			continue
		}
		c := itemColumn(groups[o.Table])
		if c == nil || namesItems(c.Description, groups[o.Table].CalculationGroup.Items) {
			continue
		}
		if column := (proposal.Object{Table: o.Table, Name: c.Name, Type: proposal.Column}); !known[column] {
			objects = append(objects, column)
		}
	}
	t.Objects = objects
	return t
}

// itemColumn returns the column with the names of a calculation group's items: the one
// with source column Name, else the only text column; nil when there is none.
func itemColumn(t *semanticmodel.Table) *semanticmodel.Column {
	var texts []*semanticmodel.Column
	for i := range t.Columns {
		switch c := &t.Columns[i]; {
		case c.SourceColumn == "Name":
			return c
		case c.DataType == semanticmodel.String:
			texts = append(texts, c)
		}
	}
	if len(texts) != 1 {
		return nil
	}
	return texts[0]
}

// namesItems reports whether the part of the description that an AI reads names every
// item.
func namesItems(description string, items []semanticmodel.CalculationItem) bool {
	read := strings.ToLower(domain.FirstCharacters(description, proposal.MaxDescription))
	return !slices.ContainsFunc(items, func(i semanticmodel.CalculationItem) bool {
		return !strings.Contains(read, strings.ToLower(i.Name))
	})
}

func objectOf(f readiness.Finding) (proposal.Object, bool) {
	o := proposal.Object{Table: f.Table, Name: f.ObjectName}
	switch f.ObjectType {
	case finding.TableObject:
		o.Type = proposal.Table
	case finding.ColumnObject:
		o.Type = proposal.Column
	case finding.MeasureObject:
		o.Type = proposal.Measure
	default:
		return o, false
	}
	return o, true
}
