// Package evaluation judges the answers of files and compares those who answered: the part of readiness evaluate that only computes. Its
// verdicts and statistics are those of the service (docs/evaluation.md).
package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/verdict"
)

// Schema names the schema of an Evaluation, and JudgeVersion the way of judging. Verdicts of unequal versions are not alike.
const (
	Schema       = "evaluation/1"
	JudgeVersion = "judging/1"
)

// Evaluation is the judged answers of files.
type Evaluation struct {
	Schema string `json:"schema"`
	// Program is the version of the program that judged, and Judging that of its way.
	Program string `json:"program"`
	Judging string `json:"judging"`
	Model   Model  `json:"model"`
	// Judge is the language model that judged what nothing else decides; absent without one.
	Judge *verdict.Judge `json:"judge,omitempty"`
	// SetHash identifies the golden questions, of which Count could be judged.
	SetHash string `json:"questionSetHash"`
	Count   int    `json:"questionCount"`
	// Unusable are golden questions that the model cannot answer any more.
	Unusable []Unusable        `json:"unusableQuestions,omitempty"`
	Files    []*answerset.File `json:"files"`
	// Runs are the answers of each who answered, in the order of the files; Baseline are those of the baseline.
	Runs        []Run               `json:"runs"`
	Baseline    []Run               `json:"-"`
	Comparisons []Comparison        `json:"comparisons,omitempty"`
	Unmatched   benchmark.Unmatched `json:"unmatched"`
	// Notes are sentences about what limits the verdicts.
	Notes []string `json:"notes,omitempty"`
}

// Model is the model that the answers are about.
type Model struct {
	Name string `json:"name"`
	// Hash is that of its definition.
	Hash string `json:"hash"`
	// SampleData is true if queries were evaluated over sample data.
	SampleData bool `json:"sampleData"`
}

// Unusable is a golden question that cannot be judged.
type Unusable struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// Run is what one answerer answered.
type Run struct {
	answerset.By
	Summary   verdict.ComparisonSide `json:"summary"`
	Questions []Question             `json:"questions"`
	// Methods counts the answers by what decided the verdict.
	Methods map[string]int `json:"methods"`
	// Cached counts the answers that came from a cache.
	Cached int `json:"cached,omitempty"`
	// First and Last are when it was asked, as far as the files say.
	First *time.Time `json:"firstAt,omitempty"`
	Last  *time.Time `json:"lastAt,omitempty"`
}

// side is who answered, as an imported run has it.
func (r Run) side() verdict.Side {
	return verdict.Side{Kind: verdict.Imported, Target: verdict.Target{Who: r.Who, Runtime: r.Runtime}}
}

// Question is a golden question with its answers.
type Question struct {
	benchmark.Question
	verdict.Tally
	// MedianMS and Asks are those of the Tally, without times that nobody knows.
	MedianMS *int64                `json:"medianMs,omitempty"`
	Asks     []answerset.StoredAsk `json:"asks"`
	// Reference are the first rows of the expected query, where it was evaluated.
	Reference *verdict.Sample `json:"referenceRows,omitempty"`
}

// asks are the question's asks as verdicts are computed from.
func (q Question) asks() []verdict.Ask { return q.Tally.Asks }

// Input is what is evaluated.
type Input struct {
	Program  string
	Model    Model
	Set      benchmark.Set // admitted
	Files    []*answerset.File
	Baseline *answerset.File // nil without
}

// New judges the answers of files and compares who answered.
func New(in Input, j *Judge) *Evaluation {
	e := &Evaluation{Schema: Schema, Program: in.Program, Judging: JudgeVersion, Model: in.Model, SetHash: in.Set.Hash(), Files: in.Files}
	set := benchmark.Set{Repeats: in.Set.Repeats}
	for _, q := range in.Set.Check(j.Model, j.Now) {
		if !q.CanRun {
			e.Unusable = append(e.Unusable, Unusable{q.Text, *q.Reason})
			continue
		}
		set.Questions = append(set.Questions, q.Question)
		if q.Warning != nil {
			e.note("%s: %s", domain.Excerpt(q.Text), *q.Warning)
		}
	}
	e.Count = len(set.Questions)
	answerset.Join(in.Files)
	m := newMatcher(set)
	e.Runs = e.runs(m, in.Files, j, false)
	e.Unmatched = m.unmatched(in.Files)
	if in.Baseline != nil {
		e.Baseline = e.runs(m, []*answerset.File{in.Baseline}, j, true)
	}
	e.Judge = j.by
	e.Comparisons = e.compare(in.Baseline)
	e.limits(j)
	return e
}

func (e *Evaluation) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(e.Notes, text) {
		e.Notes = append(e.Notes, text)
	}
}

// maxAsks is how many answers of one answerer to one question are judged.
const maxAsks = 100

// runs judges the answers, by who answered. Those of a baseline keep the verdicts that are stored with them.
func (e *Evaluation) runs(m *matcher, files []*answerset.File, j *Judge, baseline bool) []Run {
	type key struct {
		by       answerset.By
		question int
	}
	answers := map[key][]located{}
	var order []answerset.By
	changed, over := map[int]bool{}, false
	for _, f := range files {
		for i := range f.Answers {
			a := &f.Answers[i]
			n, ok := m.find(a)
			if !ok {
				continue
			}
			if baseline && a.Of != nil && !same(*a.Of, m.set.Questions[n]) {
				changed[n] = true
				continue
			}
			k := key{a.By, n}
			if !slices.Contains(order, a.By) {
				order = append(order, a.By)
			}
			if len(answers[k]) == maxAsks {
				over = true
				continue
			}
			answers[k] = append(answers[k], located{a, f.Name})
		}
	}
	if len(changed) > 0 {
		e.note("The baseline had another expected answer to %s, not compared here.", counted(len(changed), "question"))
	}
	if over {
		e.note("Of one question and answerer at most %d answers are judged.", maxAsks)
	}
	all := make([]Run, 0, len(order))
	for _, by := range order {
		r := Run{By: by, Methods: map[string]int{}}
		timed := true
		var answered []verdict.WeighedTally
		var asks []verdict.Ask
		for n, q := range m.set.Questions {
			one := Question{Question: q, Asks: []answerset.StoredAsk{}}
			var made []verdict.Ask
			for i, a := range answers[key{by, n}] {
				ask, sample := j.ask(q, a.Answer, baseline)
				if j.Judged != nil {
					j.Judged()
				}
				ask.N = i + 1
				stored := answerset.StoredAsk{Ask: ask, Cached: a.Cached, File: a.file, Line: a.Line, Turn: a.Turn, Claimed: a.Claimed,
					Sample: sample}
				timed = timed && (a.Seconds != nil || a.Failure != nil)
				if a.Seconds != nil {
					stored.DurationMS = new(ask.DurationMS)
				}
				r.count(a.Answer, ask, &stored)
				made, one.Asks = append(made, ask), append(one.Asks, stored)
			}
			one.Tally = verdict.NewTally(made)
			one.Reference = j.sample(q)
			asks = append(asks, made...)
			if one.Answered > 0 {
				answered = append(answered, verdict.WeighedTally{Tally: one.Tally, Weight: q.Weighed(), Cluster: q.ClusterID})
			}
			r.Questions = append(r.Questions, one)
		}
		r.Summary = verdict.NewComparisonSide("", verdict.Side{Label: by.Who}, answered)
		r.Summary.AnsweredBy = by.String()
		r.Summary.Spend(asks)
		if !timed {
			r.Summary.ResponseTime = nil
		}
		for i := range r.Questions {
			if timed {
				r.Questions[i].MedianMS = r.Questions[i].Tally.MedianMS
			} else {
				r.Questions[i].Tally.MedianMS = nil
			}
		}
		all = append(all, r)
	}
	return all
}

type located struct {
	*answerset.Answer
	file string
}

// count counts an answer.
func (r *Run) count(a *answerset.Answer, ask verdict.Ask, stored *answerset.StoredAsk) {
	r.Methods[cmp.Or(string(ask.Method), "nothing")]++
	if a.Cached {
		r.Cached++
	}
	if a.At.IsZero() {
		return
	}
	stored.At = &a.At
	if r.First == nil || a.At.Before(*r.First) {
		r.First = &a.At
	}
	if r.Last == nil || a.At.After(*r.Last) {
		r.Last = &a.At
	}
}

// same reports whether two questions ask for the same answer.
func same(a, b benchmark.Question) bool {
	a.QuestionID, b.QuestionID = "", ""
	a.Text, b.Text = normal(a.Text), normal(b.Text)
	return benchmark.Set{Questions: []benchmark.Question{a}}.Hash() == benchmark.Set{Questions: []benchmark.Question{b}}.Hash()
}

// limits adds notes about what limits the verdicts.
func (e *Evaluation) limits(j *Judge) {
	if len(j.nothing) > 0 {
		e.note("The expected query of %s returns nothing over the sample data, such as of %q: rows decide nothing there.",
			counted(len(j.nothing), "question"), domain.Excerpt(j.nothing[0]))
	}
	if j.lucky > 0 {
		e.note("Right by rows by a query that asks for something else than the expected one: %s. Over the sample data both give the same; "+
			"read the reasons.", counted(j.lucky, "answer"))
	}
	if j.unlike > 0 {
		e.note("Right by rows, with a text that holds another number than the query gives over the sample data: %s. Either the AI was asked about other "+
			"data, or it writes what its query does not say: an expectedValue decides.", counted(j.unlike, "answer"))
	}
	if j.silent > 0 {
		e.note("The judge did not answer about %s.", counted(j.silent, "answer"))
	}
	for _, r := range e.Runs {
		r.judged(e)
		if r.Cached > 0 {
			e.note("%s: %s came from a cache, and may be older than the definition.", r.By, counted(r.Cached, "answer"))
		}
		r.claims(e)
	}
	if n := e.undecided(); n > 0 {
		e.note("Nothing decides %s. Give the query (dax) with the answers, or an expectedValue with the questions.", counted(n, "answer"))
	}
}

// judged says which verdicts a language model gave, and what is left without them.
func (r Run) judged(e *Evaluation) {
	n := r.Methods[string(verdict.ByJudge)]
	if n == 0 {
		return
	}
	right, computed, all := 0, 0, 0
	for _, q := range r.Questions {
		for _, a := range q.Asks {
			switch {
			case a.Method == verdict.ByJudge && a.Verdict == verdict.Correct:
				right++
			case a.Method != verdict.ByJudge && a.Verdict == verdict.Correct:
				computed++
			}
			all++
		}
	}
	e.note("%s: a language model judged %s (%s), and nothing computes these verdicts: it called %d right. Without it %d of %d answers are right.", r.By,
		counted(n, "answer"), strings.Join(e.judges(), ", "), right, computed, all)
}

// judges names the language models that judged, now or for the files.
func (e *Evaluation) judges() (names []string) {
	add := func(j *verdict.Judge) {
		if j != nil && !slices.Contains(names, j.Model+", "+j.PromptVersion) {
			names = append(names, j.Model+", "+j.PromptVersion)
		}
	}
	add(e.Judge)
	for _, f := range e.Files {
		add(f.Judge)
	}
	if len(names) == 0 {
		return []string{"of an unknown name"}
	}
	return names
}

// undecided counts the answers that nothing decides.
func (e *Evaluation) undecided() (n int) {
	for _, r := range e.Runs {
		n += r.Methods["nothing"]
	}
	return n
}

// claims says how the evaluation SDK judged.
func (r Run) claims(e *Evaluation) {
	claimed, generous, strict := 0, 0, 0
	for _, q := range r.Questions {
		for _, a := range q.Asks {
			if a.Claimed == nil {
				continue
			}
			claimed++
			if *a.Claimed && a.Verdict == verdict.Incorrect {
				generous++
			}
			if !*a.Claimed && a.Verdict == verdict.Correct {
				strict++
			}
		}
	}
	if claimed > 0 {
		e.note("%s: the evaluation SDK judged %s itself. It called %d right that are wrong here, and %d wrong that are right here.", r.By,
			counted(claimed, "answer"), generous, strict)
	}
}

// counted returns a number of things.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
