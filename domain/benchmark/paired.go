package benchmark

import (
	"readiness/domain/verdict"
	"readiness/internal/lists"
)

// Paired returns the questions of side B with the asks of both sides. Both runs asked the same questions.
func Paired(a, b RunDocument) []verdict.AskedQuestion {
	asksA := a.Asks()
	return lists.Map(b.Questions, func(q AnsweredQuestion) verdict.AskedQuestion {
		return verdict.AskedQuestion{
			QuestionID: q.QuestionID, Text: q.Text, Expected: q.Expected.Text(), ClusterID: q.ClusterID, Weight: q.Weighed(),
			A: asksA[q.QuestionID], B: q.Asks,
		}
	})
}

// Generated reports whether the program wrote all questions of the run.
func (d RunDocument) Generated() bool {
	set := Set{Questions: make([]Question, len(d.Questions))}
	for i, q := range d.Questions {
		set.Questions[i] = q.Question
	}
	return set.Generated()
}
