package benchmark

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain/verdict"
)

// RunDocument is the stored document of a completed run: every question with its
// answers. It never changes; a person's verdict makes another one.
type RunDocument struct {
	Schema          string    `json:"schema"`
	RunID           uuid.UUID `json:"runId"`
	Side            Side      `json:"side"`
	QuestionSetHash string    `json:"questionSetHash"`
	Repeats         int       `json:"repeats"`
	StartedAt       time.Time `json:"startedAt"`
	// Judge is the AI that judged; nil when none was asked.
	Judge *verdict.Judge `json:"judge"`
	// Imported says where the answers of an imported run are from; nil for a run that asked.
	Imported *Origin `json:"imported,omitempty"`
	// Summary covers the questions that have an answer.
	Summary   verdict.ComparisonSide `json:"summary"`
	Questions []AnsweredQuestion     `json:"questions"` // all, in the order of the set
}

// AnsweredQuestion is a question with its answers.
type AnsweredQuestion struct {
	Question
	verdict.Tally
}

// runSchema names the schema of a RunDocument.
const runSchema = "benchmark-run/1"

// NewRunDocument summarizes a run whose asks were all made. about describes the
// answerer.
func NewRunDocument(r Run, about verdict.Target, judge *verdict.Judge, set Set, asks map[AskKey]verdict.Ask) RunDocument {
	d := RunDocument{
		Schema: runSchema, RunID: r.RunID, Side: r.Side, QuestionSetHash: r.QuestionSetHash, Repeats: r.Repeats, StartedAt: r.At,
		Judge:     judge,
		Questions: make([]AnsweredQuestion, len(set.Questions)),
	}
	who := r.Side.Asked("", about)
	for i, q := range set.Questions {
		made := make([]verdict.Ask, 0, r.Repeats)
		for n := 1; n <= r.Repeats; n++ {
			if a, ok := asks[AskKey{q.QuestionID, n}]; ok {
				made = append(made, a)
			}
		}
		d.Questions[i] = AnsweredQuestion{q, who.Tally(made)}
	}
	side := "a"
	if r.AbTest != nil {
		side = r.AbTest.Side
	}
	d.summarize(side, who)
	return d
}

// summarize computes the summary from the questions.
func (d *RunDocument) summarize(side string, who verdict.Side) {
	var answered []verdict.WeighedTally
	var all []verdict.Ask
	for _, q := range d.Questions {
		all = append(all, q.Asks...)
		if q.Answered > 0 {
			answered = append(answered, verdict.WeighedTally{Tally: q.Tally, Weight: q.Weighed(), Cluster: q.ClusterID})
		}
	}
	d.Summary = verdict.NewComparisonSide(side, who, answered)
	d.Summary.Spend(all)
}

// Asked returns the side as a comparison describes it.
func (s Side) Asked(label string, about verdict.Target) verdict.Side {
	about.Who = s.AnsweredBy.Who
	about.WorkspaceID, about.SemanticModelID, about.ItemID = &s.WorkspaceID, &s.SemanticModelID, s.AnsweredBy.DataAgentID
	if s.AnsweredBy.DataAgentWorkspaceID != nil {
		about.WorkspaceID = s.AnsweredBy.DataAgentWorkspaceID
	}
	return verdict.Side{Kind: s.AnsweredBy.Kind, Label: label, AgentRef: verdict.AgentRef{DataAgentID: s.AnsweredBy.DataAgentID},
		Target: about}
}

// Outcome returns the outcome of the run. hash is the hash of the document.
func (d RunDocument) Outcome(hash string) Outcome {
	o := Outcome{DocumentHash: hash, Score: d.Summary.Score, ResponseTime: d.Summary.ResponseTime,
		Usage: d.Summary.Usage, Cost: d.Summary.Cost, Judge: d.Judge,
		Answerer: d.Summary.Answerer(), DefinitionHash: d.Summary.Target.SnapshotID, Accuracy: d.Summary.AccuracyCI}
	for _, q := range d.Questions {
		o.Verdicts.Count(q.Asks)
		o.review(q.Asks)
		if q.Answered == 0 {
			continue
		}
		o.Scored++
		if *q.Stability == 1 {
			o.Stable++
		}
	}
	return o
}

// Asks returns the asks by question id.
func (d RunDocument) Asks() map[string][]verdict.Ask {
	all := make(map[string][]verdict.Ask, len(d.Questions))
	for _, q := range d.Questions {
		all[q.QuestionID] = q.Asks
	}
	return all
}
