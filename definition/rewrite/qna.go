package rewrite

import (
	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
)

// The part and its members that say whether Q&A is on.
const (
	propertiesPart = "definition.pbism"
	settingsMember = "settings"
	qnaMember      = "qnaEnabled"
)

// on is the value of QnAEnabled that earlier versions wrote.
const on = "true"

// readProperties returns definition.pbism as a tree; nil if the definition has none that
// is a JSON object.
func readProperties(d definition.Definition) *jsonpart.Tree {
	p, ok := d.Named(propertiesPart)
	if !ok {
		return nil
	}
	tree, err := jsonpart.Edit(p.Path, p.Data)
	if err != nil || tree.Root.Kind() != '{' {
		return nil
	}
	return tree
}

// qna returns whether Q&A is on. It is not found in a definition without a
// definition.pbism that can be edited.
func (r *reading) qna() Value {
	switch {
	case !r.hasProperties:
		return Value{}
	case r.model.QnA == semanticmodel.QnAOn:
		return Value{Found: true, Text: new(on)}
	case r.model.QnA == semanticmodel.QnAOff:
		return Value{Found: true, Text: new("false")}
	}
	return Value{Found: true}
}

// restoreQnA restores what a write of an earlier version replaced. Settings that it created
// stay if someone has added to them.
func (e *edit) restoreQnA(u Undo) error {
	tree := readProperties(e.old)
	if v := e.value(u.Target); tree == nil || v.Text == nil || *v.Text != u.Written {
		return ErrChanged
	}
	settings := tree.Root.Member(settingsMember)
	m := settings.Member(qnaMember)
	if _, made := u.Made[settingsMember]; !made {
		putBack(m, u.was())
	} else if m.Remove(); len(settings.Items()) == 0 {
		putBack(settings, u.was())
	}
	e.parts[propertiesPart] = tree.Bytes()
	return nil
}
