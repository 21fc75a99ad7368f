package answerset

import (
	"encoding/json"
	"fmt"
	"time"

	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// StoredAsk is an ask of an evaluation's document.
type StoredAsk struct {
	verdict.Ask
	// DurationMS is absent if the time is not known.
	DurationMS *int64     `json:"durationMs,omitempty"`
	Cached     bool       `json:"cached,omitempty"`
	At         *time.Time `json:"at,omitempty"`
	File       string     `json:"file,omitempty"`
	Line       int        `json:"line,omitempty"`
	Turn       int        `json:"turn,omitempty"`
	// Claimed is the verdict of the evaluation SDK; absent without one.
	Claimed *bool `json:"claimed,omitempty"`
	// Sample are the first rows of its query, where it was evaluated.
	Sample json.RawMessage `json:"rows,omitempty"`
}

// readEvaluation reads the answers of an earlier evaluation.
func (f *File) readEvaluation(data []byte) error {
	f.Kind = Evaluation
	var d struct {
		Judging string
		Judge   *verdict.Judge
		Model   struct{ Hash string }
		Runs    []struct {
			By
			Questions []struct {
				benchmark.Question
				Asks []StoredAsk `json:"asks"`
			} `json:"questions"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("it is not read as an evaluation: %w", err)
	}
	f.Model, f.Judging, f.Judge = d.Model.Hash, d.Judging, d.Judge
	for _, r := range d.Runs {
		for _, q := range r.Questions {
			for _, ask := range q.Asks {
				a := Answer{Question: q.Text, QuestionID: q.QuestionID, By: r.By, Answer: ask.Answer, Failure: ask.Error, Cached: ask.Cached,
					Turn: ask.Turn, Line: ask.Line, Stored: &ask.Ask, Of: &q.Question}
				if ask.DurationMS != nil {
					a.Seconds = new(float64(*ask.DurationMS) / 1000)
				}
				if ask.At != nil {
					a.At = *ask.At
				}
				if !f.add(a) {
					return nil
				}
			}
		}
	}
	return nil
}

// readRun reads the answers of a run of the service.
func (f *File) readRun(data []byte) error {
	f.Kind = Run
	var d benchmark.RunDocument
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("it is not read as a run of the service: %w", err)
	}
	f.Judge = d.Judge
	by := By{Who: d.Summary.Side.Answerer(), Runtime: d.Summary.Target.Runtime, Stage: d.Summary.Target.Stage,
		Definition: d.Summary.Target.ConfigHash, Named: true}
	if d.Side.AnsweredBy.DataAgentName != "" {
		by.Who = "data agent " + d.Side.AnsweredBy.DataAgentName
	}
	if len(by.Definition) > len("sha256:")+8 {
		by.Definition = by.Definition[:len("sha256:")+8]
	}
	for _, q := range d.Questions {
		for _, ask := range q.Asks {
			a := Answer{Question: q.Text, QuestionID: q.QuestionID, By: by, Answer: ask.Answer, Failure: ask.Error, At: d.StartedAt, Turn: 1,
				Stored: new(ask), Of: &q.Question, Seconds: new(float64(ask.DurationMS) / 1000)}
			if !f.add(a) {
				return nil
			}
		}
	}
	return nil
}
