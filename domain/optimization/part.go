package optimization

import (
	"cmp"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/readiness"
)

// PartScore is the score of a model without and with some changes of a preview, not weighted by usage.
type PartScore struct {
	Changes    int               `json:"changes"`
	ScoreNow   *int              `json:"scoreNow"`
	ScoreAfter *int              `json:"scoreAfter"`
	Dimensions []ScoredDimension `json:"dimensions"`
}

// ScorePart returns the score of a definition without and with the writes of an apply, by the rules of a regime; nil means the current
// one. It refuses what an apply could not write.
func ScorePart(d definition.Definition, writes []Write, by *readiness.Regime) (PartScore, error) {
	var p PartScore
	m, err := semanticmodel.Read(d)
	if err != nil {
		return p, domain.Refuse(domain.ItemNotReadable, "the definition cannot be read: %s", err)
	}
	var changes []rewrite.Change
	for _, w := range writes {
		for _, o := range w.Objects {
			changes = append(changes, rewrite.Change{Target: o.Target(), Value: *o.Written})
		}
	}
	after, _, err := rewrite.Write(d, changes)
	if err != nil {
		return p, domain.Refuse(domain.InvalidPreview, "the definition as it is now cannot represent the changes together: %s", err)
	}
	changed, err := semanticmodel.Read(after)
	if err != nil {
		return p, domain.Refuse(domain.InvalidPreview, "the definition with the changes cannot be read: %s", err)
	}
	by = cmp.Or(by, readiness.Current())
	o := readiness.Options{WithoutFindings: true}
	now, then := by.Assess(m, o), by.Assess(changed, o)
	return PartScore{len(changes), now.Score, then.Score, Scored(now, then)}, nil
}
