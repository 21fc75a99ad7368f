package verdict

// ResultSet is the result of a query: rows of values. Names of columns do not matter. A
// row that is shorter than others is padded with BLANKs.
type ResultSet struct {
	Rows [][]Value
	// Truncated is true when the platform did not return all rows.
	Truncated bool
	// Engine names what ran the query if it was not the platform, such as "embedded".
	Engine string
}

// Likeness is how an answer's result set compares to the reference's.
type Likeness string

// The outcomes. Superset means that the reference is among the answer's columns, which
// is correct. Undecided means that something was truncated, or that deciding takes too
// much work.
const (
	Equal     Likeness = "equal"
	Superset  Likeness = "superset"
	Different Likeness = "different"
	Undecided Likeness = "undecided"
)

// Note is a remark on a comparison of result sets.
type Note string

// The notes. Two empty result sets are weak evidence of a correct answer.
const (
	ExtraColumns Note = "extra_columns"
	BothEmpty    Note = "both_empty"
)

// The limits of comparing result sets.
const (
	maxRows   = 100_000
	maxValues = 1_000_000
	// maxPermuted is up to how many columns every order is tried.
	maxPermuted = 8
	// maxChosen is up to how many columns, in the order given, the columns of the
	// reference are searched for.
	maxChosen = 256
	// maxSteps bounds the search for a permutation, in rows examined.
	maxSteps = 20_000_000
	// maxMatched is the size of a group of similar but unequal rows up to which a
	// pairing is searched for.
	maxMatched = 64
	// maxRounds bounds how often a group of rows is split by its values.
	maxRounds = 8
)

// CompareResultSets compares an answer to the reference: row by row when ordered, else
// as bags of rows. The result is Equal when some order of the columns makes them equal,
// and Superset when the reference equals a selection of the answer's columns. Beyond 8
// columns their order is kept.
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

// saysNothing reports whether the set is empty, or one row of one value that is BLANK or 0: any query may give that.
func (r *ResultSet) saysNothing() bool {
	if len(r.Rows) == 0 {
		return true
	}
	if len(r.Rows) > 1 || len(r.Rows[0]) > 1 {
		return false
	}
	return len(r.Rows[0]) == 0 || r.Rows[0][0].isZero()
}
