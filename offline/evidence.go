package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"readiness/domain"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// Evidence is what the answers of one answerer measured of a model.
type Evidence struct {
	File string `json:"file"`
	// Who is who answered.
	Who string `json:"answered_by"`
	// Right of Questions questions were answered rightly. Rate is the share and Low to High its 95 % interval, in percent.
	Right     int `json:"right"`
	Questions int `json:"questions"`
	Rate      int `json:"rate_percent"`
	Low       int `json:"low_percent"`
	High      int `json:"high_percent"`
	// At is when the last question was asked; nil if nobody knows.
	At *time.Time `json:"last_asked_at,omitempty"`
	// Outdated is true if the model's definition was another one.
	Outdated bool `json:"outdated"`
}

// Evaluated is an evaluation of a model's answers, as evidence.
type Evaluated struct {
	file, name, hash string
	all              []Evidence
}

// ReadEvidence reads what readiness evaluate --format json printed.
func ReadEvidence(file string) (*Evaluated, error) {
	shown := filepath.ToSlash(file)
	const instead = "; it must be what readiness evaluate --format json printed"
	data, err := ReadText(file, answerset.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("the evidence: %w", err)
	}
	var e struct {
		Schema string
		Model  evaluation.Model
		Runs   []struct {
			answerset.By
			Summary verdict.ComparisonSide `json:"summary"`
			Last    *time.Time             `json:"lastAt"`
		}
	}
	if err := json.Unmarshal(data, &e); err != nil || e.Schema != evaluation.Schema {
		if err == nil {
			err = errors.New("it is no evaluation of this version")
		}
		return nil, fmt.Errorf("the evidence %s: %w%s", shown, err, instead)
	}
	of := &Evaluated{file: shown, name: e.Model.Name, hash: e.Model.Hash}
	for _, r := range e.Runs {
		ci := r.Summary.AccuracyCI
		if ci == nil || ci.X == nil || ci.N == nil || r.Summary.Accuracy == nil {
			continue // nothing was answered
		}
		of.all = append(of.all, Evidence{File: shown, Who: domain.Excerpt(r.By.String()), Right: *ci.X, Questions: *ci.N,
			Rate: r.Summary.Accuracy.Percent(), Low: ci.Low.Percent(), High: ci.High.Percent(), At: r.Last})
	}
	if len(of.all) == 0 {
		return nil, fmt.Errorf("the evidence %s: it has no answers", shown)
	}
	return of, nil
}

// Measured adds evidence to the assessments that it is about: those of the same definition or, if there is none, of the same name. The
// warnings name evaluations that are about none of the items.
func (a *Assessment) Measured(all []*Evaluated) {
	for _, e := range all {
		same := func(i Assessed) bool { return i.DefinitionHash == e.hash }
		outdated := !slices.ContainsFunc(a.Items, same)
		if outdated {
			same = func(i Assessed) bool {
				return i.Type == item.SemanticModel && i.Error == nil && strings.EqualFold(i.Name, e.name)
			}
		}
		found := false
		for n := range a.Items {
			if !same(a.Items[n]) {
				continue
			}
			found = true
			for _, one := range e.all {
				one.Outdated = outdated
				a.Items[n].Evidence = append(a.Items[n].Evidence, one)
			}
		}
		if !found {
			a.Warnings = append(a.Warnings, Warning{e.file, 1, 0, fmt.Sprintf("the evidence is about the model %q, which is none of these",
				domain.Excerpt(e.name))})
		}
	}
}
