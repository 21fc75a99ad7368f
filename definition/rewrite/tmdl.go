package rewrite

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/tmdl"
)

// tmdlSource is a model declared in TMDL.
type tmdlSource struct {
	files    []*file
	tables   map[string][]declaration // by name in lower case, since case does not distinguish names
	fields   map[object]declaration
	cultures map[string][]declaration
	schemas  map[string]*schema // edited linguistic schemas, by culture
}

type file struct {
	path string
	doc  *tmdl.Document
	edit *tmdl.Edit // nil while nothing is edited
}

// declaration is an object and the file that declares it.
type declaration struct {
	*tmdl.Object
	file *file
}

func (d declaration) edit() *tmdl.Edit {
	if d.file.edit == nil {
		d.file.edit = d.file.doc.Edit()
	}
	return d.file.edit
}

type schema struct {
	declaration
	tree *jsonpart.Tree
}

func newTMDL(files []definition.Part) (source, error) {
	s := &tmdlSource{tables: map[string][]declaration{}, fields: map[object]declaration{}, cultures: map[string][]declaration{},
		schemas: map[string]*schema{}}
	for _, p := range files {
		doc, err := tmdl.Parse(p.Path, p.Data)
		if err != nil {
			return nil, err
		}
		f := &file{path: p.Path, doc: doc}
		s.files = append(s.files, f)
		s.declare(f, doc.Objects)
	}
	return s, nil
}

// declare records the tables, fields and cultures that the file declares, including
// those inside database and model.
func (s *tmdlSource) declare(f *file, objects []*tmdl.Object) {
	for _, o := range objects {
		name := strings.ToLower(o.Name)
		switch o.Keyword {
		case "database", "model":
			s.declare(f, o.Children)
		case "cultureInfo":
			s.cultures[name] = append(s.cultures[name], declaration{o, f})
		case "table":
			s.tables[name] = append(s.tables[name], declaration{o, f})
			for _, c := range o.Children {
				if (c.Keyword == "column" || c.Keyword == "measure") && !c.Ref {
					s.fields[object{name, strings.ToLower(c.Name)}] = declaration{c, f}
				}
			}
		}
	}
}

// find returns the declaration that has the property, or that will get it.
func (s *tmdlSource) find(t Target) (declaration, error) {
	if t.Name != "" {
		if d, ok := s.fields[object{strings.ToLower(t.Table), strings.ToLower(t.Name)}]; ok {
			return d, nil
		}
		return declaration{}, errors.New("no file declares it")
	}
	// Of several declarations, the one with a description is used. A blank
	// description counts as none, but occupies its place.
	all := slices.Clone(s.tables[strings.ToLower(t.Table)])
	rank := func(d declaration) int {
		switch {
		case d.Description() != "":
			return 0
		case d.Ref:
			return 3
		case d.WrittenDescription() != "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b declaration) int { return cmp.Compare(rank(a), rank(b)) })
	if len(all) == 0 {
		return declaration{}, errors.New("no file declares it")
	}
	return all[0], nil
}

// inFile maps the plain properties to their TMDL names.
var inFile = map[Property]string{DisplayFolder: "displayFolder", SummarizeBy: "summarizeBy"}

func (s *tmdlSource) set(t Target, value string) (*string, error) {
	d, err := s.find(t)
	if err != nil {
		return nil, err
	}
	if t.Property == Description {
		err = d.edit().SetDescription(d.Object, value)
		if was := d.WrittenDescription(); was != "" {
			return &was, err
		}
		return nil, err
	}
	err = d.edit().SetProperty(d.Object, inFile[t.Property], value)
	if was, ok := d.WrittenProperty(inFile[t.Property]); ok {
		return &was, err
	}
	return nil, err
}

func (s *tmdlSource) put(t Target, written *string) error {
	d, err := s.find(t)
	switch {
	case err != nil:
		return err
	case t.Property == Description && written == nil:
		return d.edit().SetDescription(d.Object, "")
	case t.Property == Description:
		return d.edit().PutDescription(d.Object, *written)
	case written == nil:
		return d.edit().RemoveProperty(d.Object, inFile[t.Property])
	}
	return d.edit().PutProperty(d.Object, inFile[t.Property], *written)
}

func (s *tmdlSource) lineageTag(o object) string {
	declarations := s.tables[strings.ToLower(o.table)]
	if o.name != "" {
		declarations = []declaration{s.fields[object{strings.ToLower(o.table), strings.ToLower(o.name)}]}
	}
	for _, d := range declarations {
		if d.Object == nil {
			continue
		}
		if p, ok := d.Property("lineageTag"); ok {
			return p.Value()
		}
	}
	return ""
}

func (s *tmdlSource) linguistic(culture string, _ bool) (*linguistic, error) {
	if open := s.schemas[culture]; open != nil {
		return &linguistic{root: open.tree.Root}, nil
	}
	for _, d := range s.cultures[strings.ToLower(culture)] {
		for _, c := range d.Children {
			if c.Keyword != "linguisticMetadata" || !c.HasDefault() {
				continue
			}
			tree, err := jsonpart.Edit(d.file.path, []byte(c.WrittenDefault()))
			if err == nil && tree.Root.Kind() != '{' {
				err = fmt.Errorf("%s:%d: the linguistic schema is not a JSON object", d.file.path, c.Line)
			}
			if err != nil {
				return nil, err
			}
			s.schemas[culture] = &schema{declaration{c, d.file}, tree}
			return &linguistic{root: tree.Root}, nil
		}
	}
	return nil, fmt.Errorf("the culture %s has no linguistic schema", culture)
}

func (s *tmdlSource) changed() (map[string][]byte, error) {
	for _, schema := range s.schemas {
		if err := schema.edit().PutDefault(schema.Object, string(schema.tree.Bytes())); err != nil {
			return nil, err
		}
	}
	parts := map[string][]byte{}
	for _, f := range s.files {
		if f.edit == nil {
			continue
		}
		doc, err := f.edit.Apply()
		if err != nil {
			return nil, err
		}
		parts[f.path] = doc.Bytes()
	}
	return parts, nil
}
