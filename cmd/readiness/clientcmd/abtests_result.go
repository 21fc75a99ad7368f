package clientcmd

import (
	"encoding/json"
	"fmt"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/domain/verdict"
	"readiness/internal/lists"
)

// aggregate is the part of a client.AbAggregate that is printed. Members that the service omits stay nil.
type aggregate struct {
	Comparable int `json:"nComparable"`
	Scores     struct {
		A, B *float64
	} `json:"scores"`
	Difference struct {
		BMinusA *float64 `json:"bMinusA"`
		CI      *struct {
			Low, High float64
		} `json:"ci"`
	} `json:"accuracyDifference"`
	McNemar struct {
		P    *float64 `json:"p"`
		Note string   `json:"note"`
	} `json:"mcnemar"`
	Improvements []string          `json:"improvements"`
	Regressions  []string          `json:"regressions"`
	Conclusion   string            `json:"conclusion"`
	Sentence     string            `json:"sentence"`
	Detectable   *detectableEffect `json:"minimumDetectableEffect"`
}

// detectableEffect is a client.AbMinimumDetectableEffect.
type detectableEffect struct {
	N          int      `json:"n"`
	Difference *float64 `json:"difference"`
	Note       string   `json:"note"`
}

// text returns the difference that a run can detect, as a sentence.
func (d *detectableEffect) text() string {
	if d.Difference == nil {
		return d.Note
	}
	return fmt.Sprintf("%d questions find a difference of %.0f points or more with a probability of 0.8", d.N, 100**d.Difference)
}

// readAggregate decodes an aggregate; nil if there is none.
func readAggregate(from *client.AbAggregate) *aggregate {
	if from == nil {
		return nil
	}
	var a aggregate
	body, err := json.Marshal(from)
	if err != nil || json.Unmarshal(body, &a) != nil {
		return nil
	}
	return &a
}

func (a *aggregate) scores() string {
	return sheet.Number(a.Scores.A) + " → " + sheet.Number(a.Scores.B)
}

// abConclusions maps a comparison's conclusion to words.
var abConclusions = map[string]string{"a_better": "side A is answered better", "b_better": "side B is answered better",
	"no_difference_shown": "no difference is shown", "inconclusive": "nothing is concluded"}

// concluded returns the conclusion in words.
func (a *aggregate) concluded() string {
	if words := abConclusions[a.Conclusion]; words != "" {
		return words
	}
	return a.Conclusion
}

// abResultTable prints the result of an A/B run and the questions whose verdicts differ.
func abResultTable(s *sheet.Sheet, r client.AbTestResult) {
	a := readAggregate(r.Aggregate)
	if a == nil {
		s.Say("Run %s of A/B test %s has no comparison; --json prints the response", cli.Printable(r.RunID), cli.Printable(r.AbTestID))
		return
	}
	conclusion := a.concluded()
	s.Say("A/B test %s, run %s", cli.Printable(r.AbTestID), cli.Printable(r.RunID))
	var asked struct{ A, B verdict.Side }
	if json.Unmarshal(r.Document, &asked) == nil && asked.A.Kind != "" && asked.B.Kind != "" {
		s.Say("Side A answered by %s\nSide B answered by %s", cli.Printable(asked.A.Answerer()),
			cli.Printable(asked.B.Answerer()))
	}
	s.Say("Score of side A %s, of side B %s, over %d questions: %s", sheet.Number(a.Scores.A), sheet.Number(a.Scores.B), a.Comparable,
		cli.Printable(conclusion))
	s.Say("%d answered right on side B alone, %d on side A alone", len(a.Improvements), len(a.Regressions))
	switch {
	case a.Sentence != "":
		s.Say("%s", cli.Printable(a.Sentence))
	case a.McNemar.P != nil: // stored before there were sentences
		s.Say("McNemar's p %.4f. %s", *a.McNemar.P, cli.Printable(a.McNemar.Note))
	}
	if d := a.Difference; d.BMinusA != nil && d.CI != nil {
		s.Say("Pass rates, B minus A: %+.0f points, 95 %% interval by resampling %+.0f to %+.0f", 100**d.BMinusA, 100*d.CI.Low,
			100*d.CI.High)
	}
	if a.Detectable != nil {
		s.Say("%s", cli.Printable(a.Detectable.text()))
	}
	changed := lists.Where(answeredQuestions(r.Document), func(q answeredQuestion) bool { return q.Change == "improved" || q.Change == "regressed" })
	if len(changed) == 0 {
		return
	}
	s.Rows("QUESTION", "SIDE A", "SIDE B", "ASKED")
	for _, q := range changed[:min(len(changed), maxRows)] {
		s.Row(q.QuestionID, q.A.Verdict, q.B.Verdict, q.Text)
	}
	s.More(len(changed) - maxRows)
}
