package readiness

import (
	"math"
	"slices"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
)

// view is a semantic model under assessment: on its own, or as a source of a data
// agent.
type view struct {
	*model.Scope
	n      float64 // its weight among the sources
	agent  bool
	source int // index among the agent's sources
	id     string
	hidden bool // whether an agent sees fields that the model hides
}

// withholds reports whether an object is judged though an AI does not see it.
func (v view) withholds(o *model.Object) bool { return !v.agent && !v.Exposed[o.Index] }

// tally holds the two sums of a rule: of weights, and of weights times violations.
type tally struct{ weight, lost float64 }

func (t tally) score() float64 { return 1 - t.lost/t.weight }

// judgement is a rule applied to a view, or an agent's rule to the agent.
type judgement struct {
	*rule.Rule
	eligible, ignored int
	weighted, plain   tally // with the weights of usage, and with all weights 1
	apart             bool  // whether the rule judges for plain apart from weighted
	failing           []failing
}

type failing struct {
	rule.Verdict
	*model.Object
	weight float64
	source int
	id     string // of the source
}

// add counts an object that the rule judged.
func (j *judgement) add(f failing, o Options) {
	if f.Object == nil {
		f.Object = rule.ModelItself(j.Rule.ID)
	}
	if j.ignores(&f, o) {
		j.ignored++
		return
	}
	j.eligible++
	j.weighted.weight += f.weight
	j.weighted.lost += f.weight * f.Violation
	if !j.Usage && !j.apart {
		j.addPlain(f)
	}
	if f.Violation > 0 {
		j.failing = append(j.failing, f)
	}
}

// addPlain counts an object for the unweighted scores.
func (j *judgement) addPlain(f failing) {
	j.plain.weight++
	j.plain.lost += f.Violation
}

func (j *judgement) ignores(f *failing, o Options) bool {
	if o.Ignore == nil {
		return false
	}
	key := f.key()
	if o.Ignore(j.Rule.ID, key) {
		return true
	}
	key.ObjectName = f.Alias
	return f.Alias != "" && o.Ignore(j.Rule.ID, key)
}

func (f *failing) key() finding.Key {
	k := f.Object.Key()
	k.SourceModelID = f.id
	return k
}

// part is the contribution of one view to a dimension.
type part struct {
	n          float64
	judgements []judgement
}

// judges reports whether a rule of the dimension applies to the view at all.
func (d dimension) judges(r *rule.Rule, v view) bool {
	return (d.applies == nil || d.applies(v.Scope)) && !(v.agent && r.Layout) && r.Reads&v.Src.Unknown() == 0
}

func (v view) judge(d dimension, o Options) part {
	p := part{n: v.n, judgements: make([]judgement, 0, len(d.rules))}
	var buffer []failing // reused to collect the failing objects of each rule
	for i := range d.rules {
		r := &d.rules[i]
		j := judgement{Rule: r, failing: buffer[:0], apart: r.Unweighted != nil && v.Views != nil}
		if d.judges(r, v) {
			r.Check(v.Scope, func(judged model.Judged, found rule.Verdict) { j.add(v.judged(judged, found), o) })
			if j.apart {
				r.Unweighted(v.Scope, func(judged model.Judged, found rule.Verdict) {
					if f := v.judged(judged, found); !j.ignores(&f, o) {
						j.addPlain(f)
					}
				})
			}
		}
		buffer, j.failing = j.failing, slices.Clone(j.failing)
		p.judgements = append(p.judgements, j)
	}
	return p
}

// judged returns an object of the view, nil for the model, with its verdict.
func (v view) judged(o model.Judged, found rule.Verdict) failing {
	f := failing{Verdict: found, weight: 1, source: v.source, id: v.id}
	if o != nil {
		f.Object, f.weight = o.Base(), v.Weight(o)
	}
	return f
}

// weighing selects one of the two tallies of a judgement.
type weighing func(*judgement) tally

func byUsage(j *judgement) tally { return j.weighted }

func evenly(j *judgement) tally { return j.plain }

// k returns the total weight of the rules that apply.
func (p part) k(by weighing) float64 {
	sum := 0.0
	for i := range p.judgements {
		if j := &p.judgements[i]; by(j).weight > 0 {
			sum += j.Rule.Weight
		}
	}
	return sum
}

// score returns D of a view, 0 to 100, or false when no rule applies.
func (p part) score(by weighing) (float64, bool) {
	k, sum := p.k(by), 0.0
	for i := range p.judgements {
		if j := &p.judgements[i]; by(j).weight > 0 {
			sum += j.Rule.Weight * by(j).score()
		}
	}
	return 100 * sum / k, k > 0
}

// scored is a dimension with the contributions of all views.
type scored struct {
	weighted
	parts []part
}

// n returns the total weight of the views in which a rule applies.
func (d scored) n(by weighing) float64 {
	sum := 0.0
	for _, p := range d.parts {
		if _, ok := p.score(by); ok {
			sum += p.n
		}
	}
	return sum
}

// mostFailing returns the largest number of objects that fail one rule of a part.
func (d scored) mostFailing() int {
	most := 0
	for _, p := range d.parts {
		for i := range p.judgements {
			most = max(most, len(p.judgements[i].failing))
		}
	}
	return most
}

// score returns D over all views, or false when it is null.
func (d scored) score(by weighing) (float64, bool) {
	n, sum := d.n(by), 0.0
	for _, p := range d.parts {
		if score, ok := p.score(by); ok {
			sum += p.n * score
		}
	}
	return sum / n, n > 0
}

// results returns the dimension's rules over all views. A rule's score R is the mean
// over the views in which the rule applies.
func (d scored) results() []Rule {
	out := make([]Rule, 0, len(d.rules))
	if len(d.parts) == 0 {
		for _, r := range d.rules {
			out = append(out, Rule{ID: r.ID, Weight: r.Weight})
		}
		return out
	}
	for i, first := range d.parts[0].judgements {
		r := Rule{ID: first.Rule.ID, Weight: first.Rule.Weight}
		n, sum := 0.0, 0.0
		for _, p := range d.parts {
			j := &p.judgements[i]
			r.Eligible += j.eligible
			r.Failing += len(j.failing)
			r.Ignored += j.ignored
			if j.weighted.weight > 0 {
				n += p.n
				sum += p.n * j.weighted.score()
			}
		}
		if n > 0 {
			r.Score = new(round4(sum / n))
		}
		out = append(out, r)
	}
	return out
}

// overall returns S and the total weight of the dimensions that have a score, or false
// when none has.
func overall(dimensions []scored, by weighing) (s, weights float64, ok bool) {
	for _, d := range dimensions {
		if score, ok := d.score(by); ok {
			s += d.weight * score
			weights += d.weight
		}
	}
	return s / weights, weights, weights > 0
}

// scores returns the stored forms of S under the caps that hold.
func scores(s float64, caps []limit) Scores {
	capped := s
	for _, c := range caps {
		capped = min(capped, c.most)
	}
	return Scores{new(integer(capped)), new(round4(capped)), new(round4(s))}
}

// integer rounds a score, half up. A value up to 1e-9 below a half counts as a half.
func integer(x float64) int { return int(math.Floor(x + 0.5 + 1e-9)) }

// round4 rounds a raw value to 4 decimals, half up.
func round4(x float64) float64 { return math.Floor(x*10000+0.5) / 10000 }
