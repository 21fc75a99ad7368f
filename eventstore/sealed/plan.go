package sealed

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Plan holds which members of a type's JSON form are sealed. A nil Plan seals none.
type Plan struct {
	sealed  bool
	members map[string]*Plan
	each    *Plan // of the elements of a list, or the values of a map
}

// PlanOf returns the plan of a type by its tags. It fails on a tag with another value than "text", and on a tag of a member that
// is not a JSON member.
func PlanOf(t reflect.Type) (*Plan, error) { return planOf(t, map[reflect.Type]bool{}) }

func planOf(t reflect.Type, within map[reflect.Type]bool) (*Plan, error) {
	if t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) || within[t] {
		return nil, nil
	}
	within[t] = true
	defer delete(within, t)
	switch t.Kind() {
	case reflect.Pointer:
		return planOf(t.Elem(), within)
	case reflect.Slice, reflect.Array, reflect.Map:
		each, err := planOf(t.Elem(), within)
		if each == nil || err != nil {
			return nil, err
		}
		return &Plan{each: each}, nil
	case reflect.Struct:
		p := &Plan{members: map[string]*Plan{}}
		if err := p.add(t, within); err != nil || len(p.members) == 0 {
			return nil, err
		}
		return p, nil
	default:
		return nil, nil
	}
}

// add adds the members of a struct.
func (p *Plan) add(t reflect.Type, within map[reflect.Type]bool) error {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		tag, tagged := f.Tag.Lookup("pii")
		switch {
		case tagged && (tag != "text" || name == "" || name == "-"):
			return fmt.Errorf("sealed: %v.%s: the tag pii must be \"text\", on a member with a JSON name", t, f.Name)
		case tagged:
			p.members[name] = &Plan{sealed: true}
			continue
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		}
		of, err := planOf(f.Type, within)
		switch {
		case err != nil:
			return err
		case of == nil:
		case name == "" && f.Anonymous:
			for member, plan := range of.members {
				p.members[member] = plan
			}
		case name == "":
			p.members[f.Name] = of
		default:
			p.members[name] = of
		}
	}
	return nil
}
