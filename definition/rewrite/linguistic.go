package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"readiness/definition/jsonpart"
)

// The members of a linguistic schema that stand before those that are added.
var (
	beforeInstructions = []string{"Version", "Language", "DynamicImprovement", "MinResultConfidence"}
	beforeVisibility   = []string{"Definition", "State"}
)

// instruct sets the AI instructions of a linguistic schema, and returns the value
// that stood there.
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
	if now, ok := textOf(m); !ok || now != u.Written {
		return ErrChanged
	}
	putBack(m, u.was())
	return nil
}

// putBack makes the member what it was, nothing when it was not there.
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

// entity finds the one of the linguistic schema that is bound to the object.
func entity(entities *jsonpart.Value, o object) *jsonpart.Value {
	if entities == nil {
		return nil
	}
	want := object{fold(o.table), fold(o.name)}
	for _, e := range entities.Items() {
		definition := e.Member("Definition")
		if definition == nil {
			continue
		}
		if binding := definition.Member("Binding"); binding != nil && boundTo(binding) == want {
			return e
		}
	}
	return nil
}

// boundTo is the object that the binding names, folded; none for a hierarchy.
func boundTo(binding *jsonpart.Value) object {
	var o object
	for _, m := range binding.Items() {
		text, _ := m.Text()
		switch {
		case m.Name == "ConceptualEntity":
			o.table = fold(text)
		case m.Name == "ConceptualProperty":
			o.name = fold(text)
		case (m.Name == "Hierarchy" || m.Name == "HierarchyLevel") && m.Kind() != 'n':
			return object{}
		}
	}
	return o
}

// showEntity sets the visibility of an entity of a linguistic schema, which it
// adds when there is none, and returns the value that stood there.
func showEntity(root *jsonpart.Value, c Change, made map[string]string) (*string, error) {
	if c.Value == "Auto" {
		return nil, errors.New("the linguistic schema keeps Visible and Hidden only")
	}
	visibility := jsonpart.Object{{Name: "Value", Value: c.Value}, {Name: "State", Value: "Authored"}}
	entities := root.Member("Entities")
	if entities == nil || entities.Kind() != '{' {
		return nil, errors.New("the member Entities of the linguistic schema is no object")
	}
	e := entity(entities, object{c.Table, c.Name})
	if e == nil {
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
	v := e.Member("Visibility")
	if v == nil {
		e.Add("Visibility", visibility, beforeVisibility...)
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

func unshowEntity(root *jsonpart.Value, u Undo) error {
	e := entity(root.Member("Entities"), object{u.Table, u.Name})
	if e == nil {
		return ErrChanged
	}
	v := e.Member("Visibility")
	if v == nil {
		return ErrChanged
	}
	if now, ok := textOf(v.Member("Value")); !ok || now != u.Written {
		return ErrChanged
	}
	putBack(v, u.was())
	if _, made := u.Made["entity"]; made && hasOnly(e, beforeVisibility...) {
		e.Remove()
	}
	return nil
}

// hasOnly is true for an object without other members than those named.
func hasOnly(v *jsonpart.Value, names ...string) bool {
	return !slices.ContainsFunc(v.Items(), func(m *jsonpart.Value) bool { return !slices.Contains(names, m.Name) })
}

// freeKey is a key for a new entity: the names as Power BI makes keys of them, with
// a number behind when it is taken.
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
