package rewrite

import (
	"reflect"
	"slices"

	"readiness/definition/semanticmodel"
)

// expect makes the changes in the model that was read before they were written.
func (e *edit) expect(undos []Undo) {
	for _, u := range undos {
		table, column, measure := e.find(u.Target)
		switch {
		case u.Property == Instructions && u.Culture == "":
			e.model.Copilot.Instructions = &u.Written
		case u.Property == Instructions:
			e.cultureNamed(u.Culture).CustomInstructions = &u.Written
		case u.Property == Visibility && u.Culture == "":
			e.expectEntry(u)
		case u.Property == Visibility:
			expectEntity(e.cultureNamed(u.Culture), u)
		case u.Property == SummarizeBy:
			column.SummarizeBy = u.Written
		case u.Property == DisplayFolder && column != nil:
			column.DisplayFolder = u.Written
		case u.Property == DisplayFolder:
			measure.DisplayFolder = u.Written
		case table != nil:
			table.Description = u.Written
		case column != nil:
			column.Description = u.Written
		default:
			measure.Description = u.Written
		}
	}
}

func (e *edit) cultureNamed(name string) *semanticmodel.Culture {
	i := slices.IndexFunc(e.model.Cultures, func(c semanticmodel.Culture) bool { return c.Name == name })
	return &e.model.Cultures[i]
}

// expectEntry sets the visibility in the AI data schema.
func (e *edit) expectEntry(u Undo) {
	c := &e.model.Copilot
	if c.Schema == nil {
		c.Schema = &semanticmodel.AISchema{}
	}
	i := slices.IndexFunc(c.Schema.Tables, func(t semanticmodel.AITable) bool { return fold(t.Name) == fold(u.Table) })
	if i < 0 {
		i = len(c.Schema.Tables)
		c.Schema.Tables = append(c.Schema.Tables, semanticmodel.AITable{Name: u.Table})
	}
	table := &c.Schema.Tables[i]
	if u.Name == "" {
		table.Visibility = u.Written
		return
	}
	fields := &table.Columns
	if e.list(u.Target) == measures {
		fields = &table.Measures
	}
	i = slices.IndexFunc(*fields, func(f semanticmodel.AIField) bool { return fold(f.Name) == fold(u.Name) })
	if i < 0 {
		i = len(*fields)
		*fields = append(*fields, semanticmodel.AIField{Name: u.Name})
	}
	(*fields)[i].Visibility = u.Written
}

// expectEntity sets the visibility in the linguistic schema of the culture.
func expectEntity(c *semanticmodel.Culture, u Undo) {
	i := slices.IndexFunc(c.Entities, func(e semanticmodel.LinguisticEntity) bool {
		return !e.OfHierarchy && fold(e.Table) == fold(u.Table) && fold(e.Property) == fold(u.Name)
	})
	if i < 0 {
		i = len(c.Entities)
		c.Entities = append(c.Entities, semanticmodel.LinguisticEntity{Table: u.Table, Property: u.Name})
	}
	c.Entities[i].Visibility, c.Entities[i].VisibilityState = u.Written, "Authored"
}

// difference says in what the models differ, "" when in nothing but where their
// objects are declared.
func difference(a, b *semanticmodel.Model) string {
	withoutSources(a)
	withoutSources(b)
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return x.Type().Field(i).Name
		}
	}
	return ""
}

func withoutSources(m *semanticmodel.Model) {
	none := semanticmodel.Source{}
	for i := range m.Tables {
		t := &m.Tables[i]
		t.Source = none
		for j := range t.Columns {
			t.Columns[j].Source = none
		}
		for j := range t.Measures {
			t.Measures[j].Source = none
		}
		for j := range t.Hierarchies {
			t.Hierarchies[j].Source = none
		}
		if t.CalculationGroup != nil {
			for j := range t.CalculationGroup.Items {
				t.CalculationGroup.Items[j].Source = none
			}
		}
	}
	for i := range m.Relationships {
		m.Relationships[i].Source = none
	}
}
