package rewrite

import (
	"reflect"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
)

// expectation is the model as read before the write, to which the same changes are
// made. Its indexes hold the first object of each name.
type expectation struct {
	*edit
	tables   map[string]int            // entries of the AI data schema
	lists    map[object]map[string]int // and in each, by table and list
	entities map[object]int
}

// expect makes the changes in the model that was read before the write.
func (e *edit) expect(undos []Undo) {
	x := expectation{edit: e, lists: map[object]map[string]int{}}
	for _, u := range undos {
		table, column, measure := e.find(u.Target)
		switch {
		case u.Property == Instructions && u.Culture == "":
			e.model.Copilot.Present, e.model.Copilot.Instructions = true, &u.Written
		case u.Property == Instructions:
			e.cultureNamed(u.Culture).CustomInstructions = &u.Written
		case u.Property == Visibility && u.Culture == "":
			visibility, _ := x.aiEntry(u)
			*visibility = u.Written
		case u.Property == Synonyms:
			_, synonyms := x.aiEntry(u)
			*synonyms = strings.Split(u.Written, "\n")
		case u.Property == Visibility:
			x.setEntity(e.cultureNamed(u.Culture), u)
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

// aiEntry returns the visibility and the synonyms of the object's entry in the AI data
// schema, which it adds if there is none.
func (x *expectation) aiEntry(u Undo) (visibility *string, synonyms *[]string) {
	c := &x.model.Copilot
	c.Present = true
	if c.Schema == nil {
		c.Schema = &semanticmodel.AISchema{}
	}
	if x.tables == nil {
		x.tables = places(c.Schema.Tables, func(t semanticmodel.AITable) string { return spelling.FoldSpace(t.Name) })
	}
	table := at(&c.Schema.Tables, x.tables, spelling.FoldSpace(u.Table), semanticmodel.AITable{Name: u.Table})
	if u.Name == "" {
		return &table.Visibility, &table.Synonyms
	}
	fields := &table.Columns
	list := object{spelling.FoldSpace(u.Table), x.list(u.Target)}
	if list.name == measures {
		fields = &table.Measures
	}
	if x.lists[list] == nil {
		x.lists[list] = places(*fields, func(f semanticmodel.AIField) string { return spelling.FoldSpace(f.Name) })
	}
	field := at(fields, x.lists[list], spelling.FoldSpace(u.Name), semanticmodel.AIField{Name: u.Name})
	return &field.Visibility, &field.Synonyms
}

// setEntity sets the visibility in the linguistic schema of the culture.
func (x *expectation) setEntity(c *semanticmodel.Culture, u Undo) {
	if x.entities == nil {
		x.entities = places(c.Entities, func(e semanticmodel.LinguisticEntity) object {
			if e.OfHierarchy {
				return nothing
			}
			return object{spelling.FoldSpace(e.Table), spelling.FoldSpace(e.Property)}
		})
	}
	entity := at(&c.Entities, x.entities, object{spelling.FoldSpace(u.Table), spelling.FoldSpace(u.Name)},
		semanticmodel.LinguisticEntity{Table: u.Table, Property: u.Name})
	entity.Visibility, entity.VisibilityState = u.Written, "Authored"
}

// places returns the index of the first item of each name.
func places[T any, N comparable](items []T, name func(T) N) map[N]int {
	first := make(map[N]int, len(items))
	for i, item := range slices.Backward(items) {
		first[name(item)] = i
	}
	return first
}

// at returns the item of the name, and adds it if there is none.
func at[T any, N comparable](items *[]T, places map[N]int, name N, added T) *T {
	i, ok := places[name]
	if !ok {
		i = len(*items)
		*items = append(*items, added)
		places[name] = i
	}
	return &(*items)[i]
}

// difference returns how the models differ; "" if they differ only in where their
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
	m.Notices = nil // they contain line numbers
	for i := range m.Unread {
		m.Unread[i].Line, m.Unread[i].Column = 0, 0
	}
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
