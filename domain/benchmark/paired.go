package benchmark

import "readiness/domain/comparison"

// Paired returns the questions of side B with the asks of both sides. Both runs asked the same questions.
func Paired(a, b RunDocument) []comparison.AskedQuestion {
	asksA := a.Asks()
	all := make([]comparison.AskedQuestion, len(b.Questions))
	for i, q := range b.Questions {
		all[i] = comparison.AskedQuestion{
			QuestionID: q.QuestionID, Text: q.Text, Expected: q.Expected.Text(), ClusterID: q.ClusterID, Weight: q.Weighed(),
			A: asksA[q.QuestionID], B: q.Asks,
		}
	}
	return all
}

// Generated reports whether the program wrote all questions of the run.
func (d RunDocument) Generated() bool {
	set := Set{Questions: make([]Question, len(d.Questions))}
	for i, q := range d.Questions {
		set.Questions[i] = q.Question
	}
	return set.Generated()
}
