package readiness

import (
	"strings"

	"readiness/definition/semanticmodel"
)

// Subject identifies a table, column or measure of a model. Name is "" for a table.
type Subject struct {
	Type        ObjectType
	Table, Name string
}

// Additions judges texts by rule DSC-04 of `2026-12`, so that nothing is proposed
// that the rule would fault. It is built once for a model and then answers fast.
type Additions struct {
	objects map[Subject]*object
	tables  set // the forms of the words of all tables' names
}

// AdditionsOf returns the judge of a model's descriptions.
func AdditionsOf(m *semanticmodel.Model) *Additions {
	s := newSnapshot(m, inferredReading)
	d := &Additions{make(map[Subject]*object, len(s.objects)), wordsOfTables(s)}
	for _, o := range s.objects {
		if k := subjectOf(o); d.objects[k] == nil {
			d.objects[k] = o
		}
	}
	return d
}

// Add reports whether a text, as the description of an object, adds something to names.
// It is false for an object that the model lacks or that no rule judges.
func (d *Additions) Add(to Subject, text string) bool {
	o := d.objects[to]
	if o == nil {
		return false
	}
	described := *o
	described.description = strings.TrimSpace(text)
	return judgeDescription(&described, d.tables) == adds
}

func subjectOf(o *object) Subject { return Subject{o.objectType, o.table.src.Name, o.name} }

// wordsOfTables returns the forms of the words of all tables' names.
func wordsOfTables(s *snapshot) set {
	all := set{}
	for _, t := range s.tables {
		for _, w := range t.words {
			all.add(forms(w))
		}
	}
	return all
}
