package readiness

import (
	"slices"

	"readiness/domain/readiness/model"
	"readiness/internal/lists"
)

// limit caps the score while it holds.
type limit struct {
	id    string
	most  float64
	rules []string // whose findings cause it
	holds func([]view, []scored) bool
}

// inEveryView holds when a condition holds in every view.
func inEveryView(holds func(*model.Scope) bool) func([]view, []scored) bool {
	return func(views []view, _ []scored) bool {
		return len(views) > 0 && !slices.ContainsFunc(views, func(v view) bool { return !holds(v.Scope) })
	}
}

var (
	withoutMeasure      = limit{"CAP-NOMEASURE", 60, []string{"MEA-01"}, inEveryView(func(x *model.Scope) bool { return len(x.M) == 0 })}
	withoutRelationship = limit{"CAP-NOREL", 60, []string{"REL-01"}, inEveryView(func(x *model.Scope) bool { return x.Disconnected() })}
)

// limits returns the caps that hold.
func (r *Regime) limits(views []view, dimensions []scored) []limit {
	return lists.Where(r.caps, func(c limit) bool { return c.holds(views, dimensions) })
}

// A model that does not load or refresh cannot be ready. A defect in one source of a data agent
// is enough. Ignored findings do not count.
var (
	brokenModel = limit{"CAP-BROKEN", 49, []string{"REL-08", "MEA-07"}, func(_ []view, d []scored) bool { return isBroken(d) }}
	brokenDAX   = limit{"CAP-BROKEN-DAX", 84, []string{"MEA-07"}, func(_ []view, d []scored) bool { return !isBroken(d) && anyFailing(d, "MEA-07", nil) }}
)

// isBroken reports whether a relationship or a calculated column cannot work.
func isBroken(dimensions []scored) bool {
	return anyFailing(dimensions, "REL-08", nil) || anyFailing(dimensions, "MEA-07",
		func(f failing) bool { return f.Kind == model.ColumnKind })
}

// anyFailing reports whether a rule fails for an object; of nil accepts any object.
func anyFailing(dimensions []scored, ruleID string, of func(failing) bool) bool {
	for _, d := range dimensions {
		for _, p := range d.parts {
			for i := range p.judgements {
				if j := &p.judgements[i]; j.Rule.ID == ruleID &&
					(of == nil && len(j.failing) > 0 || of != nil && slices.ContainsFunc(j.failing, of)) {
					return true
				}
			}
		}
	}
	return false
}
