package rewrite

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
)

// The parts that prepare a model for AI, and the schemas that they name.
const (
	copilotFolder      = "Copilot"
	copilotVersion     = "Copilot/version.json"
	instructionsFolder = "Copilot/Instructions/"
	instructionsPart   = instructionsFolder + "instructions.md"
	instructionsVer    = instructionsFolder + "version.json"
	schemaPart         = "Copilot/schema.json"

	jsonSchemas   = "https://developer.microsoft.com/json-schemas/fabric/item/"
	versionSchema = jsonSchemas + "version/1.0.0/schema.json"
	aiSchema      = jsonSchemas + "semanticModel/copilot/schema/1.0.0/schema.json"
)

// The members of the AI data schema.
const (
	columns  = "columns"
	measures = "measures"
)

// versionFile returns a version.json with the line end.
func versionFile(end string) []byte {
	return []byte(`{` + end + `  "$schema": "` + versionSchema + `",` + end + `  "version": "1.0.0"` + end + `}`)
}

// isVersionFile reports whether a part has the content of versionFile, in any
// layout.
func isVersionFile(path string, data []byte) bool {
	tree, err := jsonpart.Edit(path, data)
	if err != nil || tree.Root.Kind() != '{' || len(tree.Root.Items()) != 2 {
		return false
	}
	schema, _ := textOf(tree.Root.Member("$schema"))
	version, _ := textOf(tree.Root.Member("version"))
	return schema == versionSchema && version == "1.0.0"
}

// lineEnd returns the line end of a new JSON part: CRLF if the other parts have it,
// else LF.
func (e *edit) lineEnd() string {
	for _, p := range e.old.Parts {
		if (strings.HasSuffix(p.Path, ".json") || strings.HasSuffix(p.Path, ".pbism") || strings.EqualFold(path.Ext(p.Path), ".bim")) &&
			bytes.Contains(p.Data, []byte("\r\n")) {
			return "\r\n"
		}
	}
	return "\n"
}

// errNoFolder is the error of a change that needs additional parts, for a model that
// has no place for them.
var errNoFolder = errors.New("it needs a folder Copilot next to the model, which neither a .bim file nor TMDL files alone can have; save " +
	"the model as a project, in a folder that ends in .SemanticModel")

// errNotShown is the error of a change that needs additional parts, for a model whose
// platform may hold such parts and does not show them.
var errNotShown = errors.New("the platform shows nothing that prepares this model for AI, so what would be written there cannot be " +
	"compared with what there is; write it in Power BI Desktop")

// Kept returns why the definition, which contains the model, has no place for a
// property; nil if it has one. A loose definition may have none for AI instructions and
// visibilities, unless a linguistic schema contains them, and neither may one whose parts
// are not shown. Synonyms need Copilot/schema.json, or that nothing of the
// linguistic schema is replaced by it.
func Kept(d definition.Definition, m *semanticmodel.Model, p Property) error {
	r := newReading(d, m)
	if p == Instructions && r.instructionsCulture() == "" || p == Visibility && r.visibilityCulture() == "" {
		return r.noFolder
	}
	if p == Synonyms {
		return r.noSynonyms()
	}
	return nil
}

// Unread returns why a write of a property could replace something that cannot be understood:
// the part that holds it, or one that it would take precedence over. It is nil if there is no
// such part.
func Unread(d definition.Definition, m *semanticmodel.Model, p Property) error {
	return newReading(d, m).unread(p)
}

// create creates the part if it does not exist.
func (e *edit) create(path string, data []byte) {
	if _, ok := e.part(path); !ok {
		e.parts[path] = data
		e.created = append(e.created, path)
	}
}

// writeInstructions sets the part with the AI instructions to the text and returns
// the previous part.
func (e *edit) writeInstructions(text string) *string {
	data, ok := e.part(instructionsPart)
	if !ok {
		e.create(instructionsPart, []byte(text))
		e.create(instructionsVer, versionFile(e.lineEnd()))
		e.create(copilotVersion, versionFile(e.lineEnd()))
		return nil
	}
	if bytes.HasPrefix(data, byteOrderMark) {
		text = string(byteOrderMark) + text
	}
	e.parts[instructionsPart] = []byte(text)
	return new(string(data))
}

var byteOrderMark = []byte("\ufeff")

func (e *edit) restoreInstructions(u Undo) error {
	if !Same(Instructions, e.model.Copilot.Instructions, &u.Written) {
		return ErrChanged
	}
	e.parts[instructionsPart] = nil
	if was := u.was(); was != nil {
		e.parts[instructionsPart] = append([]byte{}, *was...)
	}
	return nil
}

// openSchema reads Copilot/schema.json; nil if there is none.
func (e *edit) openSchema() (*jsonpart.Value, error) {
	if e.schema == nil {
		data, ok := e.part(schemaPart)
		if !ok {
			return nil, nil
		}
		tree, err := jsonpart.Edit(e.old.Spelled(schemaPart), data)
		if err == nil && tree.Root.Kind() != '{' {
			err = errors.New(schemaPart + ": the AI data schema is not a JSON object")
		}
		if err != nil {
			return nil, err
		}
		e.schema = tree
	}
	return e.schema.Root, nil
}

// schemaEntry returns the entry for an object in the AI data schema, which it creates
// with the structure around it, and what was created for this or an earlier change.
func (e *edit) schemaEntry(t Target) (entry *jsonpart.Value, made map[string]string, err error) {
	root, err := e.openSchema()
	if err != nil {
		return nil, nil, err
	}
	if root == nil {
		end := e.lineEnd()
		e.create(schemaPart, []byte(`{`+end+`  "$schema": "`+aiSchema+`"`+end+`}`))
		e.create(copilotVersion, versionFile(end))
		if root, err = e.openSchema(); err != nil {
			return nil, nil, err
		}
		delete(e.parts, schemaPart) // the tree contains it
	}
	made = map[string]string{}
	note := func(level string, v *jsonpart.Value) {
		if was, ok := e.made[v]; ok {
			made[level] = was
		}
	}
	tables, err := e.array(root, "tables", "$schema")
	if err != nil {
		return nil, nil, err
	}
	note("tables", tables)
	entry = e.entry(tables, object{t.Table, ""})
	note("table", entry)
	if t.Name != "" {
		before := []string{"id", "name", "visibility"}
		list := e.list(t)
		if list == measures {
			before = append(before, columns)
		}
		fields, err := e.array(entry, list, before...)
		if err != nil {
			return nil, nil, err
		}
		note("list", fields)
		entry = e.entry(fields, object{t.Table, t.Name})
		note("field", entry)
	}
	return entry, made, nil
}

// writeVisibility sets the visibility of an object in the AI data schema, with the
// structure that it needs. It returns the previous value, and the structure that it
// created.
func (e *edit) writeVisibility(c Change) (was *string, made map[string]string, err error) {
	entry, made, err := e.schemaEntry(c.Target)
	if err != nil {
		return nil, nil, err
	}
	v := entry.Member("visibility")
	if v == nil {
		entry.Add("visibility", c.Value, "id", "name")
		return nil, made, nil
	}
	raw := string(v.Raw())
	if now, ok := v.Text(); !ok || now != c.Value {
		v.SetText(c.Value)
	}
	return &raw, made, nil
}

// array returns the member of the object that is an array. If it is absent, null or
// empty, it is created.
func (e *edit) array(in *jsonpart.Value, name string, after ...string) (*jsonpart.Value, error) {
	v := in.Member(name)
	switch {
	case v == nil:
		v = in.Add(name, jsonpart.Array{}, after...)
		e.made[v] = ""
	case v.Kind() == 'n':
		v.Set([]byte("[]"))
		e.made[v] = "null"
	case v.Kind() != '[':
		return nil, errors.New(schemaPart + ": the member " + name + " is no array")
	case len(v.Items()) == 0:
		if _, known := e.made[v]; !known {
			e.made[v] = string(v.Raw())
		}
	}
	return v, nil
}

// entry returns the entry for the object, and adds it if there is none.
func (e *edit) entry(entries *jsonpart.Value, o object) *jsonpart.Value {
	name := o.table
	if o.name != "" {
		name = o.name
	}
	if v := e.findEntry(entries, o); v != nil {
		return v
	}
	entry := jsonpart.Object{{Name: "name", Value: name}}
	if tag := e.source.lineageTag(o); tag != "" {
		entry = slices.Insert(entry, 0, jsonpart.Field{Name: "id", Value: tag})
	}
	v := entries.Append(entry)
	e.made[v] = ""
	e.found[entries][object{name: spelling.FoldSpace(name)}] = v
	return v
}

// findEntry returns the entry for the object: the first with its id or, if none has it, with its name; nil if there is none.
// An entry that has the id of another object is not for this one, whatever its name.
func (e *edit) findEntry(entries *jsonpart.Value, o object) *jsonpart.Value {
	if entries == nil {
		return nil
	}
	if e.found[entries] == nil {
		items, objects := entries.Items(), e.tagged(o)
		all := make([]semanticmodel.Tagged, len(items))
		for i, item := range items {
			all[i].Name, _ = textOf(item.Member("name"))
			all[i].Tag, _ = textOf(item.Member("id"))
		}
		found := map[object]*jsonpart.Value{}
		for i, name := range semanticmodel.Resolve(all, objects) {
			if at := (object{name: spelling.FoldSpace(name)}); name != "" && found[at] == nil {
				found[at] = items[i]
			}
		}
		e.found[entries] = found
	}
	name := o.table
	if o.name != "" {
		name = o.name
	}
	return e.found[entries][object{name: spelling.FoldSpace(name)}]
}

// tagged returns the objects of the list that the object is in: the tables, or the columns or measures of its table.
func (e *edit) tagged(o object) []semanticmodel.Tagged {
	if o.name == "" {
		return e.model.Tagged()
	}
	table := e.tables[o.table]
	if table == nil {
		return nil
	}
	columns, measures, _ := table.Tagged()
	if e.measures[o] != nil {
		return measures
	}
	return columns
}

// nothing matches no object: no name contains NUL.
var nothing = object{"\x00", "\x00"}

// restoreEntry restores the visibility or the synonyms of an object in the AI data
// schema, and removes the structure that the write created once it is empty.
func (e *edit) restoreEntry(u Undo) error {
	root, err := e.openSchema()
	if err != nil || root == nil {
		return ErrChanged
	}
	tables := root.Member("tables")
	table := e.findEntry(tables, object{u.Table, ""})
	entry, list := table, (*jsonpart.Value)(nil)
	if u.Name != "" && table != nil {
		list = table.Member(e.list(u.Target))
		entry = e.findEntry(list, object{u.Table, u.Name})
	}
	if entry == nil || u.renamed("table", table, u.Table) || u.renamed("field", entry, u.Name) {
		return ErrChanged
	}
	v := entry.Member(string(u.Property)) // visibility or synonyms
	now, ok := textOf(v)
	if u.Property == Synonyms {
		now, ok = synonymsOf(v)
	}
	if !ok || now != u.Written {
		return ErrChanged
	}
	putBack(v, u.was())
	if u.Name != "" {
		u.removeEntry("field", entry)
		u.emptyArray("list", list)
	}
	u.removeEntry("table", table)
	u.emptyArray("tables", tables)
	return nil
}

// renamed reports whether an entry that the write created has another name now.
func (u *Undo) renamed(level string, entry *jsonpart.Value, name string) bool {
	_, made := u.Made[level]
	now, _ := textOf(entry.Member("name"))
	return made && spelling.FoldSpace(now) != spelling.FoldSpace(name)
}

// removeEntry removes an entry that the write created, once it is empty.
func (u *Undo) removeEntry(level string, entry *jsonpart.Value) {
	if _, made := u.Made[level]; made && hasOnly(entry, "id", "name") {
		entry.Remove()
	}
}

// emptyArray restores an array that the write created or filled, once it is empty.
func (u *Undo) emptyArray(level string, array *jsonpart.Value) {
	was, made := u.Made[level]
	switch {
	case !made || len(array.Items()) > 0:
	case was == "":
		array.Remove()
	default:
		array.Set([]byte(was))
	}
}

// nameCreated records in the undos which parts the write created. Each records all
// of them: a version.json is removed with the last of the parts that it was created
// for.
func (e *edit) nameCreated(undos []Undo) {
	for i := range undos {
		if u := &undos[i]; u.Culture == "" && (u.Property == Instructions || u.Property == Visibility || u.Property == Synonyms) {
			u.Created = e.created
		}
	}
}

// removeCreated removes the parts that the undos' write created, once they contain
// nothing but what it created.
func (e *edit) removeCreated(undos []Undo) {
	created := map[string]bool{}
	for _, u := range undos {
		for _, path := range u.Created {
			created[path] = true
		}
	}
	if e.schema != nil && created[schemaPart] && hasOnly(e.schema.Root, "$schema") {
		if name, _ := textOf(e.schema.Root.Member("$schema")); name == aiSchema {
			e.parts[schemaPart] = nil
		}
	}
	for _, path := range slices.Sorted(maps.Keys(created)) {
		needed := slices.ContainsFunc([]string{instructionsPart, schemaPart}, func(content string) bool {
			_, there := e.part(content)
			return created[content] && there && strings.HasPrefix(content, strings.TrimSuffix(path, "version.json"))
		})
		data, ok := e.part(path)
		if ok && strings.HasSuffix(path, "version.json") && !needed && isVersionFile(path, data) {
			e.parts[path] = nil
		}
	}
}
