package semanticmodel

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"readiness/definition/jsonpart"
)

// FromTMSL reads model.bim: a database object of the Tabular Model Scripting
// Language. Texts may be arrays of lines. Defaults are those of FromTMDL. Its error
// is a *jsonpart.Error that names the line. Errors are invalid JSON, a member of
// another kind than in TMSL, an object without a name, and two objects of one name.
func FromTMSL(file string, data []byte) (*Model, error) {
	r, err := jsonpart.New(file, data)
	if err != nil {
		return nil, err
	}
	again := *r
	t := &tmsl{Reader: r, file: file}
	var m *Model
	for member := range r.Object() {
		if member == "model" && r.Kind() == '{' {
			m = t.model()
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if m != nil {
		m.Unread = t.unread.all
		m.Notices = refusedTMSL(again, file)
	}
	if m == nil {
		return nil, &jsonpart.Error{File: file, Line: 1, Column: 1,
			Message: "there is no member model; a TMSL script (createOrReplace, alter) is not a definition"}
	}
	return m, nil
}

type tmsl struct {
	*jsonpart.Reader
	file   string
	unread unreadable
}

func (t *tmsl) model() *Model {
	m := &Model{}
	for member := range t.Object() {
		switch member {
		case "culture":
			m.Culture = t.Lines()
		case "annotations":
			m.Annotations = t.values()
		case "tables":
			m.Tables = append(m.Tables, list(t, t.table, func(o *Table) string { return o.Name })...)
		case "relationships":
			for range t.Array() {
				m.Relationships = append(m.Relationships, t.relationship())
			}
		case "cultures":
			m.Cultures = append(m.Cultures, list(t, t.culture, func(o *Culture) string { return o.Name })...)
		case "roles":
			m.Roles = append(m.Roles, t.names()...)
		case "perspectives":
			m.Perspectives = append(m.Perspectives, t.names()...)
		case "expressions":
			m.Expressions = append(m.Expressions, t.names()...)
		case "functions":
			m.Functions = append(m.Functions, list(t, t.function, func(o *Function) string { return o.Name })...)
		case "discourageImplicitMeasures":
			m.ExplicitOnly = t.Bool()
		}
	}
	return m
}

// list reads an array of objects whose names are unique, ignoring letter case.
func list[T any](t *tmsl, read func() T, name func(*T) string) []T {
	var all []T
	taken := map[string]bool{}
	for range t.Array() {
		line := t.Line()
		o := read()
		switch key := strings.ToLower(name(&o)); {
		case key == "":
			t.Fail("the object that begins in line %d has no name", line)
		case taken[key]:
			t.Fail("the object %q that begins in line %d has the name of an earlier one", name(&o), line)
		default:
			taken[key] = true
		}
		all = append(all, o)
	}
	return all
}

// names reads the names of an array of objects.
func (t *tmsl) names() []string {
	return list(t, func() (name string) {
		for member := range t.Object() {
			if member == "name" {
				name = t.Lines()
			}
		}
		return name
	}, func(name *string) string { return *name })
}

func (t *tmsl) function() (o Function) {
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "expression":
			o.Expression = t.Lines()
		}
	}
	return o
}

func (t *tmsl) source() Source { return Source{File: t.file, Line: t.Line()} }

func (t *tmsl) relationship() Relationship {
	o := Relationship{
		FromCardinality: Many, ToCardinality: One, CrossFilteringBehavior: "oneDirection", IsActive: true,
		Source: t.source(),
	}
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "fromTable":
			o.FromTable = t.Lines()
		case "fromColumn":
			o.FromColumn = t.Lines()
		case "toTable":
			o.ToTable = t.Lines()
		case "toColumn":
			o.ToColumn = t.Lines()
		case "fromCardinality":
			o.FromCardinality = cmp.Or(Cardinality(lowerCamel(t.Lines())), Many)
		case "toCardinality":
			o.ToCardinality = cmp.Or(Cardinality(lowerCamel(t.Lines())), One)
		case "crossFilteringBehavior":
			o.CrossFilteringBehavior = cmp.Or(lowerCamel(t.Lines()), "oneDirection")
		case "isActive":
			if t.Kind() != 'n' {
				o.IsActive = t.Bool()
			}
		case "annotations":
			o.Annotations = t.values()
		}
	}
	return o
}

func (t *tmsl) culture() (o Culture) {
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "linguisticMetadata":
			for member := range t.Object() {
				if member == "content" {
					t.linguistic(&o)
				}
			}
		case "translations":
			for member := range t.Object() {
				if member == "model" {
					t.translations(&o)
				}
			}
		}
	}
	return o
}

// translations reads the translated names of a model's tables and their fields.
func (t *tmsl) translations(c *Culture) {
	for member := range t.Object() {
		if member != "tables" {
			continue
		}
		for range t.Array() {
			var table, caption string
			var fields []Caption
			for member := range t.Object() {
				switch member {
				case "name":
					table = t.Lines()
				case "translatedCaption":
					caption = t.value()
				case "columns", "measures":
					for range t.Array() {
						fields = append(fields, t.translated())
					}
				}
			}
			c.caption(table, "", caption)
			for _, f := range fields {
				c.caption(table, f.Name, f.Text)
			}
		}
	}
}

// translated reads the translated name of a field.
func (t *tmsl) translated() (c Caption) {
	for member := range t.Object() {
		switch member {
		case "name":
			c.Name = t.Lines()
		case "translatedCaption":
			c.Text = t.value()
		}
	}
	return c
}

// linguistic reads the content of linguisticMetadata: an object, or a string that
// contains one.
func (t *tmsl) linguistic(c *Culture) {
	line, column := t.Line(), t.Column()
	object := t.Kind() == '{'
	var content []byte
	if object {
		content = t.SkipValue()
	} else {
		content = []byte(t.Lines())
	}
	if len(bytes.TrimSpace(content)) == 0 {
		return
	}
	err := parseLinguistic(t.file, content, c)
	if at, ok := err.(*jsonpart.Error); ok { //nolint:errorlint // readers return it unwrapped
		switch {
		case !object:
			at.Message = fmt.Sprintf("in line %d of the text that begins here: %s", max(at.Line, 1), at.Message)
			at.Line, at.Column = line, column
		case at.Line <= 1:
			at.Line, at.Column = line, max(at.Column, 1)+column-1
		default:
			at.Line += line - 1
		}
	}
	t.unread.linguistic(t.file, content, err)
}

// values reads annotations or extended properties: their values by name, as written
// if they are not strings.
func (t *tmsl) values() map[string]string {
	all := map[string]string{}
	for range t.Array() {
		var name, value string
		for member := range t.Object() {
			switch member {
			case "name":
				name = t.Lines()
			case "value":
				value = t.value()
			}
		}
		all[name] = value
	}
	return all
}

// value reads a string or an array of lines; any other value is returned as written.
func (t *tmsl) value() string {
	raw := t.SkipValue()
	if r, err := jsonpart.New(t.file, raw); err == nil {
		if text := r.Lines(); r.Err() == nil {
			return text
		}
	}
	return string(raw)
}

// lowerCamel returns an enumeration's value with its first letter in lower case.
func lowerCamel(value string) string {
	if value == "" {
		return ""
	}
	return strings.ToLower(value[:1]) + value[1:]
}

// dataType returns "" for the values that leave the type open.
func dataType(value string) DataType {
	switch d := lowerCamel(value); d {
	case "automatic", "unknown":
		return ""
	default:
		return DataType(d)
	}
}
