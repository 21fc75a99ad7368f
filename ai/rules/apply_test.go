package rules_test

import (
	"slices"
	"strings"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// applied returns a copy of a model with the proposals applied.
func applied(m *semanticmodel.Model, typ proposal.Type, proposals []proposal.Proposal) *semanticmodel.Model {
	c := *m
	c.Tables = slices.Clone(m.Tables)
	for i := range c.Tables {
		c.Tables[i].Columns = slices.Clone(c.Tables[i].Columns)
		c.Tables[i].Measures = slices.Clone(c.Tables[i].Measures)
	}
	if s := m.Copilot.Schema; s != nil {
		schema := semanticmodel.AISchema{Tables: slices.Clone(s.Tables)}
		for i := range schema.Tables {
			schema.Tables[i].Columns = slices.Clone(schema.Tables[i].Columns)
			schema.Tables[i].Measures = slices.Clone(schema.Tables[i].Measures)
		}
		c.Copilot.Schema = &schema
	}
	for _, p := range proposals {
		put(&c, typ, p)
	}
	return &c
}

func put(m *semanticmodel.Model, typ proposal.Type, p proposal.Proposal) {
	if typ == proposal.AIInstructions {
		m.Copilot.Instructions = &p.Value
		return
	}
	if typ == proposal.AIDataSchema {
		show(m, p)
		return
	}
	if typ == proposal.Synonyms {
		_, synonyms := entry(m, p.Object)
		*synonyms = strings.Split(p.Value, "\n")
		return
	}
	t := &m.Tables[slices.IndexFunc(m.Tables, func(t semanticmodel.Table) bool { return t.Name == p.Table })]
	switch p.Object.Type {
	case proposal.Table:
		t.Description = p.Value
	case proposal.Column:
		t.Columns[slices.IndexFunc(t.Columns, func(c semanticmodel.Column) bool { return c.Name == p.Name })].Description = p.Value
	default:
		x := &t.Measures[slices.IndexFunc(t.Measures, func(m semanticmodel.Measure) bool { return m.Name == p.Name })]
		if typ == proposal.DisplayFolder {
			x.DisplayFolder = p.Value
		} else {
			x.Description = p.Value
		}
	}
}

// show sets a visibility in the AI data schema.
func show(m *semanticmodel.Model, p proposal.Proposal) {
	visibility, _ := entry(m, p.Object)
	*visibility = p.Value
}

// entry returns the visibility and the synonyms of an object in the AI data schema, which gets an entry.
func entry(m *semanticmodel.Model, o proposal.Object) (visibility *string, synonyms *[]string) {
	if m.Copilot.Schema == nil {
		m.Copilot.Schema = &semanticmodel.AISchema{}
	}
	s := m.Copilot.Schema
	at := slices.IndexFunc(s.Tables, func(t semanticmodel.AITable) bool { return t.Name == o.Table })
	if at < 0 {
		at = len(s.Tables)
		s.Tables = append(s.Tables, semanticmodel.AITable{Name: o.Table})
	}
	t := &s.Tables[at]
	if o.Type == proposal.Table {
		return &t.Visibility, &t.Synonyms
	}
	fields := &t.Columns
	if o.Type == proposal.Measure {
		fields = &t.Measures
	}
	i := slices.IndexFunc(*fields, func(f semanticmodel.AIField) bool { return f.Name == o.Name })
	if i < 0 {
		i = len(*fields)
		*fields = append(*fields, semanticmodel.AIField{Name: o.Name})
	}
	return &(*fields)[i].Visibility, &(*fields)[i].Synonyms
}

// fixable returns the objects that violate rules.
func fixable(m *semanticmodel.Model, rule ...string) []proposal.Object {
	var objects []proposal.Object
	for _, f := range readiness.Current().Assess(m, readiness.Options{}).Findings {
		if slices.ContainsFunc(f.RuleIDs, func(id string) bool { return slices.Contains(rule, id) }) {
			kind := map[finding.ObjectType]proposal.ObjectType{
				finding.TableObject: proposal.Table, finding.ColumnObject: proposal.Column, finding.MeasureObject: proposal.Measure,
			}[f.ObjectType]
			objects = append(objects, proposal.Object{Table: f.Table, Name: f.ObjectName, Type: kind})
		}
	}
	return objects
}

var descriptionRules = []string{"DSC-01", "DSC-02", "DSC-03", "DSC-05", "DSC-07"}

// asks returns the asks of a bundle, for the model as it is: also about what the AI data schema would
// show.
func asks(m *semanticmodel.Model) []proposal.Ask {
	schema := rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m})
	shown := proposal.Show(m, onlyRecommended(schema.Proposals))
	both := func(rule ...string) []proposal.Object {
		all := fixable(m, rule...)
		for _, o := range fixable(shown, rule...) {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
		return all
	}
	return []proposal.Ask{
		{Type: proposal.AIInstructions, Model: m},
		{Type: proposal.Description, Model: m, Objects: both(descriptionRules...)},
		{Type: proposal.DisplayFolder, Model: m, Objects: both("MEA-04")},
		{Type: proposal.AIDataSchema, Model: m},
		{Type: proposal.Synonyms, Model: m},
	}
}

func onlyRecommended(proposals []proposal.Proposal) []proposal.Proposal {
	return slices.DeleteFunc(slices.Clone(proposals), func(p proposal.Proposal) bool { return !p.Recommended })
}

// optimized returns the model with every proposal of a bundle, or only the recommended ones.
func optimized(m *semanticmodel.Model, recommended bool) *semanticmodel.Model {
	out := m
	for _, ask := range asks(m) {
		a := rules.Propose(ask)
		if recommended && ask.Type == proposal.AIDataSchema {
			a.Proposals = onlyRecommended(a.Proposals)
		}
		out = applied(out, ask.Type, a.Proposals)
	}
	return out
}
