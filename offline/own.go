package offline

import (
	"fmt"
	"slices"

	"readiness/domain/readiness"
)

// OwnRules returns the ids of a regime's rules that a team wrote; a nil regime has none.
func OwnRules(r *readiness.Regime) (ids []string) {
	if r == nil {
		return nil
	}
	for _, one := range r.Rules() {
		if one.Own != nil {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// fewJudged is how many objects a rule may violate everywhere without looking wrong.
const fewJudged = 4

// OwnWarnings returns warnings about own rules: which were left out and why, and which are violated by whatever they judge.
func OwnWarnings(items []Assessed) (all []Warning) {
	violated := map[string]int{} // by everything so far; -1 if anything passed
	var order []readiness.OwnRule
	for _, i := range items {
		for _, o := range i.Result.Own {
			if o.LeftOut != "" {
				all = append(all, Warning{o.File, o.Line, 0, fmt.Sprintf("rule %s is left out of %s: %s", o.ID, i.Path, o.LeftOut)})
			}
			if !slices.ContainsFunc(order, func(r readiness.OwnRule) bool { return r.ID == o.ID }) {
				order = append(order, o.OwnRule)
			}
			if violated[o.ID] < 0 || o.Failing < o.Eligible {
				violated[o.ID] = -1
				continue
			}
			violated[o.ID] += o.Failing
		}
	}
	for _, r := range order {
		if n := violated[r.ID]; n > fewJudged {
			all = append(all, Warning{r.File, r.Line, 0, fmt.Sprintf("rule %s is violated by all %d objects that it judges; does its expression "+
				"say what is wrong, not what is right?", r.ID, n)})
		}
	}
	return all
}
