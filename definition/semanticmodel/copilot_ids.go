package semanticmodel

import (
	"fmt"
	"slices"
	"strings"

	"readiness/definition/spelling"
)

// Tagged is an object with its lineage tag, or an entry of the AI data schema with the id of its object. Either text may be "".
type Tagged struct{ Name, Tag string }

// Resolve returns, for each entry, the current name of the object that it is for. The id of an entry is the lineage tag of its object,
// whatever that was called when the entry was written. An entry whose id no object has is for the object of its name, unless another
// entry has that object's id: then it is for none, and its name is "".
func Resolve(entries, objects []Tagged) []string {
	byTag, byName := map[string]string{}, map[string]string{}
	for _, o := range slices.Backward(objects) {
		if tag := foldTag(o.Tag); tag != "" {
			byTag[tag] = o.Name
		}
		byName[spelling.FoldSpace(o.Name)] = o.Name
	}
	names, identified := make([]string, len(entries)), map[string]bool{}
	for i, e := range entries {
		if name, there := byTag[foldTag(e.Tag)]; there {
			names[i], identified[spelling.FoldSpace(name)] = name, true
		}
	}
	for i, e := range entries {
		if name := spelling.FoldSpace(e.Name); names[i] == "" && !identified[name] {
			names[i] = e.Name
		}
	}
	return names
}

// foldTag returns the form in which lineage tags compare.
func foldTag(tag string) string { return strings.ToLower(strings.Trim(strings.TrimSpace(tag), "{}")) }

// aiRef identifies an entry of the AI data schema, apart from its name.
type aiRef struct {
	id   string
	line int
}

// aiRefs are those of a table's entry and of its lists.
type aiRefs struct {
	aiRef
	columns, measures, hierarchies []aiRef
}

// resolve gives the entries of the AI data schema the current names of their objects, and says which entries are for an object that
// has another name now, or is gone.
func (m *Model) resolve(file string, refs []aiRefs) {
	s := m.Copilot.Schema
	if s == nil {
		return
	}
	gone := func(kind, name string, r aiRef) {
		m.Notices = append(m.Notices, Notice{Source{file, r.line}, 1, fmt.Sprintf("the entry of the %s %q is for an object that the model "+
			"does not have (id %q); remove it", kind, name, r.id)})
	}
	renamed := func(kind, was, now string, r aiRef) {
		m.Notices = append(m.Notices, Notice{Source{file, r.line}, 1, fmt.Sprintf("the entry of the %s %q is for what the model now calls %q "+
			"(id %q); correct the name", kind, was, now, r.id)})
	}
	tables, entries := m.Tagged(), make([]Tagged, len(s.Tables))
	for i, t := range s.Tables {
		entries[i] = Tagged{t.Name, refs[i].id}
	}
	byName := make(map[string]int, len(m.Tables))
	for i, t := range slices.Backward(m.Tables) {
		byName[spelling.FoldSpace(t.Name)] = i
	}
	var kept []AITable
	for i, name := range Resolve(entries, tables) {
		t, r := s.Tables[i], refs[i]
		at, there := byName[spelling.FoldSpace(name)]
		if r.id != "" && (name == "" || !there) {
			gone("table", t.Name, r.aiRef)
		}
		if there && r.id != "" && spelling.FoldSpace(name) != spelling.FoldSpace(t.Name) && t.Name != "" {
			renamed("table", t.Name, name, r.aiRef)
		}
		if t.Name = name; name == "" {
			continue
		}
		if there {
			columns, measures, hierarchies := m.Tables[at].Tagged()
			for _, list := range []struct {
				kind    string
				of      *[]AIField
				refs    []aiRef
				objects []Tagged
			}{{"column", &t.Columns, r.columns, columns}, {"measure", &t.Measures, r.measures, measures},
				{"hierarchy", &t.Hierarchies, r.hierarchies, hierarchies}} {
				*list.of = resolveFields(*list.of, list.refs, list.objects,
					func(name string, r aiRef) { gone(list.kind, name, r) },
					func(was, now string, r aiRef) { renamed(list.kind, was, now, r) })
			}
		}
		t.Columns, t.Measures, t.Hierarchies = namedFields(t.Columns), namedFields(t.Measures), namedFields(t.Hierarchies)
		kept = append(kept, t)
	}
	s.Tables = kept
}

func resolveFields(fields []AIField, refs []aiRef, objects []Tagged, gone func(string, aiRef), renamed func(was, now string, r aiRef)) []AIField {
	entries := make([]Tagged, len(fields))
	for i, f := range fields {
		entries[i] = Tagged{f.Name, refs[i].id}
	}
	there := make(map[string]bool, len(objects))
	for _, o := range objects {
		there[spelling.FoldSpace(o.Name)] = true
	}
	for i, name := range Resolve(entries, objects) {
		switch was := fields[i].Name; {
		case refs[i].id == "":
		case name == "" || !there[spelling.FoldSpace(name)]:
			gone(was, refs[i])
		case was != "" && spelling.FoldSpace(name) != spelling.FoldSpace(was):
			renamed(was, name, refs[i])
		}
		fields[i].Name = name
	}
	return fields
}

// namedFields returns the entries that are for something.
func namedFields(fields []AIField) []AIField {
	return slices.DeleteFunc(fields, func(f AIField) bool { return f.Name == "" })
}

// Tagged returns the tables with their lineage tags.
func (m *Model) Tagged() []Tagged {
	all := make([]Tagged, len(m.Tables))
	for i, t := range m.Tables {
		all[i] = Tagged{t.Name, t.LineageTag}
	}
	return all
}

// Tagged returns what the table has, with lineage tags.
func (t Table) Tagged() (columns, measures, hierarchies []Tagged) {
	for _, c := range t.Columns {
		columns = append(columns, Tagged{c.Name, c.LineageTag})
	}
	for _, m := range t.Measures {
		measures = append(measures, Tagged{m.Name, m.LineageTag})
	}
	for _, h := range t.Hierarchies {
		hierarchies = append(hierarchies, Tagged{h.Name, h.LineageTag})
	}
	return columns, measures, hierarchies
}
