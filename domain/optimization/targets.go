package optimization

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
)

// Targets are the objects a preview is of: which to propose what for.
type Targets struct {
	Type    proposal.Type
	Objects []proposal.Object
	// More is how many objects beyond these there are, above the cap.
	More int
}

// defaultRules are those that a field default of none clears (spec 4.5, preview
// rule 4; decisions 4).
var defaultRules = []string{"TYP-01", "TYP-02"}

// folderRule is the one that a display folder clears.
const folderRule = "MEA-04"

// TargetsOf returns what the kind's preview is of by the findings of the latest
// assessment, the highest impact first, one for each type that has any (spec 4.5,
// preview rules 3 and 4). The other kinds concern the model as a whole and have
// none.
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
			return f.ObjectType == readiness.ColumnObject && slices.ContainsFunc(defaultRules, func(id string) bool { return slices.Contains(f.RuleIDs, id) })
		})
	case AIInstructions, AIDataSchema:
	}
	return all
}

// withItemColumns adds, behind each calculation group, the column whose
// description is to name its items and does not: the finding of rule DSC-07 is of
// the table, and this is what clears it.
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

// itemColumn is the column that holds the names of a calculation group's items:
// the one with source column Name, else the only text column; nil for none.
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

// namesItems reports whether what an AI reads of the description names every
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
