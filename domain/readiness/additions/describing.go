package additions

import (
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/wording"
)

// Additions judges texts by rule DSC-04 of `2026-12`, so that nothing is proposed
// that the rule would fault. It is built once for a model and then answers fast.
type Additions struct {
	objects map[finding.Subject]*model.Object
	tables  wording.Set // the forms of the words of all tables' names
}

// Of returns the judge of a model's descriptions.
func Of(m *semanticmodel.Model) *Additions {
	s := model.NewSnapshot(m, model.Inferred)
	d := &Additions{make(map[finding.Subject]*model.Object, len(s.Objects)), wordsOfTables(s)}
	for _, o := range s.Objects {
		if k := model.SubjectOf(o); d.objects[k] == nil {
			d.objects[k] = o
		}
	}
	return d
}

// Add reports whether a text, as the description of an object, adds something to names.
// It is false for an object that the model lacks or that no rule judges.
func (d *Additions) Add(to finding.Subject, text string) bool {
	o := d.objects[to]
	if o == nil {
		return false
	}
	described := *o
	described.Description = strings.TrimSpace(text)
	return judgeDescription(&described, d.tables) == Adds
}

// wordsOfTables returns the forms of the words of all tables' names.
func wordsOfTables(s *model.Snapshot) wording.Set {
	all := wording.Set{}
	for _, t := range s.Tables {
		for _, w := range t.Words {
			all.Add(wording.Forms(w))
		}
	}
	return all
}
