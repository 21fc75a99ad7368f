package evaluations

import (
	"cmp"
	"slices"
	"time"

	"readiness/domain/verdict"
	"readiness/http/console/changes"
)

// perPage is how many questions a page has.
const perPage = 20

// asked is a question with the answer of each side.
type asked struct {
	Number         int
	ID, Text, Note string
	Expected       string
	// Query is the expected query; "" if it is not known.
	Query   string
	Change  verdict.Change
	Answers []answer
}

// answer is the answer of a side to a question: one ask that represents all of them.
type answer struct {
	Side string
	verdict.Tally
	ask verdict.Ask
	// Overrule is where a person's verdict is sent; "" if the run is not known.
	Overrule, Back, Question string
	// Key makes the ids of the form's fields.
	Key string
}

// answerOf returns the answer of a side: the first ask with the verdict of the question, else the first.
func answerOf(side string, t verdict.Tally) answer {
	a := answer{Side: side, Tally: t}
	for i, ask := range t.Asks {
		if i == 0 || ask.Verdict == t.Verdict && a.ask.Verdict != t.Verdict {
			a.ask = ask
		}
	}
	return a
}

// Shown returns the answer's text, or why there is none.
func (a answer) Shown() string {
	switch {
	case len(a.Asks) == 0:
		return "not asked"
	case a.ask.Error != nil:
		return "no answer: " + a.ask.Error.Message
	}
	return a.ask.Text
}

// Query returns the answer's query.
func (a answer) Query() string { return a.ask.Query }

// Reason returns the reason of the verdict.
func (a answer) Reason() string { return a.ask.Reason }

// methods are what decided a verdict, in words.
var methods = map[verdict.Method]string{verdict.ByError: "by an error", verdict.ByRefusal: "because the side says so",
	verdict.ByResultSet: "by the rows of both queries", verdict.ByFields: "by the meaning of both queries",
	verdict.ByValue: "by the value",
	verdict.ByJudge: "by an AI judge", verdict.ByPerson: "by a person"}

// Method returns what decided the verdict, in words.
func (a answer) Method() string { return methods[a.ask.Method] }

// Machine returns the service's decision if a person decided too.
func (a answer) Machine() *verdict.Decision { return a.ask.Machine }

// Took returns how long the answer took.
func (a answer) Took() string {
	if a.MedianMS == nil {
		return ""
	}
	return (time.Duration(*a.MedianMS) * time.Millisecond).String()
}

// Repeated returns how many of the asks passed, if there is more than one.
func (a answer) Repeated() bool { return len(a.Asks) > 1 }

// Overrulable reports whether a person can give a verdict.
func (a answer) Overrulable() bool { return a.Overrule != "" && a.Answered > 0 }

// Tone returns how a verdict is coloured.
func (a answer) Tone() string {
	switch a.Verdict {
	case verdict.Correct:
		return "good"
	case verdict.Incorrect:
		return "poor"
	case verdict.Unclear, verdict.Refused:
		return "fair"
	case verdict.Errored:
	}
	return ""
}

// Sides returns the queries of both sides with the words that differ; nil unless both have one.
func (q asked) Sides() *changes.Sides {
	if len(q.Answers) != 2 || q.Answers[0].Query() == "" || q.Answers[1].Query() == "" {
		return nil
	}
	s := changes.Compare(new(q.Answers[0].Query()), new(q.Answers[1].Query()))
	s.BeforeHead, s.AfterHead = "Query of side A", "Query of side B"
	return &s
}

// Against returns the expected query and that of the only side; nil unless both are known.
func (q asked) Against() *changes.Sides {
	if len(q.Answers) != 1 || q.Query == "" || q.Answers[0].Query() == "" {
		return nil
	}
	s := changes.Compare(new(q.Query), new(q.Answers[0].Query()))
	s.BeforeHead, s.AfterHead = "Expected query", "Query of the answer"
	return &s
}

// Tag returns the change in words, and Tone how it is coloured.
func (q asked) Tag() string {
	return map[verdict.Change]string{verdict.Improved: "improved", verdict.Regressed: "regressed",
		verdict.SameCorrect: "both correct",
		verdict.SameWrong:   "both wrong", verdict.NotComparable: "not comparable"}[q.Change]
}

// Tone returns how the change is coloured.
func (q asked) Tone() string {
	switch q.Change {
	case verdict.Improved, verdict.SameCorrect:
		return "good"
	case verdict.Regressed:
		return "poor"
	case verdict.SameWrong, verdict.NotComparable:
		return "fair"
	}
	return ""
}

// paged are the questions of a page.
type paged struct {
	all []asked
	// Number is the page from 1, and Pages how many there are. Address is that of the first page.
	Number, Pages int
	Address       string
}

// ordered returns the questions by the rank of each, and the page of them that an address names.
func ordered(all []asked, rank func(asked) int, number int, address string) paged {
	slices.SortStableFunc(all, func(a, b asked) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range all {
		all[i].Number = i + 1
	}
	p := paged{all: all, Pages: max(1, (len(all)+perPage-1)/perPage), Address: address}
	p.Number = min(max(number, 1), p.Pages)
	return p
}

// Shown returns the questions of the page.
func (p paged) Shown() []asked {
	first := (p.Number - 1) * perPage
	return p.all[first:min(first+perPage, len(p.all))]
}

// Total returns the number of questions.
func (p paged) Total() int { return len(p.all) }

// Earlier and Later return the number of the neighbouring page; 0 for none.
func (p paged) Earlier() int { return p.Number - 1 }

// Later returns the number of the next page; 0 on the last one.
func (p paged) Later() int {
	if p.Number == p.Pages {
		return 0
	}
	return p.Number + 1
}
