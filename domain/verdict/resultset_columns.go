package verdict

import "slices"

// columns searches an assignment of the answer's columns to the reference's.
type columns struct {
	reference, answer grid
	// inOrder is true when the order of the columns must be kept.
	inOrder bool
	// start is the group of each row before any column was compared: one for all rows,
	// or one per row when the order of rows matters.
	start []int32
	// of[i] is the column of the answer that is assigned to column i of the reference.
	of    []int
	taken []bool
	steps int // remaining work
	// unsure is true when a search was abandoned that might have found an assignment.
	unsure bool
}

// grid holds the values of a result set by column.
type grid struct {
	values [][]Value
	// chains number the values so that equal values of either grid have the same
	// number. In the sorted list of all values, each number is a run whose neighbors
	// are equal.
	chains [][]int32
	sorted [][]int32 // the chains of each column
}

func newColumns(reference, answer ResultSet, ordered bool) *columns {
	s := &columns{reference: newGrid(reference), answer: newGrid(answer), start: make([]int32, len(reference.Rows)), steps: maxSteps}
	s.inOrder = len(s.answer.values) > maxPermuted
	s.of, s.taken = make([]int, len(s.reference.values)), make([]bool, len(s.answer.values))
	for row := range s.start {
		if ordered {
			s.start[row] = int32(row)
		}
	}
	link(&s.reference, &s.answer)
	return s
}

func newGrid(r ResultSet) grid {
	g := grid{values: make([][]Value, r.width())}
	for c := range g.values {
		g.values[c] = make([]Value, len(r.Rows))
		for i, row := range r.Rows {
			if c < len(row) {
				g.values[c][i] = row[c]
			}
		}
		unmixed(g.values[c])
	}
	return g
}

// link computes the chains of all values of the grids.
func link(grids ...*grid) {
	type cell struct {
		value *Value
		chain *int32
	}
	var cells []cell
	for _, g := range grids {
		for _, values := range g.values {
			chains := make([]int32, len(values))
			g.chains = append(g.chains, chains)
			for i := range values {
				cells = append(cells, cell{&values[i], &chains[i]})
			}
		}
	}
	slices.SortFunc(cells, func(a, b cell) int { return a.value.compare(*b.value) })
	same := Value.equal
	if slices.ContainsFunc(cells, func(c cell) bool { return c.value.kind == number && !c.value.exact.is }) {
		same = Value.near // an inexact number between two exact ones may equal both
	}
	chain := int32(0)
	for i, c := range cells {
		if i > 0 && !same(*c.value, *cells[i-1].value) {
			chain++
		}
		*c.chain = chain
	}
	for _, g := range grids {
		for _, chains := range g.chains {
			g.sorted = append(g.sorted, slices.Sorted(slices.Values(chains)))
		}
	}
}

// find returns want when an assignment of columns fits, else Different or Undecided.
func (s *columns) find(want Likeness) Likeness {
	var found bool
	if s.inOrder && len(s.of) == len(s.taken) {
		for i := range s.of {
			s.of[i] = i
		}
		found = s.fits()
	} else {
		found = s.assign(0, s.start, s.start)
	}
	switch {
	case found:
		return want
	case s.unsure:
		return Undecided
	}
	return Different
}

// assign searches columns for column i and those after it. reference and answer are the
// groups of rows that the earlier columns leave.
func (s *columns) assign(i int, reference, answer []int32) bool {
	if i == len(s.of) {
		return s.spend(len(s.of)) && s.pair(reference, answer)
	}
	for _, j := range s.candidates(i) {
		if s.taken[j] || !s.spend(1) || !slices.Equal(s.reference.sorted[i], s.answer.sorted[j]) || !s.spend(2) {
			continue
		}
		nextReference, nextAnswer, ok := s.split(i, j, reference, answer)
		if !ok {
			continue
		}
		s.of[i], s.taken[j] = j, true
		if s.assign(i+1, nextReference, nextAnswer) {
			return true
		}
		s.taken[j] = false
	}
	return false
}

// candidates returns the columns that may be assigned to column i, the one at the same
// position first, because it is the most likely.
func (s *columns) candidates(i int) []int {
	first := 0
	if s.inOrder && i > 0 {
		first = s.of[i-1] + 1
	}
	var all []int
	for j := first; j < len(s.taken); j++ {
		all = append(all, j)
	}
	if at := slices.Index(all, i); at > 0 {
		all[0], all[at] = all[at], all[0]
	}
	return all
}

// spend subtracts the work of examining every row the given number of times, and
// reports whether any work was left for it.
func (s *columns) spend(times int) bool {
	s.steps -= times * (len(s.start) + 1)
	s.unsure = s.unsure || s.steps < 0
	return s.steps >= 0
}

// split splits groups of rows by one column. It returns false when a part holds more
// rows of one side than of the other.
func (s *columns) split(i, j int, reference, answer []int32) (nextReference, nextAnswer []int32, ok bool) {
	chains, others := s.reference.chains[i], s.answer.chains[j]
	parts := make(map[[2]int32]int32, len(reference))
	var left []int // rows of the reference in each part not yet matched by the answer
	nextReference, nextAnswer = make([]int32, len(reference)), make([]int32, len(answer))
	for row, group := range reference {
		key := [2]int32{group, chains[row]}
		part, known := parts[key]
		if !known {
			part = int32(len(left))
			parts[key] = part
			left = append(left, 0)
		}
		left[part]++
		nextReference[row] = part
	}
	for row, group := range answer {
		part, known := parts[[2]int32{group, others[row]}]
		if !known || left[part] == 0 {
			return nil, nil, false
		}
		left[part]--
		nextAnswer[row] = part
	}
	return nextReference, nextAnswer, true
}

// fits reports whether the rows are the same under the current assignment.
func (s *columns) fits() bool {
	reference, answer := s.start, s.start
	for i, j := range s.of {
		var ok bool
		if reference, answer, ok = s.split(i, j, reference, answer); !ok {
			return false
		}
	}
	return s.pair(reference, answer)
}

// pair reports whether the rows of each group can be paired so that the rows of a pair
// are equal in every column.
func (s *columns) pair(reference, answer []int32) bool {
	groups := make([]rows, len(reference))
	used := 0
	for row, group := range reference {
		groups[group].reference = append(groups[group].reference, row)
		used = max(used, int(group)+1)
	}
	for row, group := range answer {
		groups[group].answer = append(groups[group].answer, row)
	}
	outcome := Equal
	for _, g := range groups[:used] {
		likeness := s.match(g, 0)
		if likeness == Different {
			return false
		}
		if likeness == Undecided {
			outcome = Undecided
		}
	}
	s.unsure = s.unsure || outcome == Undecided
	return outcome == Equal
}
