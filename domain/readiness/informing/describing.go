package informing

import (
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
)

// Judge judges texts as descriptions of a model's objects, so that nothing is proposed that a rule would fault. It is
// built once for a model and then answers fast.
type Judge struct {
	objects map[finding.Subject]*model.Object
	texts   *texts
}

// JudgeOf returns the judge of a model's descriptions.
func JudgeOf(m *semanticmodel.Model) *Judge {
	s := model.NewSnapshot(m)
	j := &Judge{make(map[finding.Subject]*model.Object, len(s.Objects)), textsOf(s, nil)}
	for _, o := range s.Objects {
		if k := model.SubjectOf(o); j.objects[k] == nil {
			j.objects[k] = o
		}
	}
	return j
}

// Informs reports whether a text informs as the description of an object. It does not compare it with other texts. It is
// false for an object that the model lacks or that no rule judges.
func (j *Judge) Informs(of finding.Subject, text string) bool { return j.Fault(of, text) == Informs }

// Fault returns why a text does not inform, as Informs judges it. For an object that no rule judges it is Absent.
func (j *Judge) Fault(of finding.Subject, text string) Fault {
	o := j.objects[of]
	if o == nil {
		return Absent
	}
	return j.texts.judge(o, text)
}
