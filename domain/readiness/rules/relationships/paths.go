package relationships

import (
	"slices"
	"strings"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// flow is one direction in which an active relationship filters.
type flow struct {
	by   *model.Relationship
	to   *model.Table
	both bool // by a relationship with bothDirections
}

// flowsOf returns the directions of all active relationships by the table that filters:
// from the one to the many side, both ways for one-to-one and bothDirections, and from
// the to-table to the from-table for many-to-many.
func flowsOf(s *model.Snapshot) map[*model.Table][]flow {
	flows := map[*model.Table][]flow{}
	for _, r := range s.Relationships {
		if !r.Src.IsActive {
			continue
		}
		both := r.Src.CrossFilteringBehavior == "bothDirections"
		if both || !r.ToMany() || r.FromMany() {
			flows[r.To.Table] = append(flows[r.To.Table], flow{r, r.From.Table, both})
		}
		if both || !r.FromMany() {
			flows[r.From.Table] = append(flows[r.From.Table], flow{r, r.To.Table, both})
		}
	}
	return flows
}

// path returns the tables of a shortest path of filters without a relationship, or nil.
// A path may use relationships with bothDirections only if both is true.
func path(flows map[*model.Table][]flow, from, to *model.Table, without *model.Relationship, both bool) []*model.Table {
	before := map[*model.Table]*model.Table{from: nil}
	for queue := []*model.Table{from}; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		if t == to {
			var found []*model.Table
			for ; t != nil; t = before[t] {
				found = append(found, t)
			}
			slices.Reverse(found)
			return found
		}
		for _, f := range flows[t] {
			if _, seen := before[f.to]; !seen && f.by != without && (both || !f.both) {
				before[f.to] = t
				queue = append(queue, f.to)
			}
		}
	}
	return nil
}

// secondPaths judges the active relationships: filters must not get from its one table to
// the other by other relationships too. A table's relationship with itself is no path.
func secondPaths(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	flows := flowsOf(x.Snapshot)
	for _, r := range x.Relationships {
		if r.Src.IsActive {
			say(r, secondPath(flows, r))
		}
	}
}

func secondPath(flows map[*model.Table][]flow, r *model.Relationship) rule.Verdict {
	from, to := r.To.Table, r.From.Table
	if r.ToMany() && !r.FromMany() {
		from, to = to, from
	}
	if from == to {
		return rule.Verdict{}
	}
	violation, found := 1.0, path(flows, from, to, r, false)
	if found == nil {
		violation, found = 0.5, path(flows, from, to, r, true)
	}
	if found == nil {
		return rule.Verdict{}
	}
	names := lists.Map(found, func(t *model.Table) string { return wording.Quoted(t.Src.Name) })
	way := strings.Join(names, " -> ")
	if violation < 1 {
		return rule.Fails(violation,
			"let the relationships of the path "+way+" filter in one direction, as filters reach "+wording.Quoted(to.Src.Name)+" by it too",
			"second path %s, by a relationship with bothDirections", way)
	}
	return rule.Fails(violation,
		"deactivate it or a relationship of the path "+way+", as filters reach "+wording.Quoted(to.Src.Name)+" by both",
		"second path %s", way)
}
