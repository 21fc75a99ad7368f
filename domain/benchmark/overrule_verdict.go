package benchmark

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

// MaxReason is how many characters the reason of a person's verdict has at most.
const MaxReason = 500

// Overrule is a person's verdict on the answers to a question of a run (docs/decisions.md 16).
type Overrule struct {
	QuestionID string `json:"questionId" pii:"text"`
	// N is the ask that it is about, from 1; 0 is every ask of the question that has an answer.
	N int `json:"n,omitempty"`
	// Verdict is the person's.
	Verdict verdict.Verdict `json:"verdict"`
	// Reason is the person's text.
	Reason string `json:"reason" pii:"text"`
}

// Check refuses what is no verdict of a person.
func (o Overrule) Check() error {
	if !slices.Contains([]verdict.Verdict{verdict.Correct, verdict.Incorrect, verdict.Unclear, verdict.Refused}, o.Verdict) {
		return domain.Refuse(domain.InvalidRequest, "verdict must be correct, incorrect, unclear or refused").About("member", "verdict")
	}
	n := utf8.RuneCountInString(o.Reason)
	if strings.TrimSpace(o.Reason) == "" || n > MaxReason {
		return domain.Refuse(domain.InvalidRequest, "reason must have 1 to %d characters; this one has %d", MaxReason, n).
			About("member", "reason")
	}
	return nil
}

// Overruler is who overrules, and the person who started the run.
type Overruler struct {
	By      item.PersonID
	Admin   bool
	Starter item.PersonID
}

// Check refuses a run without a result, and anyone except its starter and the account's administrators.
func (o Overruler) Check(r Run) error {
	switch {
	case !o.Admin && o.By != o.Starter:
		return domain.Refuse(domain.AdminRoleRequired,
			"only the person who started run %s, or an administrator of the account, may overrule its verdicts", r.RunID).
			About("runId", r.RunID)
	case !r.Status.Ended():
		return domain.Refuse(domain.ResultNotReady, "run %s has not ended; read it until it has", r.RunID).
			About("runId", r.RunID).After(untilEnded)
	case r.Status != operation.StatusSucceeded:
		return domain.Refuse(domain.OperationHasNoResult, "run %s has no result because it is %s; the run says why", r.RunID,
			r.Status).About("runId", r.RunID)
	}
	return nil
}

// untilEnded is when a caller should read a run again that has not ended.
const untilEnded = 5 * time.Second

// Overruled returns the document with a person's verdict, and false if the document has it already. It refuses a question
// that the run did not ask, and asks without an answer.
func (d RunDocument) Overruled(o Overrule) (RunDocument, bool, error) {
	at := slices.IndexFunc(d.Questions, func(q AnsweredQuestion) bool { return q.QuestionID == o.QuestionID })
	if at < 0 {
		id := domain.Excerpt(o.QuestionID)
		return d, false, domain.Refuse(domain.RunNotFound, "benchmark run %s did not ask a question %s", d.RunID, id).
			About("questionId", id)
	}
	q := d.Questions[at]
	asks := slices.Clone(q.Asks)
	answered, changed := 0, false
	for i, a := range asks {
		if a.Verdict == verdict.Errored || o.N != 0 && a.N != o.N {
			continue
		}
		answered++
		if a.Method != verdict.ByPerson || a.Verdict != o.Verdict || a.Reason != o.Reason {
			asks[i], changed = a.Overruled(o.Verdict, o.Reason), true
		}
	}
	if answered == 0 {
		which := "none of its asks"
		if o.N != 0 {
			which = fmt.Sprintf("no ask %d of it", o.N)
		}
		return d, false, domain.Refuse(domain.InvalidRequest, "there is no answer to decide about: %s has one", which).
			About("member", "n")
	}
	if !changed {
		return d, false, nil
	}
	d.Questions = slices.Clone(d.Questions)
	d.Questions[at].Tally = q.Revised(asks)
	d.summarize(d.Summary.Name, d.Summary.Side)
	return d, true, nil
}

// ErrOutcomeMoved is returned for a verdict on an outcome that another one has replaced.
var ErrOutcomeMoved = errors.New("benchmark: the run's outcome was changed meanwhile")

// OverruleVerdict records a person's verdict and the outcome with it.
type OverruleVerdict struct {
	VerdictOverruled
	Overruler Overruler
	From      string // the hash of the document that it was decided on
}

func (c OverruleVerdict) Decide(r Run) ([]domain.Event, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := c.Overruler.Check(r); err != nil {
		return nil, err
	}
	if r.Outcome.DocumentHash != c.From {
		return nil, ErrOutcomeMoved
	}
	return []domain.Event{c.VerdictOverruled}, nil
}
