package model

import (
	"math/bits"
	"slices"

	"readiness/domain/readiness/wording"
)

// Reached is what a measure refers to, directly or through measures, without the
// measure itself.
type Reached struct {
	All, Missing int
	First        []*Object // the first ShownList missing objects at most
}

// Reach follows the references of all measures (rule VIS-04, docs/regime.md).
// References among measures may form cycles and long chains. Measures that reach each
// other are handled together, and reached objects are counted 64 at a time, so the time
// is (measures + references) · objects / 64.
func Reach(x *Scope) map[*Measure]Reached {
	g := newGraph(x.Snapshot)
	groups := Components(g.next)
	for n, members := range groups {
		for _, m := range members {
			g.component[m] = n
		}
	}
	reached := make([]Reached, len(g.measures))
	bitsOf := make([]uint64, len(groups))
	for block := 0; block < len(g.targets); block += 64 {
		targets := g.targets[block:min(block+64, len(g.targets))]
		var hidden uint64
		for i, o := range targets {
			if !x.In(o) && x.valued[o] { // a relationship works without being visible
				hidden |= 1 << i
			}
		}
		// Each group follows the groups that it reaches.
		for n, members := range groups {
			var seen uint64
			for _, m := range members {
				for _, o := range g.measures[m].Refs {
					if i := g.position[o.Index] - block; 0 <= i && i < 64 {
						seen |= 1 << i
					}
				}
				for _, next := range g.next[m] {
					seen |= bitsOf[g.component[next]]
				}
			}
			bitsOf[n] = seen
		}
		for m, measure := range g.measures {
			seen := bitsOf[g.component[m]]
			if i := g.position[measure.Index] - block; 0 <= i && i < 64 {
				seen &^= 1 << i
			}
			r := &reached[m]
			r.All += bits.OnesCount64(seen)
			r.Missing += bits.OnesCount64(seen & hidden)
			for rest := seen & hidden; rest != 0 && len(r.First) < wording.ShownList; rest &= rest - 1 {
				r.First = append(r.First, targets[bits.TrailingZeros64(rest)])
			}
		}
		clear(bitsOf)
	}
	out := make(map[*Measure]Reached, len(x.M))
	for m, measure := range g.measures {
		if x.In(&measure.Object) {
			out[measure] = reached[m]
		}
	}
	return out
}

// Chain returns the names on a shortest way from a measure to what it refers to, directly or through measures.
func Chain(x *Scope, from *Measure, to *Object) []string {
	before := map[*Object]*Object{&from.Object: nil}
	for queue := []*Measure{from}; len(queue) > 0; queue = queue[1:] {
		for _, o := range queue[0].Refs {
			if _, seen := before[o]; seen {
				continue
			}
			before[o] = &queue[0].Object
			if m := x.Names.ByIndex[o.Index]; m != nil {
				queue = append(queue, m)
			}
		}
	}
	if _, reached := before[to]; !reached {
		return nil
	}
	var names []string
	for o := to; o != nil; o = before[o] {
		names = append(names, wording.LowerFirst(Title(o)))
	}
	slices.Reverse(names)
	return names
}

// graph is the references among measures, which are identified by number.
type graph struct {
	measures  []*Measure
	next      [][]int   // the measures that each refers to
	component []int     // the group of each measure
	targets   []*Object // what any measure refers to, in object order
	position  []int     // in targets, by Object.Index; -1 for other objects
}

func newGraph(s *Snapshot) *graph {
	g := &graph{measures: s.Measures, next: make([][]int, len(s.Measures)), component: make([]int, len(s.Measures)),
		position: make([]int, len(s.Objects))}
	number := make(map[*Object]int, len(s.Measures))
	for i, m := range s.Measures {
		number[&m.Object] = i
	}
	target := make([]bool, len(s.Objects))
	for i, m := range s.Measures {
		for _, o := range m.Refs {
			target[o.Index] = true
			if o.Kind == MeasureKind {
				g.next[i] = append(g.next[i], number[o])
			}
		}
	}
	for i, o := range s.Objects {
		g.position[i] = -1
		if target[i] {
			g.position[i] = len(g.targets)
			g.targets = append(g.targets, o)
		}
	}
	return g
}

// Components returns the strongly connected components of a graph, where next holds the
// successors of each node. Each component follows those that it leads to (Tarjan's
// algorithm, without recursion).
func Components(next [][]int) [][]int {
	const unseen = 0
	var (
		groups [][]int
		order  = make([]int, len(next)) // when first visited, from 1
		low    = make([]int, len(next)) // the earliest open node it leads to
		open   = make([]bool, len(next))
		stack  []int // the open nodes
		seen   int
	)
	type step struct{ node, next int }
	for root := range next {
		if order[root] != unseen {
			continue
		}
		path := []step{{node: root}}
		for len(path) > 0 {
			s := &path[len(path)-1]
			n := s.node
			if s.next == 0 && order[n] == unseen {
				seen++
				order[n], low[n], open[n] = seen, seen, true
				stack = append(stack, n)
			}
			if s.next < len(next[n]) {
				to := next[n][s.next]
				s.next++
				switch {
				case order[to] == unseen:
					path = append(path, step{node: to})
				case open[to]:
					low[n] = min(low[n], order[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1].node
				low[parent] = min(low[parent], low[n])
			}
			if low[n] == order[n] {
				at := len(stack)
				for {
					at--
					open[stack[at]] = false
					if stack[at] == n {
						break
					}
				}
				groups = append(groups, append([]int(nil), stack[at:]...))
				stack = stack[:at]
			}
		}
	}
	return groups
}
