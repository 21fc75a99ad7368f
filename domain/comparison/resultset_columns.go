package comparison

import "slices"

// columns searches which column of an answer stands for which of the reference.
type columns struct {
	reference, answer grid
	// inOrder keeps the order of the columns.
	inOrder bool
	// start is the group of each row before any column was looked at: one for all,
	// or one for each where the order of rows matters.
	start []int32
	// of[i] is the column of the answer that stands for column i of the reference.
	of    []int
	taken []bool
	steps int // left
	// unsure tells that something may fit that was not searched to its end.
	unsure bool
}

// grid is the values of a result set by column.
type grid struct {
	values [][]Value
	// chains number the values: equal ones of either grid have the same number, for
	// in a sorted list of all of them each number is a run in which each value is equal
	// to the next.
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
	}
	return g
}

// link finds the chains of all values of some grids.
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
	chain := int32(0)
	for i, c := range cells {
		if i > 0 && !c.value.equal(*cells[i-1].value) {
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

// find returns want where an assignment of columns fits.
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

// assign tries the columns for column i and those after it, given the groups of
// rows that the columns before it leave.
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

// candidates are the columns that may stand for column i: the one in its place is
// the likeliest.
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

// spend counts looking at every row so many times; false when there is no more to
// spend.
func (s *columns) spend(times int) bool {
	s.steps -= times * (len(s.start) + 1)
	s.unsure = s.unsure || s.steps < 0
	return s.steps >= 0
}

// split parts groups of rows by one column; false where some part holds more rows
// of one side than of the other.
func (s *columns) split(i, j int, reference, answer []int32) (nextReference, nextAnswer []int32, ok bool) {
	chains, others := s.reference.chains[i], s.answer.chains[j]
	parts := make(map[[2]int32]int32, len(reference))
	var left []int // rows of the reference in each part that the answer has not met
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

// fits tells whether the rows are the same under the assignment as it is.
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

// pair tells whether the rows of each group can be paired so that those of a pair are equal
// in every column.
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
