package readiness

import (
	"cmp"
	"slices"
	"strings"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/internal/lists"
)

// draft is a finding while the failing rules of its object are merged.
type draft struct {
	Finding
	dimension, source int
	object            *model.Object
	advice, implied   []string
	evidence          []string
	// before counts the elements of advice, implied and evidence that earlier rules added.
	before [3]int
}

// findings merges the failing rules of each object and dimension, and sorts the
// findings. Impacts refer to the uncapped score.
func findings(dimensions []scored) []Finding {
	_, weights, _ := overall(dimensions, byUsage)
	var drafts []*draft
	for at, d := range dimensions {
		n := d.n(byUsage)
		byKey := make(map[finding.Key]*draft, d.mostFailing())
		for _, p := range d.parts {
			k := p.k(byUsage)
			for i := range p.judgements {
				j := &p.judgements[i]
				// The points that violation 1 of weight 1 costs; 0 where D is null.
				points := 0.0
				if n > 0 {
					points = 100 * d.weight / weights * p.n / n * j.Rule.Weight / k / j.weighted.weight
				}
				for _, f := range j.failing {
					key := f.key()
					draft := byKey[key]
					if draft == nil {
						draft = newDraft(at, d.id, f)
						byKey[key] = draft
						drafts = append(drafts, draft)
					}
					draft.merge(j.Rule, f, points)
				}
			}
		}
	}
	order(drafts)
	return lists.Map(drafts, (*draft).finished)
}

func newDraft(at int, dimension string, f failing) *draft {
	return &draft{dimension: at, source: f.source, object: f.Object, Finding: Finding{
		Dimension: dimension, Key: f.key(), ObjectType: f.ObjectType, Severity: finding.Low, FixKinds: []finding.FixKind{},
	}}
}

// merge adds a rule. Rules are merged in order of id.
func (d *draft) merge(r *rule.Rule, f failing, points float64) {
	// Two objects with the same name share a finding, so a rule may come twice.
	again := slices.Contains(d.RuleIDs, r.ID)
	if !again {
		d.RuleIDs = append(d.RuleIDs, r.ID)
		d.before = [3]int{len(d.advice), len(d.implied), len(d.evidence)}
	}
	d.Severity = higher(d.Severity, r.SeverityFor(f.Verdict))
	d.Violation = max(d.Violation, f.Violation)
	d.Impact += points * f.weight * f.Violation
	for _, fix := range r.Fixes {
		if !slices.Contains(d.FixKinds, fix) {
			d.FixKinds = append(d.FixKinds, fix)
		}
	}
	if f.Implied {
		d.implied = append(d.implied, f.Message)
	} else {
		d.advice = append(d.advice, f.Message)
	}
	if f.Evidence != "" {
		d.evidence = append(d.evidence, f.Evidence)
	}
	if again { // the order of the two in the model does not matter
		for i, texts := range [][]string{d.advice, d.implied, d.evidence} {
			slices.Sort(texts[d.before[i]:])
		}
	}
}

func higher(a, b finding.Severity) finding.Severity {
	rank := func(s finding.Severity) int {
		return slices.Index([]finding.Severity{finding.Low, finding.Medium, finding.High}, s)
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

func (d *draft) finished() Finding {
	if len(d.advice) == 0 {
		d.advice = d.implied[:1]
	}
	d.Message = model.Title(d.object) + ": " + strings.Join(distinct(d.advice), "; ") + "."
	d.Evidence = strings.Join(distinct(d.evidence), "; ")
	if len(d.FixKinds) > 0 {
		d.FixKind = d.FixKinds[0]
	}
	return d.Finding
}

func distinct(texts []string) []string {
	if len(texts) < 2 {
		return texts
	}
	var out []string
	for _, t := range texts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// sameImpact is the largest difference of two impacts that count as equal.
const sameImpact = 1e-9

// order sorts by impact, largest first. Neighbours at most sameImpact apart form
// one group, ordered by dimension, source and object.
func order(drafts []*draft) {
	slices.SortStableFunc(drafts, func(a, b *draft) int { return cmp.Compare(b.Impact, a.Impact) })
	for start := 0; start < len(drafts); {
		end := start + 1
		for end < len(drafts) && drafts[end-1].Impact-drafts[end].Impact <= sameImpact {
			end++
		}
		slices.SortStableFunc(drafts[start:end], func(a, b *draft) int {
			return cmp.Or(
				cmp.Compare(a.dimension, b.dimension),
				cmp.Compare(a.source, b.source),
				a.object.Compare(b.object),
			)
		})
		start = end
	}
}
