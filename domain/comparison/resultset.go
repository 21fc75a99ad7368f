package comparison

// ResultSet is what a query answered: rows of values, by column. Names of columns
// do not matter. A row that is shorter than others ends in BLANKs.
type ResultSet struct {
	Rows [][]Value
	// Truncated tells that the platform did not hand over everything.
	Truncated bool
}

// Likeness is how an answer's result set compares to the reference's (regime D.3).
type Likeness string

// The outcomes. A superset has the reference among its columns: it is correct.
// Undecided says nothing: something was truncated, or to know takes too much work.
const (
	Equal     Likeness = "equal"
	Superset  Likeness = "superset"
	Different Likeness = "different"
	Undecided Likeness = "undecided"
)

// Note says what to know of a comparison of result sets.
type Note string

// The notes. Two empty result sets are weak evidence.
const (
	ExtraColumns Note = "extra_columns"
	BothEmpty    Note = "both_empty"
)

// The bounds of a comparison, and of what the platform answers whole (regime D.3
// (6), (8)).
const (
	maxRows   = 100_000
	maxValues = 1_000_000
	// maxPermuted is how many columns are tried in every order.
	maxPermuted = 8
	// maxChosen is among how many columns, in the order given, those of the
	// reference are looked for.
	maxChosen = 256
	// maxSteps bounds the search for a permutation, in rows looked at.
	maxSteps = 20_000_000
	// maxMatched is in how large a group of rows that are alike, but not all equal,
	// a pairing is searched for.
	maxMatched = 64
	// maxRounds is how often a group of rows is split by what it holds.
	maxRounds = 8
)

// CompareResultSets compares an answer to the reference: ordered, row by row, else as
// bags of rows. It is Equal where some order of the columns makes them so, and
// Superset where the reference is some choice of the answer's columns; of more
// than 8 columns the order is kept (regime D.3).
func CompareResultSets(reference, answer ResultSet, ordered bool) (Likeness, Note) {
	width, wide := reference.width(), answer.width()
	rows := len(reference.Rows)
	switch {
	case reference.partial(width) || answer.partial(wide):
		return Undecided, ""
	case rows == 0 && len(answer.Rows) == 0:
		return Equal, BothEmpty
	case rows != len(answer.Rows) || wide < width:
		return Different, ""
	case wide > width && wide > maxChosen:
		return Undecided, ""
	}
	s := newColumns(reference, answer, ordered)
	if wide == width {
		return s.find(Equal), ""
	}
	if found := s.find(Superset); found != Superset {
		return found, ""
	}
	return Superset, ExtraColumns
}

func (r ResultSet) width() int {
	width := 0
	for _, row := range r.Rows {
		width = max(width, len(row))
	}
	return width
}

func (r ResultSet) partial(width int) bool {
	return r.Truncated || len(r.Rows) > maxRows || len(r.Rows)*width > maxValues
}
