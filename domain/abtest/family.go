package abtest

import (
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/verdict"
)

// FamilyStream returns the name of the stream of the comparisons of an account on a semantic model. Holm's method adjusts
// the p of one for those of the days before.
func FamilyStream(accountID string, modelID uuid.UUID) string {
	return "abfamily-" + accountID + "-" + modelID.String()
}

// Tested records the p of a comparison that was completed. It stays when the run or its test is deleted.
type Tested struct {
	RunID    uuid.UUID `json:"runId"`
	AbTestID uuid.UUID `json:"abTestId"`
	// MidP is the mid-p value of the comparison.
	MidP float64   `json:"midP"`
	At   time.Time `json:"at"`
}

func (Tested) EventType() string { return "abtest.tested" }

// Family are the comparisons of an account on a model, those of the last comparison.HolmDays days before the newest,
// oldest first.
type Family struct{ Tests []Tested }

// since returns when the family of a comparison at an instant begins.
func since(at time.Time) time.Time { return at.AddDate(0, 0, -verdict.HolmDays) }

// EvolveFamily returns f after e.
func EvolveFamily(f Family, e domain.Event) Family {
	if e, ok := e.(Tested); ok {
		f.Tests = slices.DeleteFunc(append(slices.Clone(f.Tests), e), func(t Tested) bool { return t.At.Before(since(e.At)) })
	}
	return f
}

// Others returns the p of the comparisons in the days up to an instant.
func (f Family) Others(at time.Time) []float64 {
	all := []float64{}
	for _, t := range f.Tests {
		if !t.At.Before(since(at)) {
			all = append(all, t.MidP)
		}
	}
	return all
}

// ErrFamilyMoved is returned for a comparison whose family is no longer as it was when p was adjusted.
var ErrFamilyMoved = errors.New("abtest: another comparison of the model was completed")

// Join records a comparison in its family.
type Join struct {
	Tested
	// Others is how many comparisons p was adjusted for.
	Others int
}

// Decide implements domain.Command. It records a run once, and returns ErrFamilyMoved if another comparison was recorded in between.
func (c Join) Decide(f Family) ([]domain.Event, error) {
	switch {
	case slices.ContainsFunc(f.Tests, func(t Tested) bool { return t.RunID == c.RunID }):
		return nil, nil
	case len(f.Others(c.At)) != c.Others:
		return nil, ErrFamilyMoved
	}
	return []domain.Event{c.Tested}, nil
}
