package verdict

import "slices"

// rows are rows of the reference and the same number of the answer that may be equal to
// them.
type rows struct{ reference, answer []int }

// match pairs rows. Equality within a tolerance is not transitive, so rows of a group
// need not be equal. When at most one column holds unequal values, sorting by that
// column pairs the rows if any pairing does.
func (s *columns) match(r rows, round int) Likeness {
	if len(r.reference) == 1 {
		if s.equalRows(r.reference[0], r.answer[0]) {
			return Equal
		}
		return Different
	}
	var loose []int // columns with unequal values
	names := make([][]int32, len(r.reference)+len(r.answer))
	undivided := true // no column splits the rows
	for i := range s.of {
		chains, equal := s.local(i, r)
		if !equal {
			loose = append(loose, i)
		}
		undivided = undivided && slices.Max(chains) == 0
		for at, chain := range chains {
			names[at] = append(names[at], chain)
		}
	}
	if !undivided && round < maxRounds {
		return s.matchParts(r, names, round)
	}
	if len(loose) == 0 {
		return Equal
	}
	for _, i := range loose {
		if s.sortedBy(i, r) {
			return Equal
		}
	}
	switch {
	case len(loose) == 1:
		return Different
	case len(r.reference) > maxMatched:
		return Undecided
	case s.augment(r):
		return Equal
	}
	return Different
}

// local numbers the chains of a column within some rows, the reference's first, and
// reports whether all the values are equal.
func (s *columns) local(i int, r rows) (chains []int32, equal bool) {
	values := make([]Value, 0, len(r.reference)+len(r.answer))
	for _, row := range r.reference {
		values = append(values, s.reference.values[i][row])
	}
	for _, row := range r.answer {
		values = append(values, s.answer.values[s.of[i]][row])
	}
	g := grid{values: [][]Value{values}}
	link(&g)
	return g.chains[0], slices.MinFunc(values, Value.compare).equal(slices.MaxFunc(values, Value.compare))
}

// matchParts matches rows within the groups that have the same chains in every column.
func (s *columns) matchParts(r rows, names [][]int32, round int) Likeness {
	order := make([]int, len(names))
	for at := range order {
		order[at] = at
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(names[a], names[b]) })
	outcome := Equal
	for len(order) > 0 {
		end := slices.IndexFunc(order, func(at int) bool { return !slices.Equal(names[at], names[order[0]]) })
		if end < 0 {
			end = len(order)
		}
		var part rows
		for _, at := range order[:end] {
			if at < len(r.reference) {
				part.reference = append(part.reference, r.reference[at])
			} else {
				part.answer = append(part.answer, r.answer[at-len(r.reference)])
			}
		}
		if len(part.reference) != len(part.answer) {
			return Different
		}
		likeness := s.match(part, round+1)
		if likeness == Different {
			return Different
		}
		if likeness == Undecided {
			outcome = Undecided
		}
		order = order[end:]
	}
	return outcome
}

// sortedBy reports whether the rows are equal pair by pair after sorting by a column.
func (s *columns) sortedBy(i int, r rows) bool {
	ordered := func(rows []int, values []Value) []int {
		rows = slices.Clone(rows)
		slices.SortStableFunc(rows, func(a, b int) int { return values[a].compare(values[b]) })
		return rows
	}
	answer := ordered(r.answer, s.answer.values[s.of[i]])
	for at, row := range ordered(r.reference, s.reference.values[i]) {
		if !s.equalRows(row, answer[at]) {
			return false
		}
	}
	return true
}

// augment searches for a pairing along augmenting paths.
func (s *columns) augment(r rows) bool {
	paired := make([]int, len(r.answer)) // the position in the reference, plus 1; 0 for none
	var place func(at int, tried []bool) bool
	place = func(at int, tried []bool) bool {
		for to := range r.answer {
			if tried[to] || !s.equalRows(r.reference[at], r.answer[to]) {
				continue
			}
			tried[to] = true
			if paired[to] == 0 || place(paired[to]-1, tried) {
				paired[to] = at + 1
				return true
			}
		}
		return false
	}
	for at := range r.reference {
		if !place(at, make([]bool, len(r.answer))) {
			return false
		}
	}
	return true
}

// equalRows reports whether a row of the reference equals a row of the answer.
func (s *columns) equalRows(reference, answer int) bool {
	for i, j := range s.of {
		if !s.reference.values[i][reference].equal(s.answer.values[j][answer]) {
			return false
		}
	}
	return true
}
