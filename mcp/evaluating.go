package mcp

import (
	"context"
	"fmt"
	"strings"

	"readiness/domain/verdict"
	"readiness/offline/lift"
	"readiness/offline/show"
)

// Evaluating is implemented by models whose server can read files with questions and answers.
type Evaluating interface {
	// Evaluate judges the answers of files.
	Evaluate(ctx context.Context, in EvaluateInput) (Evaluation, error)
	// Lift measures which proposals buy right answers.
	Lift(ctx context.Context, in LiftInput) (lift.Result, error)
}

// EvaluateInput names files with questions and answers.
type EvaluateInput struct {
	Model     string   `json:"model" jsonschema:"the id of a model, from list_models"`
	Questions string   `json:"questions" jsonschema:"a file below the folder, CSV or JSON lines: question, and dax or expectedValue"`
	Answers   []string `json:"answers" jsonschema:"files below the folder: tables of question, answer and dax; diagnostics; evaluations"`
	Baseline  string   `json:"baseline,omitempty" jsonschema:"a file with earlier answers to compare with"`
	Keep      bool     `json:"keepUnrunnable,omitempty" jsonschema:"go on if questions cannot be judged; by default the file is refused"`
}

// LiftInput asks which proposals buy right answers.
type LiftInput struct {
	Model     string  `json:"model" jsonschema:"the id of a model, from list_models"`
	Questions string  `json:"questions,omitempty" jsonschema:"as for evaluate; without it, 20 are made from the model's names"`
	By        lift.By `json:"by,omitempty" jsonschema:"size of the parts, kind by default"`
}

// Evaluation is the judged answers of files.
type Evaluation struct {
	// Runs are the answers of each who answered.
	Runs []EvaluatedRun
	// Conclusion compares those who answered; Notes say what limits the verdicts.
	Conclusion string
	Notes      []string
	Warnings   []string
}

// EvaluatedRun is the answers of one who answered.
type EvaluatedRun struct {
	Run
	Summary verdict.ComparisonSide
}

// EvaluationOutput is an evaluation with the first answers that are not correct.
type EvaluationOutput struct {
	Answerers  []AnswererRow   `json:"answerers"`
	Conclusion string          `json:"conclusion,omitempty"`
	Notes      []string        `json:"notes,omitempty"`
	Wrong      Page[AnswerRow] `json:"notCorrect"` // of the last who answered
}

// AnswererRow is how many questions one who answered has right.
type AnswererRow struct {
	RunID    string         `json:"runId"` // for list_answers
	Answerer string         `json:"answerer"`
	Right    int            `json:"right"`
	Of       int            `json:"of"`
	Interval string         `json:"interval95,omitempty"`
	Verdicts map[string]int `json:"verdicts"`
}

// LiftOutput is which parts of what is proposed buy right answers.
type LiftOutput struct {
	Answerer  string         `json:"answerer"`
	Caution   string         `json:"caution,omitempty"`
	Questions int            `json:"questions"`
	Now       lift.Counts    `json:"now"` // of the model as it is
	Parts     Page[LiftPart] `json:"parts"`
	Same      int            `json:"changeNoAnswer,omitempty"` // parts that are not listed
	LeftOut   int            `json:"notAsked,omitempty"`
}

// LiftPart is what a part of what is proposed does to the answers.
type LiftPart struct {
	Part    string `json:"part"`
	Changes int    `json:"changes"`
	lift.Counts
	Points   string   `json:"points"`
	Verdict  string   `json:"verdict"`
	Keys     []string `json:"keys"` // for apply; the first of them
	MoreKeys int      `json:"moreKeys,omitempty"`
	Lines    string   `json:"lines,omitempty"` // of the AI instructions, if the part is only these: not for apply
}

// Bounds of these outputs.
const (
	maxAnswerers = 10
	maxNotes     = 10
	maxKeys      = 10
)

func (t tools) addEvaluating() {
	add(t, spec{name: "evaluate", title: "Judge an AI's answers", hints: reads,
		description: "Judges answers that an AI gave to golden questions, all from files, and compares those who answered. Asks nobody."},
		func(ctx context.Context, m Models, in EvaluateInput) (result[EvaluationOutput], error) {
			e, err := m.(Evaluating).Evaluate(ctx, in)
			if err != nil {
				return result[EvaluationOutput]{}, err
			}
			return e.output()
		})
	add(t, spec{name: "lift", title: "Measure which proposals help", hints: reads,
		description: "Asks questions of a model as it is, with everything that previews propose and with parts of it, and says which parts " +
			"help, hurt, or cannot be told. Writes nothing. Whom it asks, the person set with --ask."},
		func(ctx context.Context, m Models, in LiftInput) (result[LiftOutput], error) {
			r, err := m.(Evaluating).Lift(ctx, in)
			if err != nil {
				return result[LiftOutput]{}, err
			}
			return lifted(r)
		})
}

func (e Evaluation) output() (result[EvaluationOutput], error) {
	out := EvaluationOutput{Answerers: []AnswererRow{}, Conclusion: clip(e.Conclusion, maxReason)}
	out.Wrong.Rows = []AnswerRow{}
	var said []string
	for _, r := range e.Runs[:min(len(e.Runs), maxAnswerers)] {
		s, err := r.summary()
		if err != nil {
			return result[EvaluationOutput]{}, err
		}
		row := AnswererRow{RunID: r.ID, Answerer: s.Answerer, Verdicts: s.Verdicts}
		if ci := r.Summary.AccuracyCI; ci != nil {
			row.Right, row.Of, row.Interval = *ci.X, *ci.N, fmt.Sprintf("%d to %d %%", ci.Low.Percent(), ci.High.Percent())
		}
		said = append(said, fmt.Sprintf("%d of %d", row.Right, row.Of))
		out.Answerers, out.Wrong = append(out.Answerers, row), s.Wrong
	}
	notes := append(e.Warnings[:min(len(e.Warnings), maxWarnings)], e.Notes...)
	for _, note := range notes[:min(len(notes), maxNotes)] {
		out.Notes = append(out.Notes, clip(note, maxText))
	}
	if n := len(notes) - maxNotes; n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("… and %d more; readiness evaluate shows all", n))
	}
	if n := len(e.Runs) - maxAnswerers; n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d more who answered are not listed.", n))
	}
	summary := "Right: " + strings.Join(said, ", ") + "."
	if len(said) == 0 {
		summary = "None of the answers is to a golden question; the notes say why."
	}
	return result[EvaluationOutput]{summary: summary, data: out}, nil
}

func lifted(r lift.Result) (result[LiftOutput], error) {
	out := LiftOutput{Answerer: clip(r.Answerer, maxName), Questions: r.Questions, Now: r.Now, LeftOut: len(r.LeftOut)}
	if r.OfRules {
		out.Caution = lift.OfRules
	}
	var parts []lift.Effect
	for i, e := range r.Parts {
		if i > 0 && e.OnlyWith+e.OnlyWithout == 0 && e.Wrong == r.Now.Wrong {
			out.Same++
			continue
		}
		parts = append(parts, e)
	}
	page, err := pageAs(parts, "", func(e lift.Effect) LiftPart {
		row := LiftPart{Part: clip(e.Name, maxName), Changes: e.Changes, Counts: e.Counts, Verdict: e.Says(r.Questions),
			Points: fmt.Sprintf("%+.0f (95 %%: %+.0f to %+.0f)", 100*e.Difference, 100*e.Low, 100*e.High), Keys: []string{},
			MoreKeys: max(0, len(e.Keys)-maxKeys), Lines: clip(e.Lines, maxText)}
		for _, k := range e.Keys[:min(len(e.Keys), maxKeys)] {
			row.Keys = append(row.Keys, clip(k, maxName))
		}
		return row
	})
	out.Parts = page
	summary := "Nothing is proposed for this model."
	if len(r.Parts) > 0 {
		all := r.Parts[0]
		summary = fmt.Sprintf("Right now: %d of %s; with everything proposed: %d. Wrong: %d and %d.", r.Now.Right, show.Count(r.Questions, "question"),
			all.Right, r.Now.Wrong, all.Wrong)
	}
	return result[LiftOutput]{summary: summary, data: out}, err
}
