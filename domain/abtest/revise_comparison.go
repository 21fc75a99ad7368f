package abtest

import (
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/internal/optional"
)

// ComparisonRevised records the comparison of a run again, with verdicts that persons gave after it had been made.
type ComparisonRevised struct{ Compared }

// RunRevised records on the test's stream what the comparison of a run concludes now.
type RunRevised struct {
	RunID uuid.UUID `json:"runId"`
	// Aggregate is the comparison with the new verdicts.
	Aggregate verdict.Aggregate `json:"aggregate"`
	// Gap is the number of side B's correct questions minus side A's.
	Gap int `json:"gap"`
	// Document is the hash of the comparison's document.
	Document string   `json:"document"`
	Standing Standing `json:"standing"`
}

func (ComparisonRevised) EventType() string { return "abtest.comparison-revised" }
func (RunRevised) EventType() string        { return "abtest.run-revised" }

// Sides are the documents of the benchmark runs of both sides.
type Sides struct{ A, B benchmark.RunDocument }

// Compare compares the answers of both sides of a run, whose test has the labels.
func (s Sides) Compare(r Run, labels Words) verdict.Comparison {
	return verdict.Compare(r.RunID.String(), r.SideA.Asked(optional.Text(labels.LabelA), s.A.Summary.Target),
		r.SideB.Asked(optional.Text(labels.LabelB), s.B.Summary.Target), benchmark.Paired(s.A, s.B))
}

// Revise returns the document of a run's comparison with the verdicts that the sides have now.
func (s Sides) Revise(r Run, labels Words, made verdict.Document) verdict.Document {
	made.Comparison = s.Compare(r, labels).Revised(r.Compared.Aggregate, s.B.Generated())
	return made
}

// CheckRevisable refuses to change the verdicts of a side while the run has yet to compare them.
func (r Run) CheckRevisable() error {
	if r.Operation.Status.Ended() {
		return nil
	}
	return domain.Refuse(domain.OperationInProgress,
		"run %s of an A/B test compares these answers and has not ended; wait for its end", r.RunID).
		About("operationId", r.RunID)
}

// ReviseComparison records the comparison of a run again; nothing when it is the same, or the run has none.
type ReviseComparison struct{ Compared }

func (c ReviseComparison) Decide(r Run) ([]domain.Event, error) {
	if r.Compared == nil || r.Erased || r.Compared.Document == c.Document {
		return nil, nil
	}
	return []domain.Event{ComparisonRevised(c)}, nil
}

// ReviseRun records what the comparison of a run concludes now; nothing when the test does not have the run.
type ReviseRun struct{ RunRevised }

func (c ReviseRun) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted || !t.Has(c.RunID) {
		return nil, nil
	}
	c.Standing = Evolve(t, c.RunRevised).Standing()
	return []domain.Event{c.RunRevised}, nil
}
