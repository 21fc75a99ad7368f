package abtest

import (
	"strings"
	"unicode/utf8"

	"readiness/domain"
	"readiness/internal/optional"
)

// The maximum lengths of the words, in characters.
const (
	maxName  = 200
	maxLabel = 100
	maxText  = 2000
)

func (w Words) equal(o Words) bool {
	return w.Name == o.Name && optional.Equal(w.Description, o.Description) &&
		optional.Equal(w.LabelA, o.LabelA) && optional.Equal(w.SideADescription, o.SideADescription) &&
		optional.Equal(w.LabelB, o.LabelB) && optional.Equal(w.SideBDescription, o.SideBDescription) &&
		w.Hypothesis.equal(o.Hypothesis)
}

func (h *Hypothesis) equal(o *Hypothesis) bool {
	return h == o || h != nil && o != nil && h.Text == o.Text && optional.Equal(h.Kind, o.Kind)
}

// Trimmed returns the words without surrounding spaces. Optional words that become
// empty are nil.
func (w Words) Trimmed() Words {
	w.Name = strings.TrimSpace(w.Name)
	for _, text := range []**string{&w.Description, &w.LabelA, &w.LabelB, &w.SideADescription, &w.SideBDescription} {
		if *text == nil {
			continue
		}
		if t := strings.TrimSpace(**text); t != "" {
			*text = &t
		} else {
			*text = nil
		}
	}
	return w
}

// Check refuses, with InvalidRequest, words beyond their limits. The words must be
// trimmed.
func (w Words) Check() error {
	if w.Name == "" {
		return domain.Refuse(domain.InvalidRequest, "name must not be empty; leave it out to keep the test's name")
	}
	limits := []struct {
		name string
		text *string
		most int
	}{
		{"name", &w.Name, maxName},
		{"description", w.Description, maxText},
		{"sideA.label", w.LabelA, maxLabel},
		{"sideB.label", w.LabelB, maxLabel},
		{"sideA.description", w.SideADescription, maxText},
		{"sideB.description", w.SideBDescription, maxText},
	}
	for _, l := range limits {
		if l.text != nil && utf8.RuneCountInString(*l.text) > l.most {
			return domain.Refuse(domain.InvalidRequest, "%s has %d characters; it may have %d", l.name, utf8.RuneCountInString(*l.text),
				l.most)
		}
	}
	h := w.Hypothesis
	if h == nil {
		return nil
	}
	switch n := utf8.RuneCountInString(h.Text); {
	case strings.TrimSpace(h.Text) == "":
		return domain.Refuse(domain.InvalidRequest, "hypothesis.text must not be empty; leave out the hypothesis or set it to null for a "+
			"test without one")
	case n > maxText:
		return domain.Refuse(domain.InvalidRequest, "hypothesis.text has %d characters; it may have %d", n, maxText)
	case h.Kind != nil && *h.Kind != "A" && *h.Kind != "B" && *h.Kind != "Same":
		return domain.Refuse(domain.InvalidRequest, "hypothesis.kind must be A, B or Same")
	}
	return nil
}
