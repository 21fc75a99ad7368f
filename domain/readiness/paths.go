package readiness

import (
	"slices"
	"strings"
)

// flow is one direction in which an active relationship filters.
type flow struct {
	by   *relationship
	to   *table
	both bool // by a relationship with bothDirections
}

// flows returns the directions of all active relationships by the table that filters:
// from the one to the many side, both ways for one-to-one and bothDirections, and from
// the to-table to the from-table for many-to-many.
func (s *snapshot) flows() map[*table][]flow {
	flows := map[*table][]flow{}
	for _, r := range s.relationships {
		if !r.src.IsActive {
			continue
		}
		both := r.src.CrossFilteringBehavior == "bothDirections"
		if both || !r.toMany() || r.fromMany() {
			flows[r.to.table] = append(flows[r.to.table], flow{r, r.from.table, both})
		}
		if both || !r.fromMany() {
			flows[r.from.table] = append(flows[r.from.table], flow{r, r.to.table, both})
		}
	}
	return flows
}

// path returns the tables of a shortest path of filters without a relationship, or nil.
// A path may use relationships with bothDirections only if both is true.
func path(flows map[*table][]flow, from, to *table, without *relationship, both bool) []*table {
	before := map[*table]*table{from: nil}
	for queue := []*table{from}; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		if t == to {
			var found []*table
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
func secondPaths(x *scope, say func(judged, verdict)) {
	flows := x.flows()
	for _, r := range x.relationships {
		if r.src.IsActive {
			say(r, secondPath(flows, r))
		}
	}
}

func secondPath(flows map[*table][]flow, r *relationship) verdict {
	from, to := r.to.table, r.from.table
	if r.toMany() && !r.fromMany() {
		from, to = to, from
	}
	if from == to {
		return verdict{}
	}
	violation, found := 1.0, path(flows, from, to, r, false)
	if found == nil {
		violation, found = 0.5, path(flows, from, to, r, true)
	}
	if found == nil {
		return verdict{}
	}
	names := make([]string, len(found))
	for i, t := range found {
		names[i] = quoted(t.src.Name)
	}
	way := strings.Join(names, " -> ")
	if violation < 1 {
		return fails(violation,
			"let the relationships of the path "+way+" filter in one direction, as filters reach "+quoted(to.src.Name)+" by it too",
			"second path %s, by a relationship with bothDirections", way)
	}
	return fails(violation, "deactivate it or a relationship of the path "+way+", as filters reach "+quoted(to.src.Name)+" by both",
		"second path %s", way)
}
