package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"readiness/definition/jsonpart"
	"readiness/definition/spelling"
)

const entitiesMember = "Entities"

// The members of a linguistic schema that precede an added member.
var (
	beforeInstructions = []string{"Version", "Language", "DynamicImprovement", "MinResultConfidence"}
	beforeEntities     = append(slices.Clone(beforeInstructions), "CustomInstructions", "Namespaces")
	beforeVisibility   = []string{"Definition", "State"}
)

// instruct sets the AI instructions of a linguistic schema and returns the previous
// value.
func instruct(root *jsonpart.Value, text string) *string {
	m := root.Member("CustomInstructions")
	if m == nil {
		root.Add("CustomInstructions", text, beforeInstructions...)
		return nil
	}
	was := string(m.Raw())
	if now, ok := m.Text(); !ok || now != text {
		m.SetText(text)
	}
	return &was
}

func uninstruct(root *jsonpart.Value, u Undo) error {
	m := root.Member("CustomInstructions")
	if now, ok := textOf(m); !ok || !Same(Instructions, &now, &u.Written) {
		return ErrChanged
	}
	putBack(m, u.was())
	return nil
}

// putBack restores the member's value, or removes it if it did not exist.
func putBack(m *jsonpart.Value, was *string) {
	if was == nil {
		m.Remove()
		return
	}
	m.Set([]byte(*was))
}

func textOf(v *jsonpart.Value) (string, bool) {
	if v == nil {
		return "", false
	}
	return v.Text()
}

// bound returns the folded object that an entity of the linguistic schema is bound
// to; nothing for a hierarchy.
func bound(entity *jsonpart.Value) object {
	definition := entity.Member("Definition")
	if definition == nil {
		return nothing
	}
	binding := definition.Member("Binding")
	if binding == nil {
		return nothing
	}
	var o object
	for _, m := range binding.Items() {
		text, _ := m.Text()
		switch {
		case m.Name == "ConceptualEntity":
			o.table = spelling.FoldSpace(text)
		case m.Name == "ConceptualProperty":
			o.name = spelling.FoldSpace(text)
		case (m.Name == "Hierarchy" || m.Name == "HierarchyLevel") && m.Kind() != 'n':
			return nothing
		}
	}
	return o
}

// showEntity sets the visibility of an entity of a linguistic schema, adding the
// entity if there is none, and returns the previous value.
func (e *edit) showEntity(root *jsonpart.Value, c Change, made map[string]string) (*string, error) {
	if c.Value == "Auto" {
		return nil, errors.New("the linguistic schema allows only Visible and Hidden")
	}
	visibility := jsonpart.Object{{Name: "Value", Value: c.Value}, {Name: "State", Value: "Authored"}}
	entities, err := e.entitiesOf(root)
	if err != nil {
		return nil, err
	}
	if was, ok := e.made[entities]; ok {
		made["entities"] = was
	}
	entity := e.findItem(entities, object{c.Table, c.Name}, bound)
	if entity == nil {
		made["entity"] = ""
		binding := jsonpart.Object{{Name: "ConceptualEntity", Value: c.Table}}
		if c.Name != "" {
			binding = append(binding, jsonpart.Field{Name: "ConceptualProperty", Value: c.Name})
		}
		entities.Add(freeKey(entities, c.Table, c.Name), jsonpart.Object{
			{Name: "Definition", Value: jsonpart.Object{{Name: "Binding", Value: binding}}},
			{Name: "State", Value: "Generated"},
			{Name: "Visibility", Value: visibility},
		})
		return nil, nil
	}
	v := entity.Member("Visibility")
	if v == nil {
		entity.Add("Visibility", visibility, beforeVisibility...)
		return nil, nil
	}
	was := string(v.Raw())
	value := v.Member("Value")
	if value == nil {
		v.Set([]byte("{}"))
		for _, f := range visibility {
			v.Add(f.Name, f.Value)
		}
		return &was, nil
	}
	if now, ok := value.Text(); !ok || now != c.Value {
		value.SetText(c.Value)
	}
	if state := v.Member("State"); state == nil {
		v.Add("State", "Authored", "Value")
	} else if now, ok := state.Text(); !ok || now != "Authored" {
		state.SetText("Authored")
	}
	return &was, nil
}

// entitiesOf returns the member with the entities of a linguistic schema. If it is absent, null or empty, it is created.
func (e *edit) entitiesOf(root *jsonpart.Value) (*jsonpart.Value, error) {
	v := root.Member(entitiesMember)
	switch {
	case v == nil:
		v = root.Add(entitiesMember, jsonpart.Object{}, beforeEntities...)
		e.made[v] = ""
	case v.Kind() == 'n':
		v.Set([]byte("{}"))
		e.made[v] = "null"
	case v.Kind() != '{':
		return nil, errors.New("the member Entities of the linguistic schema is not an object")
	case len(v.Items()) == 0:
		if _, known := e.made[v]; !known {
			e.made[v] = string(v.Raw())
		}
	}
	return v, nil
}

func (e *edit) unshowEntity(root *jsonpart.Value, u Undo) error {
	entities := root.Member(entitiesMember)
	entity := e.findItem(entities, object{u.Table, u.Name}, bound)
	if entity == nil {
		return ErrChanged
	}
	v := entity.Member("Visibility")
	if v == nil {
		return ErrChanged
	}
	if now, ok := textOf(v.Member("Value")); !ok || now != u.Written {
		return ErrChanged
	}
	putBack(v, u.was())
	if _, made := u.Made["entity"]; made && hasOnly(entity, beforeVisibility...) {
		entity.Remove()
	}
	if was, made := u.Made["entities"]; made && len(entities.Items()) == 0 {
		if was == "" {
			entities.Remove()
		} else {
			entities.Set([]byte(was))
		}
	}
	return nil
}

// hasOnly reports whether an object has no members other than those named.
func hasOnly(v *jsonpart.Value, names ...string) bool {
	return !slices.ContainsFunc(v.Items(), func(m *jsonpart.Value) bool { return !slices.Contains(names, m.Name) })
}

// freeKey returns a key for a new entity: formed from the names as Power BI does,
// with a number appended if it is taken.
func freeKey(entities *jsonpart.Value, table, name string) string {
	key := keyOf(table)
	if name != "" {
		key += "." + keyOf(name)
	}
	free := key
	for n := 1; entities.Member(free) != nil; n++ {
		free = fmt.Sprintf("%s_%d", key, n)
	}
	return free
}

func keyOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '_'
	}, name)
}
