package optimization

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
)

// Targets are the objects of a preview and the type of change to propose for them.
type Targets struct {
	Type    proposal.Type
	Objects []proposal.Object
	// More is how many further objects there are beyond the cap.
	More int
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
	add := func(t proposal.Type, most int, wanted func(readiness.Finding) bool) {
		var objects []proposal.Object
		seen := map[proposal.Object]bool{}
		for _, f := range findings {
			o, ok := objectOf(f)
			if ok && wanted(f) && !seen[o] {
				seen[o] = true
				objects = append(objects, o)
			}
		}
		if len(objects) == 0 {
			return
		}
		more := 0
		if most > 0 && len(objects) > most {
			more = len(objects) - most
			objects = objects[:most]
		}
		all = append(all, Targets{t, objects, more})
	}
	switch k {
	case Descriptions:
		add(proposal.Description, MaxDescriptions, func(f readiness.Finding) bool {
			return slices.Contains(f.FixKinds, readiness.Descriptions)
		})
	case Properties:
		add(proposal.DisplayFolder, 0, func(f readiness.Finding) bool {
			return f.ObjectType == readiness.MeasureObject && slices.Contains(f.RuleIDs, folderRule)
		})
		add(proposal.SummarizeBy, 0, func(f readiness.Finding) bool {
			return f.ObjectType == readiness.ColumnObject &&
				slices.ContainsFunc(defaultRules, func(id string) bool { return slices.Contains(f.RuleIDs, id) })
		})
	case AIInstructions, AIDataSchema:
	}
	return all
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
		if column := (proposal.Object{Table: o.Table, Name: c.Name, Type: proposal.Column}); !slices.Contains(t.Objects, column) {
			objects = append(objects, column)
		}
	}
	if over := len(objects) - MaxDescriptions; over > 0 {
		objects, t.More = objects[:MaxDescriptions], t.More+over
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
	runes := []rune(description)
	read := strings.ToLower(string(runes[:min(len(runes), proposal.MaxDescription)]))
	return !slices.ContainsFunc(items, func(i semanticmodel.CalculationItem) bool {
		return !strings.Contains(read, strings.ToLower(i.Name))
	})
}

func objectOf(f readiness.Finding) (proposal.Object, bool) {
	o := proposal.Object{Table: f.Table, Name: f.ObjectName}
	switch f.ObjectType {
	case readiness.TableObject:
		o.Type = proposal.Table
	case readiness.ColumnObject:
		o.Type = proposal.Column
	case readiness.MeasureObject:
		o.Type = proposal.Measure
	default:
		return o, false
	}
	return o, true
}
