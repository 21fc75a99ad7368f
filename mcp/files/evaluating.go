package files

import (
	"context"
	"errors"
	"strings"
	"time"

	"readiness/ai/answerer"
	"readiness/definition/semanticmodel"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/verdict"
	"readiness/mcp"
	"readiness/offline"
	"readiness/offline/evaluate"
	"readiness/offline/lift"
	"readiness/offline/report/runreport"
)

// Evaluate implements mcp.Evaluating.
func (f *Files) Evaluate(ctx context.Context, in mcp.EvaluateInput) (made mcp.Evaluation, err error) {
	i, err := f.one(ctx, in.Model)
	if err != nil {
		return made, err
	}
	o := evaluate.Options{Root: f.root, Now: f.Now(), Answers: make([]string, len(in.Answers)), KeepUnrunnable: in.Keep}
	o.Model, err = f.inside(i.Shown)
	if err == nil {
		o.Questions, err = f.inside(in.Questions)
	}
	for n, name := range in.Answers {
		if err == nil {
			o.Answers[n], err = f.inside(name)
		}
	}
	if err == nil && in.Baseline != "" {
		o.Baseline, err = f.inside(in.Baseline)
	}
	if err != nil {
		return made, err
	}
	e, warnings, err := evaluate.Run(ctx, o)
	if err != nil {
		return made, f.shown(err)
	}
	report := runreport.OfEvaluation(e)
	made = mcp.Evaluation{Conclusion: report.Conclusion, Notes: report.Notes}
	for _, w := range warnings {
		made.Warnings = append(made.Warnings, w.String())
	}
	for _, r := range e.Runs {
		one := mcp.EvaluatedRun{Run: mcp.Run{ID: newID(), Model: i.Shown, Answerer: r.By.String(), Score: r.Summary.Score, Answers: rows(r)},
			Summary: r.Summary}
		f.runs.Add(one.ID, one.Run)
		made.Runs = append(made.Runs, one)
	}
	return made, nil
}

// rows are the answers of one who answered.
func rows(r evaluation.Run) (all []mcp.AnswerRow) {
	for _, q := range r.Questions {
		for _, a := range q.Asks {
			row := mcp.AnswerRow{Question: q.Text, Expected: q.Expected.Text(), Verdict: string(a.Verdict), Reason: a.Reason, Answer: a.Text,
				Query: a.Query}
			if a.Error != nil {
				row.Answer = a.Error.Message
			}
			all = append(all, row)
		}
	}
	return all
}

// shown returns an error without the path of the folder.
func (f *Files) shown(err error) error {
	return errors.New(strings.ReplaceAll(strings.ReplaceAll(err.Error(), f.root+"/", ""), f.root, "."))
}

// askedAtOnce is how long one call asks. What it was answered is kept, so that a further call goes on before clients lose patience.
const askedAtOnce = 45 * time.Second

// Lift implements mcp.Evaluating.
func (f *Files) Lift(ctx context.Context, in mcp.LiftInput) (r lift.Result, err error) {
	file := ""
	if in.Questions != "" {
		if file, err = f.inside(in.Questions); err != nil {
			return r, err
		}
	}
	i, err := f.one(ctx, in.Model)
	if err != nil {
		return r, err
	}
	all, _, err := offline.Propose(ctx, []offline.Item{i}, offline.ProposeOptions{Ignores: f.Ignores, Regime: f.Regime, Propose: embedded})
	if err == nil {
		err = all[0].Error
	}
	if err != nil {
		return r, err
	}
	o := lift.Options{Open: f.Ask, By: in.By, Repeats: 1}
	if o.Open == nil {
		asker := answerer.New(answerer.Options{Now: f.Now})
		o.Open = func(m *semanticmodel.Model) (verdict.Target, answerer.Ask, error) {
			return asker.OnModel(m, aiprovider.Embedded())
		}
	} else {
		f.asking.Lock()
		defer f.asking.Unlock()
		o.Asks = f.asks
		limited, cancel := context.WithTimeout(ctx, askedAtOnce)
		defer cancel()
		ctx = limited
	}
	if _, err := o.Prepare(ctx, all[0], file, defaultQuestions, f.Now()); err != nil {
		return r, f.shown(err)
	}
	r, err = lift.Measure(ctx, all[0], o)
	return r, errors.Join(err, ctx.Err()) // an answer that was cut off is no answer
}
