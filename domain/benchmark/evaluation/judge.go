package evaluation

import (
	"encoding/json"
	"slices"
	"time"

	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/verdict"
	"readiness/domain/verdict/normalform"
)

// Judge decides whether answers about a model are correct.
type Judge struct {
	Model *semanticmodel.Model
	Now   time.Time
	// Rows runs a query over sample data, or says why there are no rows; nil without sample data.
	Rows func(dax string) (*verdict.ResultSet, string)
	// Ask asks a language model about an answer that nothing else decides; nil for none. judged is false if it does not answer.
	Ask func(benchmark.Case) (j verdict.Judgement, by verdict.Judge, judged bool)
	// Judged is called after each answer; nil for nothing.
	Judged func()

	meanings *normalform.Model
	queried  map[string]queried
	// lucky counts the answers that have the rows of the expected query by a query that means something else.
	lucky int
	// unlike counts the answers whose text holds another number than their own query gives.
	unlike int
	// nothing are the questions whose expected query returns nothing.
	nothing []string
	// by is the language model that was asked, and silent counts the answers about which it said nothing.
	by     *verdict.Judge
	silent int
}

type queried struct {
	rows *verdict.ResultSet
	none string
}

// Decide judges an answer to a question.
func (j *Judge) Decide(q benchmark.Question, answer verdict.Answer, failure *verdict.Failure) verdict.Decision {
	ask := verdict.Ask{Answer: answer}
	d, _ := j.decide(q, &answerset.Answer{Answer: answer, Failure: failure}, &ask)
	return d
}

// query runs a query once. Of one that cannot be read, the model has no rows.
func (j *Judge) query(dax string) queried {
	if j.Rows == nil || dax == "" {
		return queried{}
	}
	made, known := j.queried[dax]
	if !known {
		made.rows, made.none = j.Rows(dax)
		if j.queried == nil {
			j.queried = map[string]queried{}
		}
		j.queried[dax] = made
	}
	return made
}

// shownRows is how many rows of a query a document keeps.
const shownRows = 5

// sample returns the first rows of a question's expected query.
func (j *Judge) sample(q benchmark.Question) *verdict.Sample {
	rows := j.query(q.Expected.DAX).rows
	if rows != nil && len(rows.Rows) == 0 && !slices.Contains(j.nothing, q.Text) {
		j.nothing = append(j.nothing, q.Text)
	}
	return rows.Sample(shownRows)
}

// ask judges an answer. With kept, a verdict that is stored with the answer stays; one of a person always does.
func (j *Judge) ask(q benchmark.Question, a *answerset.Answer, kept bool) (ask verdict.Ask, sample json.RawMessage) {
	ask = verdict.Ask{Answer: a.Answer, Error: a.Failure, Attempts: 1}
	ask.Rows = nil
	if a.Seconds != nil {
		ask.DurationMS = int64(1000 * *a.Seconds)
	}
	if s := a.Stored; s != nil {
		ask.Judge, ask.Remote, ask.Usage, ask.Machine = s.Judge, s.Remote, s.Usage, s.Machine
		if kept || s.Method == verdict.ByPerson {
			ask.Decision = s.Decision
			return ask, nil
		}
	}
	ask.Decision, sample = j.decide(q, a, &ask)
	return ask, sample
}

// decide judges an answer by rows where both queries were evaluated over the same data, and else by the meaning of the queries and by
// values. The sample data need not be what the AI was asked about, so that a value of it can show that a text is right, and not that it
// is wrong.
func (j *Judge) decide(q benchmark.Question, a *answerset.Answer, ask *verdict.Ask) (verdict.Decision, json.RawMessage) {
	if j.meanings == nil {
		j.meanings = normalform.NewModel(j.Model)
	}
	expected := q.Known(j.Model, j.meanings, j.Now)
	var reference, own queried
	var sample json.RawMessage
	if a.Failure == nil {
		ask.CannotAnswer = ask.CannotAnswer || ask.Query == "" && verdict.Declines(ask.Text)
		ask.Read(j.meanings, j.Now)
		reference, own = j.query(q.Expected.DAX), j.query(ask.Query)
		if own.rows != nil {
			sample, _ = json.Marshal(own.rows.Sample(shownRows)) // values always encode
		}
	}
	if reference.rows != nil && own.rows != nil {
		expected.Rows, ask.Rows = reference.rows, own.rows
		if d := expected.Decide(ask.Answer, a.Failure, ask.Judge); d.Method == verdict.ByResultSet {
			if expected.Query != nil && ask.Meaning != nil {
				likeness, why := normalform.Compare(expected.Query, ask.Meaning, expected.Ordered)
				switch {
				case likeness != normalform.Different:
				case d.Verdict == verdict.Incorrect:
					d.Reason += " " + why
				case d.Verdict == verdict.Correct:
					d.Reason += " But the queries ask for different things, so that other data may give other rows: " + why
					j.lucky++
				}
			}
			return j.spoken(q, a, own, d), sample
		}
	}
	expected.Rows, ask.Rows = nil, nil
	expected.NoRows, ask.NoRows = reference.none, own.none
	if q.Expected.Value != "" {
		ask.Rows = a.Rows
	}
	d := expected.Decide(ask.Answer, a.Failure, ask.Judge)
	if d.Verdict == verdict.Unclear && reference.rows != nil && q.Expected.Value == "" {
		expected.Rows, ask.Rows = reference.rows, nil
		switch of := expected.Decide(ask.Answer, nil, nil); {
		case of.Method == verdict.ByValue && of.Verdict == verdict.Correct:
			of.Reason += " That is the value of the expected query over the sample data."
			d = of
		case of.Method == verdict.ByValue && of.Verdict == verdict.Incorrect:
			d.Reason = of.Reason + " That is the value over the sample data, and the AI may have been asked about other data: an expectedValue decides."
			d.Method = ""
			return d, sample // which no judge knows better
		}
	}
	if d.Method == "" && a.Failure == nil && j.Ask != nil && ask.Judge == nil {
		d = j.asked(q, expected, ask, d)
	}
	return d, sample
}

// asked lets a language model judge what nothing else decides.
func (j *Judge) asked(q benchmark.Question, expected verdict.Expected, ask *verdict.Ask, d verdict.Decision) verdict.Decision {
	made, by, judged := j.Ask(benchmark.Case{Question: q.Text, Expected: q.Expected, Answer: ask.Answer})
	if !judged {
		j.silent++
		return d
	}
	j.by, ask.Judge = &by, &made
	return expected.Decide(ask.Answer, nil, &made)
}

// spoken compares the text of an answer whose query is right with the expected value: people read the text. Without such a value, the number
// that the query gives over the sample data shows only that the text holds another one.
func (j *Judge) spoken(q benchmark.Question, a *answerset.Answer, own queried, d verdict.Decision) verdict.Decision {
	if d.Verdict != verdict.Correct || a.Text == "" {
		return d
	}
	contradicts := func(e verdict.Expected) (string, bool) {
		e.Question = q.Text
		of := e.Decide(verdict.Answer{Text: a.Text}, nil, nil)
		return of.Reason, of.Method == verdict.ByValue && of.Verdict == verdict.Incorrect
	}
	if q.Expected.Value != "" {
		if why, is := contradicts(verdict.Expected{Value: q.Expected.Value}); is {
			return verdict.Decision{Verdict: verdict.Incorrect, Method: verdict.ByValue, Reason: "Its query is right, and its text is not: " + why}
		}
		return d
	}
	if _, is := contradicts(verdict.Expected{Rows: own.rows}); is {
		d.Reason += " But its text holds another number than its query gives over the sample data."
		j.unlike++
	}
	return d
}
