// Package lift measures which proposed changes of a model buy right answers: it asks the same questions of the model as it is,
// with everything proposed, and with parts of it.
package lift

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"readiness/ai/answerer"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/optimization"
	"readiness/domain/verdict"
	"readiness/domain/verdict/statistics"
	"readiness/internal/lists"
	"readiness/offline"
)

// Options say what is asked, and whom.
type Options struct {
	Questions []benchmark.Question
	// Open returns who answers about a version of the model, and how to ask.
	Open func(m *semanticmodel.Model) (verdict.Target, answerer.Ask, error)
	By   By
	// Repeats is how often each question is asked of each version, at least once.
	Repeats int
	// Budget is how many new asks there may be; 0 sets no limit.
	Budget int
	// Asks has the answers of earlier runs; nil keeps none.
	Asks *Asks
	// Judge decides whether answers are right.
	Judge *evaluation.Judge
	// KeepUnrunnable leaves out questions of a file that cannot be judged, instead of refusing the file.
	KeepUnrunnable bool
	Progress       func(done, total int)
}

// By is how small the parts are that are asked about.
type By string

// The sizes of parts.
const (
	ByKind   By = "kind"
	ByRule   By = "rule"
	ByChange By = "change"
)

// Sizes lists them, largest first.
var Sizes = []By{ByKind, ByRule, ByChange}

// Verdict says what a part does to the answers.
type Verdict string

// The verdicts. A part is Unclear if the questions cannot tell.
const (
	Helps   Verdict = "helps"
	Hurts   Verdict = "hurts"
	Unclear Verdict = "cannot tell"
)

// Result is what the parts of a model's proposals do to its answers.
type Result struct {
	Model    string `json:"model"`
	Path     string `json:"path"`
	Answerer string `json:"answerer"`
	// OfRules says that the rules engine answered, whose answers come from the rules that make the proposals.
	OfRules   bool `json:"ofRules"`
	Questions int  `json:"questions"`
	Repeats   int  `json:"repeats"`
	// Asked counts new asks; Kept those that an earlier run had asked.
	Asked int `json:"asked"`
	Kept  int `json:"kept"`
	// Now are the answers of the model as it is; Parts has everything first.
	Now   Counts   `json:"now"`
	Parts []Effect `json:"parts"`
	// LeftOut names what the budget did not allow.
	LeftOut []string `json:"leftOut,omitempty"`
}

// Counts are questions by what happened to most asks of each.
type Counts struct {
	Right    int `json:"right"`
	Wrong    int `json:"wrong"`
	Declined int `json:"declined"`
	// Undecided are answers of which nothing that is known tells whether they are right.
	Undecided int `json:"undecided"`
	Failed    int `json:"failed"`
}

// Effect is what one part does, compared with the model as it is.
type Effect struct {
	Name    string `json:"name"`
	Changes int    `json:"changes"`
	Counts
	// OnlyWith and OnlyWithout count the questions that are right only with the part, and only without it; Gained and Lost are these.
	OnlyWith    int      `json:"onlyWith"`
	OnlyWithout int      `json:"onlyWithout"`
	Gained      []string `json:"gained,omitempty"`
	Lost        []string `json:"lost,omitempty"`
	// Difference is of the shares of right answers, with its 95 % interval; P is of McNemar's mid-p test, by Holm's method over
	// the parts of the same size.
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	P          float64 `json:"p"`
	Verdict    Verdict `json:"verdict"`
	// Detectable is the smallest difference that these questions could show; nil if they can show none.
	Detectable *float64 `json:"detectable"`
	Keys       []string `json:"keys"`
	// Lines are those of the proposed AI instructions, if the part is some of them.
	Lines string `json:"lines,omitempty"`

	of []change
}

// Harms reports whether a part hurts, or everything together has more wrong answers than the model as it is.
func (r Result) Harms() bool {
	return slices.ContainsFunc(r.Parts, func(e Effect) bool { return e.Verdict == Hurts }) ||
		len(r.Parts) > 0 && r.Parts[0].Wrong > r.Now.Wrong
}

// Helpful returns the proposal so that only the smallest parts that help are written, without what hurts in them; false if none helps.
func (r Result) Helpful(p offline.Proposal) (chosen offline.Proposal, any bool, err error) {
	var helps, hurts []change
	for _, e := range slices.Backward(r.Parts[min(1, len(r.Parts)):]) {
		switch units := units(e.of); {
		case slices.ContainsFunc(units, func(c change) bool { return has(helps, c) }):
		case e.Verdict == Helps:
			helps = append(helps, lists.Where(units, func(c change) bool { return !has(hurts, c) })...)
		case e.Verdict == Hurts:
			hurts = append(hurts, units...)
		}
	}
	if len(helps) == 0 {
		return p, false, nil
	}
	chosen, err = with(p, helps)
	return chosen, true, err
}

// has reports whether a change, or the same line of it, is among some.
func has(some []change, c change) bool {
	return slices.ContainsFunc(some, func(s change) bool { return s.Key == c.Key && s.line == c.line })
}

// units returns changes with the AI instructions line by line.
func units(of []change) (all []change) {
	for _, c := range of {
		if c.kind == optimization.AIInstructions && c.line == 0 {
			all = append(all, unitsOf(c)...)
		} else {
			all = append(all, c)
		}
	}
	return all
}

// with returns the proposal so that only some changes, and lines of the AI instructions, are written.
func with(p offline.Proposal, of []change) (offline.Proposal, error) {
	own := map[string]string{}
	lines := lists.Where(of, func(c change) bool { return c.line > 0 })
	if len(lines) > 0 {
		slices.SortFunc(lines, func(a, b change) int { return a.line - b.line })
		if whole, _ := instructionsOf(lines); whole != *lines[0].Written {
			own[lines[0].Key] = whole
		}
	}
	return p.WithOwn(keysOf(of), own)
}

// keysOf returns the keys of changes.
func keysOf(of []change) (keys []string) {
	for _, c := range of {
		if !slices.Contains(keys, c.Key) {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// Measure asks the questions of a model's versions. An error is the context's, the model's, or of an answerer that cannot be
// asked at all; what was asked before it is kept in Asks.
func Measure(ctx context.Context, p offline.Proposal, o Options) (Result, error) {
	r := Result{Model: p.Name, Path: p.Shown, Questions: len(o.Questions), Repeats: max(o.Repeats, 1)}
	r.Parts = []Effect{}
	run := &run{Options: o, result: &r, left: o.Budget}
	all := changesOf(p)
	kinds := split(all, func(c change) string { return string(c.kind) })
	run.total = (2 + len(kinds)) * len(o.Questions) * r.Repeats
	before, err := run.outcomes(ctx, p.Before)
	if errors.Is(err, errSpent) {
		return r, fmt.Errorf("the budget of %d asks does not suffice for the model as it is, with %d questions; the answers are kept, so that a "+
			"further run goes on", o.Budget, len(o.Questions))
	}
	if err != nil {
		return r, err
	}
	r.Now = count(before)
	if len(all) == 0 {
		return r, nil
	}
	measured := func(parts []Effect) ([]Effect, error) {
		var done []Effect
		for i, e := range parts {
			version, err := with(p, e.of)
			if err != nil {
				return nil, err
			}
			with, err := run.outcomes(ctx, version.After)
			if errors.Is(err, errSpent) {
				for _, rest := range parts[i:] {
					r.LeftOut = append(r.LeftOut, rest.Name)
				}
				break
			}
			if err != nil {
				return nil, err
			}
			e.compare(run.Questions, before, with)
			done = append(done, e)
		}
		adjust(done)
		r.Parts = append(r.Parts, done...)
		return done, nil
	}
	everything := newEffect("everything proposed", all)
	if _, err := measured([]Effect{everything}); err != nil {
		return r, err
	}
	parts, err := measured(kinds)
	for _, size := range Sizes[1:] {
		for again := true; again && err == nil && slices.Index(Sizes, o.By) >= slices.Index(Sizes, size); {
			var smaller, same []Effect
			for _, e := range parts {
				if e.OnlyWith+e.OnlyWithout == 0 && e.Counts == r.Now {
					continue // what changes no answer has no part that matters
				}
				if pieces := run.pieces(size, e); len(pieces) > 1 {
					smaller = append(smaller, pieces...)
				} else {
					same = append(same, e)
				}
			}
			run.total += len(smaller) * len(o.Questions) * r.Repeats
			parts, err = measured(smaller)
			again = size == ByChange && len(parts) > 0 && len(r.LeftOut) == 0 // of groups come smaller ones
			parts = append(same, parts...)
		}
	}
	return r, err
}

// change is a proposed change that apply would write.
type change struct {
	optimization.Object
	kind optimization.Kind
	line int // of the AI instructions that it adds, from 1; 0 for the whole change
}

func changesOf(p offline.Proposal) (all []change) {
	for _, a := range p.Applies {
		for _, w := range a.Writes {
			for _, o := range w.Objects {
				all = append(all, change{o, a.Kind, 0})
			}
		}
	}
	return all
}

// ruleName names what one rule proposes: a property of one type of object.
func ruleName(c change) string {
	return fmt.Sprintf("%s of %ss", c.Property, c.ObjectType)
}

// split groups changes by a name, in the order of their first ones.
func split(all []change, name func(change) string) (parts []Effect) {
	at := map[string]int{}
	var groups [][]change
	for _, c := range all {
		i, known := at[name(c)]
		if !known {
			i = len(groups)
			at[name(c)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return lists.Map(groups, func(g []change) Effect { return newEffect(name(g[0]), g) })
}

// newEffect returns a part that was not measured yet.
func newEffect(name string, of []change) Effect {
	e := Effect{Name: name, Changes: len(of), Keys: keysOf(of), of: of}
	if of[0].line > 0 {
		_, e.Lines = instructionsOf(of)
	}
	return e
}

// compare sets what the part does.
func (e *Effect) compare(questions []benchmark.Question, before, with []verdict.Verdict) {
	e.Counts = count(with)
	both, neither := 0, 0
	for i := range before {
		switch a, b := before[i] == verdict.Correct, with[i] == verdict.Correct; {
		case a && b:
			both++
		case b:
			e.OnlyWith++
			e.Gained = append(e.Gained, questions[i].Text)
		case a:
			e.OnlyWithout++
			e.Lost = append(e.Lost, questions[i].Text)
		default:
			neither++
		}
	}
	n := len(before)
	e.Difference = float64(e.OnlyWith-e.OnlyWithout) / float64(n)
	e.Low, e.High = statistics.Newcombe(both, e.OnlyWithout, e.OnlyWith, neither)
	if d, ok := statistics.DetectableDifference(n, float64(e.OnlyWith+e.OnlyWithout)/float64(n)); ok {
		e.Detectable = &d
	}
}

// adjust decides the verdicts of parts that were asked together.
func adjust(parts []Effect) {
	family := lists.Map(parts, func(e Effect) float64 { return statistics.McNemarMidP(e.OnlyWithout, e.OnlyWith) })
	for i, p := range statistics.HolmOfAll(family) {
		e := &parts[i]
		e.P, e.Verdict = p, Unclear
		switch {
		case e.P >= statistics.Alpha:
		case e.OnlyWith > e.OnlyWithout:
			e.Verdict = Helps
		default:
			e.Verdict = Hurts
		}
	}
}

func count(all []verdict.Verdict) (c Counts) {
	for _, v := range all {
		switch v {
		case verdict.Correct:
			c.Right++
		case verdict.Incorrect:
			c.Wrong++
		case verdict.Errored:
			c.Failed++
		case verdict.Unclear:
			c.Undecided++
		default:
			c.Declined++
		}
	}
	return c
}

// run asks.
type run struct {
	Options
	result      *Result
	done, total int
	left        int
}

// errSpent ends the asks about a version when the budget is spent.
var errSpent = errors.New("the budget is spent")

// pieces returns the smaller parts of one: its rules, or its changes one by one, in groups if the budget does not allow more. AI instructions
// are parted into their sections, and these into their lines.
func (r *run) pieces(size By, e Effect) (parts []Effect) {
	if size == ByRule {
		return split(e.of, ruleName)
	}
	all := units(e.of)
	if all[0].line > 0 {
		if sections := split(all, sectionName); len(sections) > 1 {
			return sections
		}
	}
	n := len(all)
	if n == 1 {
		return nil
	}
	if r.Budget > 0 {
		n = min(n, r.left/(len(r.Questions)*r.result.Repeats))
	}
	if n < 2 {
		r.result.LeftOut = append(r.result.LeftOut, "the parts of "+e.Name)
		return nil
	}
	for group := range slices.Chunk(all, (len(all)+n-1)/n) {
		name := group[0].name()
		if len(group) > 1 {
			name = fmt.Sprintf("%s and %d more", name, len(group)-1)
		}
		parts = append(parts, newEffect(name, group))
	}
	return parts
}

// outcomes asks all questions about a version, and returns what happened to most asks of each.
func (r *run) outcomes(ctx context.Context, d definition.Definition) ([]verdict.Verdict, error) {
	m, err := semanticmodel.Read(d)
	if err != nil {
		return nil, err
	}
	about, ask, err := r.Open(m)
	if err != nil {
		return nil, err
	}
	r.result.Answerer = about.Transport + " " + about.Model
	if r.result.OfRules = about.Transport == verdict.Embedded; r.result.OfRules {
		r.result.Answerer = "the rules engine (" + about.Model + ")"
	}
	all := make([]verdict.Verdict, len(r.Questions))
	for i, q := range r.Questions {
		counts := map[verdict.Verdict]int{}
		for n := range r.result.Repeats {
			k := newAskKey(about, q.Text, n)
			reply, kept := r.Asks.get(k)
			if !kept {
				if r.Budget > 0 && r.left == 0 {
					return nil, errSpent
				}
				if reply, err = ask(ctx, q.Text); err != nil {
					return nil, err
				}
				r.left--
				r.result.Asked++
				if err := r.Asks.keep(k, q.Text, reply); err != nil {
					return nil, err
				}
			} else {
				r.result.Kept++
			}
			counts[r.Judge.Decide(q, reply.Answer, reply.Failure).Verdict]++
			if r.done++; r.Progress != nil {
				r.Progress(r.done, max(r.total, r.done))
			}
		}
		all[i] = most(counts)
	}
	return all, nil
}

// most returns the commonest verdict; of equally common ones the worst, as a right answer that comes half of the time is none.
func most(counts map[verdict.Verdict]int) (v verdict.Verdict) {
	best := 0
	for _, one := range []verdict.Verdict{verdict.Incorrect, verdict.Errored, verdict.Unclear, verdict.Refused, verdict.Correct} {
		if counts[one] > best {
			v, best = one, counts[one]
		}
	}
	return v
}
