package rewrite

import (
	"fmt"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
)

// tmslSource is a model declared in TMSL.
type tmslSource struct {
	file     string
	tree     *jsonpart.Tree
	objects  map[object]*jsonpart.Value
	contents map[string]*jsonpart.Value // linguistic schemas, by culture
	texts    map[string]*text           // linguistic schemas in strings, once they are edited
}

// text is a linguistic schema that is stored in a string.
type text struct {
	*jsonpart.Tree
	content *jsonpart.Value
	// plain reports that the string is written as the writer would write it, so that
	// it can be rewritten, once.
	plain bool
}

func newTMSL(d definition.Definition) (source, error) {
	bim, err := semanticmodel.TMSL(d)
	if err != nil {
		return nil, err
	}
	tree, err := jsonpart.Edit(bim.Path, bim.Data)
	if err != nil {
		return nil, err
	}
	s := &tmslSource{bim.Path, tree, map[object]*jsonpart.Value{}, map[string]*jsonpart.Value{}, map[string]*text{}}
	for _, m := range tree.Root.Items() {
		if m.Name == "model" && m.Kind() == '{' {
			clear(s.objects)
			clear(s.contents)
			s.declare(m)
		}
	}
	return s, nil
}

// declare records the tables, fields and linguistic schemas of the model.
func (s *tmslSource) declare(model *jsonpart.Value) {
	for _, m := range model.Items() {
		switch m.Name {
		case "tables":
			for _, table := range m.Items() {
				name := nameOf(table)
				s.objects[object{name, ""}] = table
				for _, list := range []string{columns, measures} {
					if fields := table.Member(list); fields != nil {
						for _, f := range fields.Items() {
							s.objects[object{name, nameOf(f)}] = f
						}
					}
				}
			}
		case "cultures":
			for _, culture := range m.Items() {
				if metadata := culture.Member("linguisticMetadata"); metadata != nil {
					if content := metadata.Member("content"); content != nil {
						s.contents[nameOf(culture)] = content
					}
				}
			}
		}
	}
}

func nameOf(v *jsonpart.Value) string {
	name, _ := linesOf(v.Member("name"))
	return name
}

// linesOf returns a string, or an array of lines joined; false for any other value.
func linesOf(v *jsonpart.Value) (string, bool) {
	if v == nil || v.Kind() != '[' {
		return textOf(v)
	}
	var lines []string
	for _, item := range v.Items() {
		if line, ok := item.Text(); ok {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), true
}

// behind lists the members that TMSL writers put before a property.
var behind = map[Property][]string{
	Description: {"type", "name"},
	DisplayFolder: {
		"type", "name", "dataType", "isNameInferred", "isDataTypeInferred", "description", "expression", "formatString",
		"isHidden", "isUnique", "isKey", "isNullable", "isSimpleMeasure",
	},
	SummarizeBy: {
		"type", "name", "dataType", "isNameInferred", "isDataTypeInferred", "dataCategory", "description", "isHidden", "isUnique", "isKey",
		"isNullable",
		"isDefaultLabel", "isDefaultImage", "formatString", "isAvailableInMdx", "displayFolder", "lineageTag", "sourceLineageTag",
		"sourceProviderType",
		"expression", "sourceColumn", "sortByColumn",
	},
}

func (s *tmslSource) set(t Target, value string) (*string, error) {
	o := s.objects[object{t.Table, t.Name}]
	if o == nil || o.Kind() != '{' {
		return nil, fmt.Errorf("%s does not declare it", s.file)
	}
	value = asRead(Change{t, value})
	m := o.Member(string(t.Property))
	if m == nil {
		o.Add(string(t.Property), value, behind[t.Property]...)
		return nil, nil
	}
	was := string(m.Raw())
	if now, ok := linesOf(m); !ok || now != value {
		m.SetText(value)
	}
	return &was, nil
}

func (s *tmslSource) put(t Target, written *string) error {
	o := s.objects[object{t.Table, t.Name}]
	if o == nil {
		return ErrChanged
	}
	m := o.Member(string(t.Property))
	if m == nil {
		return ErrChanged
	}
	putBack(m, written)
	return nil
}

func (s *tmslSource) lineageTag(o object) string {
	if v := s.objects[o]; v != nil {
		tag, _ := textOf(v.Member("lineageTag"))
		return tag
	}
	return ""
}

func (s *tmslSource) linguistic(culture string, escaped bool) (*linguistic, error) {
	content := s.contents[culture]
	switch {
	case content == nil:
		return nil, fmt.Errorf("the culture %s has no linguistic schema", culture)
	case content.Kind() == '{':
		return &linguistic{root: content}, nil
	case content.Kind() != '"':
		return nil, fmt.Errorf("the linguistic schema of the culture %s is an array of lines, which cannot be edited; make it an "+
			"object or a text", culture)
	}
	t := s.texts[culture]
	if t == nil {
		written, _ := content.Text()
		tree, err := jsonpart.Edit(s.file, []byte(written))
		if err != nil {
			return nil, err
		}
		if tree.Root.Kind() != '{' {
			return nil, fmt.Errorf("the linguistic schema of the culture %s is not a JSON object", culture)
		}
		t = &text{tree, content, content.IsPlain()}
		s.texts[culture] = t
	}
	if t.plain && escaped {
		content.SetText(string(t.Bytes()))
		t.plain = false
	}
	if t.plain {
		return &linguistic{root: t.Root}, nil
	}
	return &linguistic{t.Root, func(put []byte) []byte {
		var as *string
		if put != nil {
			as = new(string(put))
		}
		if was := content.SpliceText(string(t.Bytes()), as); was != nil {
			return []byte(*was)
		}
		return nil
	}}, nil
}

func (s *tmslSource) changed() (map[string][]byte, error) {
	for _, t := range s.texts {
		if t.plain {
			t.content.SetText(string(t.Bytes()))
		}
	}
	return map[string][]byte{s.file: s.tree.Bytes()}, nil
}
