package readiness

import "slices"

// limit caps the score while it holds (docs/regime.md C.2).
type limit struct {
	id    string
	most  float64
	holds func([]view, []scored) bool
}

// inEveryView holds when a condition holds in every view (docs/regime.md C.9 (23)).
func inEveryView(holds func(*scope) bool) func([]view, []scored) bool {
	return func(views []view, _ []scored) bool {
		return len(views) > 0 && !slices.ContainsFunc(views, func(v view) bool { return !holds(v.scope) })
	}
}

var (
	withoutMeasure      = limit{"CAP-NOMEASURE", 60, inEveryView(func(x *scope) bool { return len(x.m) == 0 })}
	withoutRelationship = limit{"CAP-NOREL", 60, inEveryView(func(x *scope) bool { return x.disconnected() })}
)

// limits returns the caps that hold.
func (r *Regime) limits(views []view, dimensions []scored) []limit {
	var holding []limit
	for _, c := range r.caps {
		if c.holds(views, dimensions) {
			holding = append(holding, c)
		}
	}
	return holding
}
