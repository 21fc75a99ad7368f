package runreport

import (
	"fmt"
	"slices"

	"readiness/domain/verdict"
	"readiness/internal/lists"
	"readiness/offline/show"
)

// Gate defines when a run fails. The zero Gate passes everything.
type Gate struct {
	// FailUnder is the lowest passing score, 0 to 100; nil passes any.
	FailUnder *int
	// FailOnRegression fails a run in which a question regressed.
	FailOnRegression bool
}

// Set reports whether the gate can fail anything.
func (g Gate) Set() bool { return g.FailUnder != nil || g.FailOnRegression }

// Check sets the report's Misses.
func (r *Report) Check(g Gate) {
	r.Misses, r.Gated = nil, g.Set()
	for _, c := range r.judged() {
		if miss := r.scoreMiss(g, c); miss != "" {
			r.Misses = append(r.Misses, miss)
		}
	}
	if n := len(r.Regressed()); g.FailOnRegression && n > 0 {
		r.Misses = append(r.Misses, show.Count(n, "question")+" regressed")
	}
	if g.FailOnRegression && r.before < 0 {
		r.Notes = append(r.Notes, "No earlier run asked these questions of the same answerer, so no regression could be seen.")
	}
}

// judged returns the columns whose scores are gated.
func (r *Report) judged() []Column {
	if len(r.scored) == 0 {
		return []Column{r.Now()}
	}
	return lists.Map(r.scored, func(at int) Column { return r.Columns[at] })
}

// scoreMiss returns why the score of a column fails, or "".
func (r *Report) scoreMiss(g Gate, c Column) string {
	of := ""
	if len(r.scored) > 1 {
		of = c.Name + ": "
	}
	switch score := c.Summary.Score; {
	case g.FailUnder == nil:
		return ""
	case score == nil:
		return of + "there is no score, because no question has an answer"
	case 3*(len(r.Questions)-c.Summary.Questions) > len(r.Questions):
		return of + fmt.Sprintf("%d of %d questions have no answer, more than a third, so the score says nothing",
			len(r.Questions)-c.Summary.Questions, len(r.Questions))
	case *score < *g.FailUnder:
		return of + fmt.Sprintf("the score is %d, below %d", *score, *g.FailUnder)
	}
	return ""
}

// Regressed returns the questions that the earlier run answered correctly in the majority
// of its asks, and this one did not.
func (r *Report) Regressed() []Question { return r.changed(true, false) }

// Improved returns the questions that this run answered correctly in the majority of its
// asks, and the earlier one did not.
func (r *Report) Improved() []Question { return r.changed(false, true) }

func (r *Report) changed(before, now bool) (all []Question) {
	if r.before < 0 {
		return nil
	}
	for _, q := range r.Questions {
		was, asked := r.Columns[r.before].Tally(q.ID)
		is, _ := r.Now().Tally(q.ID)
		if asked && len(was.Asks) > 0 && mostlyCorrect(was) == before && mostlyCorrect(is) == now && !decided(was, is) {
			all = append(all, q)
		}
	}
	return all
}

// decided reports whether the answers are among those of the earlier run on which a person gave another verdict: the person would give
// it again.
func decided(was, is verdict.Tally) bool {
	if !slices.ContainsFunc(was.Asks, verdict.Ask.Differs) {
		return false
	}
	return !slices.ContainsFunc(is.Asks, func(a verdict.Ask) bool {
		return !slices.ContainsFunc(was.Asks, func(b verdict.Ask) bool {
			return a.Error == nil && b.Error == nil && a.Text == b.Text && a.Query == b.Query
		})
	})
}

// mostlyCorrect reports whether more than half of all asks were answered correctly; an
// ask without an answer is none of them.
func mostlyCorrect(t verdict.Tally) bool { return 2*t.Passes > len(t.Asks) }

// NotRight returns the questions that were not answered correctly in the majority of
// their asks.
func (r *Report) NotRight() (all []Question) {
	for _, q := range r.Questions {
		if slices.ContainsFunc(r.judged(), func(c Column) bool { t, _ := c.Tally(q.ID); return !mostlyCorrect(t) }) {
			all = append(all, q)
		}
	}
	return all
}

// Outcome says in one line whether the gate passed.
func (r *Report) Outcome() string {
	switch {
	case !r.Gated:
		return "No gate was set"
	case len(r.Misses) == 0:
		return "The gate passed"
	}
	return "The gate failed"
}
