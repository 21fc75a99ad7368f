package verdict

// ByPerson is the method of a verdict that a person gave; Ask.Machine keeps the service's own.
const ByPerson Method = "person"

// Overruled returns the ask with a person's verdict and reason. What the service decided stays in Machine.
func (a Ask) Overruled(v Verdict, reason string) Ask {
	if a.Machine == nil {
		a.Machine = new(a.Decision)
	}
	a.Decision = Decision{Verdict: v, Method: ByPerson, Reason: reason}
	return a
}

// Differs reports whether a person gave another verdict than the service.
func (a Ask) Differs() bool { return a.Machine != nil && a.Machine.Verdict != a.Verdict }

// Judged reports whether a judge decided the service's own verdict.
func (a Ask) Judged() bool {
	if a.Machine != nil {
		return a.Machine.Method == ByJudge
	}
	return a.Method == ByJudge
}

// Revised returns the tally of asks whose answers are those of t and whose verdicts may be others. How far the answers agree
// stays: documents do not hold the rows that it was computed from.
func (t Tally) Revised(asks []Ask) Tally {
	revised := NewTally(asks)
	revised.AnswerStability = t.AnswerStability
	if t.MedianMS == nil {
		revised.MedianMS = nil
	}
	return revised
}
