package benchmark

import (
	"fmt"
	"slices"
)

// Bounds of asks without an answer (docs/decisions.md 10).
const (
	// mostFailing is how many asks in a row get no answer before a side stops.
	mostFailing = 10
	// manyAsks is the number of asks from which on half of all without an answer stop a side. A side with fewer to make
	// stops when the firstFailing asks that it began, or all where there are fewer, got none. Asks are made several at a
	// time and one that fails can be faster than one that answers, so those that were recorded first do not decide.
	manyAsks, firstFailing = 20, 3
)

// Answers returns how many asks got an answer.
func (r Run) Answers() int {
	if len(r.Asks) == 0 {
		return 0
	}
	return len(r.Asks) - r.Asks[len(r.Asks)-1].Errors
}

// Unanswered reports whether so many asks of the set got no answer that the side stops, and says how many.
func (r Run) Unanswered(s Set) (why string, stops bool) {
	if r.Side.AnsweredBy.Imported() { // nobody is asked in vain
		return "", false
	}
	made, failing := len(r.Asks), r.Failing()
	failed := made - r.Answers()
	switch {
	case failing >= mostFailing:
		return fmt.Sprintf("%d questions in a row got no answer", failing), true
	case made >= manyAsks && 2*failed >= made:
		return fmt.Sprintf("%d of the first %d asks got no answer", failed, made), true
	case failed == 1 && r.Total() == 1:
		return "its only ask got no answer", true
	case made > 0 && failed == made && r.Total() < manyAsks && r.madeFirst(s):
		return fmt.Sprintf("none of the first %d asks got an answer", made), true
	}
	return "", false
}

// madeFirst reports whether the first asks that began have been made.
func (r Run) madeFirst(s Set) bool {
	first := r.begin(s)
	first = first[:min(firstFailing, len(first))]
	return !slices.ContainsFunc(r.Left(s), func(key AskKey) bool { return slices.Contains(first, key) })
}
