package rewrite

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
)

// edit is a definition whose properties are being changed or restored.
type edit struct {
	*reading
	old    definition.Definition
	source source
	// parts holds the new bytes of parts under Copilot/ and of definition.pbism, by
	// their usual names; nil removes a part. On disk they keep the spelling of existing paths.
	parts  map[string][]byte
	schema *jsonpart.Tree // Copilot/schema.json, once opened
	// made maps each structure that a write created around visibilities and synonyms
	// to the previous content.
	made    map[*jsonpart.Value]string
	created []string
	// found caches the entries of arrays and the entities of linguistic schemas, by
	// folded name.
	found map[*jsonpart.Value]map[object]*jsonpart.Value
}

// source is the format that declares the objects of a model.
type source interface {
	// set sets a property of the target's object and returns the previous bytes, nil
	// if there were none.
	set(t Target, value string) (*string, error)
	// put restores the bytes that set returned.
	put(t Target, written *string) error
	// lineageTag returns the object's lineage tag, "" if it has none.
	lineageTag(o object) string
	// linguistic returns the culture's linguistic schema; escaped means that
	// inserted content must be escaped as it was.
	linguistic(culture string, escaped bool) (*linguistic, error)
	// changed returns the parts whose bytes changed, by path.
	changed() (map[string][]byte, error)
}

func newEdit(d definition.Definition) (*edit, error) {
	m, err := semanticmodel.Read(d)
	if err != nil {
		return nil, err
	}
	e := &edit{reading: newReading(d, m), old: d, parts: map[string][]byte{}, made: map[*jsonpart.Value]string{},
		found: map[*jsonpart.Value]map[object]*jsonpart.Value{}}
	if files := semanticmodel.TMDL(d); len(files) > 0 {
		e.source, err = newTMDL(files)
	} else {
		e.source, err = newTMSL(d)
	}
	return e, err
}

// write makes one change.
func (e *edit) write(c Change) (Undo, error) {
	u := Undo{Target: c.Target, Written: asRead(c)}
	if problem := CheckText(c.Property, c.Value); problem != "" {
		return u, errors.New(problem)
	}
	if err := e.unread(c.Property); err != nil {
		return u, err
	}
	if !e.value(c.Target).Found {
		return u, errors.New("the model has no such object, or none with such a property")
	}
	var was *string
	var err error
	switch c.Property {
	case Instructions:
		if u.Culture = e.instructionsCulture(); u.Culture != "" {
			was, u.Escaped, err = e.writeLinguistic(u.Culture,
				func(root *jsonpart.Value) (*string, error) { return instruct(root, c.Value), nil })
		} else if err = e.noFolder; err == nil {
			was = e.writeInstructions(c.Value)
		}
	case Visibility:
		if u.Culture = e.visibilityCulture(); u.Culture != "" {
			u.Made = map[string]string{}
			was, u.Escaped, err = e.writeLinguistic(u.Culture,
				func(root *jsonpart.Value) (*string, error) { return e.showEntity(root, c, u.Made) })
		} else if err = e.noFolder; err == nil {
			was, u.Made, err = e.writeVisibility(c)
		}
	case Synonyms:
		was, u.Made, err = e.writeSynonyms(c)
	default:
		was, err = e.source.set(c.Target, c.Value)
	}
	u.keep(was)
	return u, err
}

// keep records the bytes that the change replaced.
func (u *Undo) keep(was *string) {
	if was != nil && !utf8.ValidString(*was) {
		u.Bytes = []byte(*was)
		return
	}
	u.Lines = was
}

// was returns the bytes that keep recorded.
func (u *Undo) was() *string {
	if u.Bytes != nil {
		return new(string(u.Bytes))
	}
	return u.Lines
}

// restore reverts one change.
func (e *edit) restore(u Undo) error {
	switch {
	case u.Culture != "":
		return e.restoreLinguistic(u)
	case u.Property == Instructions:
		return e.restoreInstructions(u)
	case u.Property == Visibility || u.Property == Synonyms:
		return e.restoreEntry(u)
	case u.Property == QnAEnabled:
		return e.restoreQnA(u)
	}
	if v := e.value(u.Target); v.Text == nil || *v.Text != u.Written {
		return ErrChanged
	}
	return e.source.put(u.Target, u.was())
}

// linguistic is a linguistic schema being edited.
type linguistic struct {
	root *jsonpart.Value
	// commit writes the edited schema back into its container and returns how the
	// replaced content was escaped there. put says how to escape the inserted
	// content, nil for the usual way. commit is nil if there is nothing to do.
	commit func(put []byte) []byte
}

// writeLinguistic edits the culture's linguistic schema.
func (e *edit) writeLinguistic(culture string, write func(root *jsonpart.Value) (*string, error)) (was *string, escaped []byte, err error) {
	l, err := e.source.linguistic(culture, false)
	if err != nil {
		return nil, nil, err
	}
	if was, err = write(l.root); err == nil && l.commit != nil {
		escaped = l.commit(nil)
	}
	return was, escaped, err
}

func (e *edit) restoreLinguistic(u Undo) error {
	l, err := e.source.linguistic(u.Culture, u.Escaped != nil)
	if err != nil {
		return ErrChanged
	}
	if u.Property == Instructions {
		if !Same(Instructions, e.instructions(), &u.Written) {
			return ErrChanged
		}
		err = uninstruct(l.root, u)
	} else {
		err = e.unshowEntity(l.root, u)
	}
	if err == nil && l.commit != nil {
		l.commit(u.Escaped)
	}
	return err
}

// findItem returns the first item of an array or object that names the object,
// compared by folded names; nil if there is none.
func (e *edit) findItem(in *jsonpart.Value, o object, names func(item *jsonpart.Value) object) *jsonpart.Value {
	if in == nil {
		return nil
	}
	byName := e.found[in]
	if byName == nil {
		byName = map[object]*jsonpart.Value{}
		for _, item := range in.Items() {
			if name := names(item); byName[name] == nil {
				byName[name] = item
			}
		}
		e.found[in] = byName
	}
	return byName[object{spelling.FoldSpace(o.table), spelling.FoldSpace(o.name)}]
}

// part returns a part with the edits so far.
func (e *edit) part(path string) ([]byte, bool) {
	if data, ok := e.parts[path]; ok {
		return data, data != nil
	}
	p, ok := e.old.Named(path)
	return p.Data, ok
}

// definition returns the edited definition. Unchanged parts share their bytes with
// the old one.
func (e *edit) definition() (definition.Definition, error) {
	changed, err := e.source.changed()
	if err != nil {
		return definition.Definition{}, err
	}
	for path, data := range e.parts {
		changed[e.old.Spelled(path)] = data
	}
	if at := e.old.Spelled(schemaPart); e.schema != nil {
		if _, gone := changed[at]; !gone {
			changed[at] = e.schema.Bytes()
		}
	}
	parts := make([]definition.Part, 0, len(e.old.Parts)+len(changed))
	for _, p := range e.old.Parts {
		if data, ok := changed[p.Path]; ok {
			delete(changed, p.Path)
			if data == nil {
				continue
			}
			if string(data) != string(p.Data) {
				p.Data = data
			}
		}
		parts = append(parts, p)
	}
	for path, data := range changed {
		if data != nil {
			parts = append(parts, definition.Part{Path: path, Data: data})
		}
	}
	d := definition.New(parts...)
	d.Loose, d.MayLackCopilot = e.old.Loose, e.old.MayLackCopilot
	return d, nil
}

// verify reads the written definition and compares it with the expected model.
func (e *edit) verify(written definition.Definition, undos []Undo) (*semanticmodel.Model, error) {
	m, err := semanticmodel.Read(written)
	if err != nil {
		return nil, fmt.Errorf("with the changes the definition cannot be read: %w", err)
	}
	after := newReading(written, m)
	for _, u := range undos {
		if v := after.value(u.Target); v.Text == nil || *v.Text != u.Written {
			return nil, fmt.Errorf("%s cannot be written: the definition cannot represent this value", u.Target)
		}
	}
	e.expect(undos)
	if what := difference(e.model, m); what != "" {
		return nil, fmt.Errorf("the changes cannot be written: with them the definition reads as one with other %s", what)
	}
	return m, nil
}
