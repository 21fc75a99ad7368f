package verdict

import (
	"fmt"
	"slices"
	"strings"

	"readiness/domain/verdict/normalform"
)

// Verdict is the outcome of one ask, or of one question on one side.
type Verdict string

// The verdicts. Unclear and Refused count as not correct. Errored says nothing about
// quality.
const (
	Correct   Verdict = "correct"
	Incorrect Verdict = "incorrect"
	Unclear   Verdict = "unclear"
	Refused   Verdict = "refused"
	Errored   Verdict = "error"
)

// Method is what decided a verdict; "" when nothing could.
type Method string

// The methods, in the order in which they are tried. ByRefusal: the side itself says
// that it cannot answer. ByFields replaces ByResultSet where the platform runs no
// queries.
const (
	ByError     Method = "error"
	ByRefusal   Method = "refusal"
	ByResultSet Method = "result_set"
	ByFields    Method = "fields"
	ByValue     Method = "value"
	ByJudge     Method = "judge"
)

// Expected is what is known of the correct answer to a question. Any member may be
// absent.
type Expected struct {
	// Rows is the result of the reference query; NoRows says why there is none to compare, "" if it was not run.
	Rows   *ResultSet
	NoRows string
	// Ordered says that the order of Rows matters: the question asks for it and the
	// reference query orders its rows.
	Ordered bool
	// Query is the reference query in normal form; nil if there is none or it cannot be read.
	Query *normalform.Query
	// Value is the answer as a text. It decides only when it is a single number, date
	// or short label.
	Value string
	// Sentence is what a person would answer. Its numbers are not compared, but an answer without any does not have them.
	Sentence string
	// Question is what was asked: its numbers in an answer say nothing.
	Question string
}

// Answer is a side's answer to one ask.
type Answer struct {
	Text  string `json:"answer"`
	Query string `json:"query,omitempty"`
	// Fields are those that the side says its query uses. They decide nothing.
	Fields []Field `json:"fields,omitempty"`
	// Unknown are the fields that its query uses although the AI was not given them.
	Unknown []string `json:"unknownFields,omitempty"`
	// Form is the query's normal form as a text; "" if it was not read in full, and Unread says why.
	Form   string `json:"queryForm,omitempty"`
	Unread string `json:"queryUnread,omitempty"`
	// Meaning is the query in normal form; nil if it was not read.
	Meaning *normalform.Query `json:"-"`
	// Constant is true if the query was not read, and names nothing of the model.
	Constant bool `json:"-"`
	// CannotAnswer is true when the side itself states that it cannot answer.
	CannotAnswer bool `json:"cannotTell,omitempty"`
	// Rows is the result of the query; nil when it was not run. NoRows says why there is none to compare, "" if it was not run.
	Rows   *ResultSet `json:"-"`
	NoRows string     `json:"-"`
}

// Field is a measure, a grouping or a filter of a query.
type Field struct {
	Role  Role   `json:"role"`
	Table string `json:"table,omitempty"`
	Name  string `json:"name"`
	// Operator and Values are set for a filter; the order of Values does not matter.
	Operator string   `json:"operator,omitempty"`
	Values   []string `json:"values,omitempty"`
}

// Role is what a query uses a field for.
type Role string

// The roles.
const (
	MeasureField  Role = "measure"
	GroupingField Role = "grouping"
	FilterField   Role = "filter"
)

// Failure says why an ask has no answer after all its attempts. Waiting for a throttled
// provider is not a failure.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Judgement is a judge's decision on an answer. The judge is neither side and does not
// know which side answered.
type Judgement struct {
	Class Class `json:"class"`
	// Confidence is the judge's own estimate from 0 to 1, and no probability; 0 if it gave none.
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason"`
}

// leastConfidence is the confidence below which a judge decides neither that an answer is
// correct nor that it is not.
const leastConfidence = 0.7

// Class is how an answer relates to the expected one.
type Class string

// The classes.
const (
	SameClass                 Class = "same"
	SupersetClass             Class = "superset"
	SubsetClass               Class = "subset"
	ConflictClass             Class = "conflict"
	IrrelevantDifferenceClass Class = "irrelevant_difference"
	NoAnswerClass             Class = "no_answer"
)

// Decision is a verdict, what decided it and why.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	Method  Method  `json:"method,omitempty"`
	Note    Note    `json:"note,omitempty"`
	// Reason is a sentence for people.
	Reason string `json:"reason,omitempty"`
}

// Decide returns the verdict on one ask; the first method that can decide does. If the
// Method of a Decision made without a judgement is "", a judge is needed.
func (e Expected) Decide(a Answer, failure *Failure, judgement *Judgement) Decision {
	d := e.decide(a, failure, judgement)
	if d.Verdict == Unclear && e.NoRows != "" {
		d.Reason += " The reference query has no rows to compare: " + e.NoRows + "."
	}
	if d.Verdict == Unclear && a.NoRows != "" {
		d.Reason += " Its query has no rows to compare: " + a.NoRows + "."
	}
	d.Reason += a.strays()
	return d
}

func (e Expected) decide(a Answer, failure *Failure, judgement *Judgement) Decision {
	switch {
	case failure != nil:
		return Decision{Errored, ByError, "", failure.Message}
	case a.CannotAnswer:
		return Decision{Refused, ByRefusal, "", "The side says that it cannot answer."}
	}
	if d, ok := e.byResultSet(a); ok {
		return d
	}
	if e.Query != nil && a.Meaning != nil {
		switch likeness, why := normalform.Compare(e.Query, a.Meaning, e.Ordered); likeness {
		case normalform.Equal:
			return Decision{Correct, ByFields, "", why}
		case normalform.Different:
			return Decision{Incorrect, ByFields, "", why}
		case normalform.Unknown:
		}
	}
	wanted, text, single := e.value()
	given := read(a.Text)
	if single {
		if d, ok := a.queriedValue(wanted, text, given); ok {
			return d
		}
		if d, ok := e.byValue(wanted, text, given); ok {
			return d
		}
	}
	if judgement != nil {
		v, ok := judgement.verdict()
		switch {
		case ok && v == Correct && single && wanted.date != nil && len(given.dates) == 0:
			return Decision{Unclear, ByJudge, "", "The judge finds it the same, but the answer holds no date."}
		case ok && v == Correct && e.lacksLabel(given):
			return Decision{Unclear, ByJudge, "", "The judge finds it the same, but the answer does not hold the expected words."}
		case ok && v == Correct && len(given.figures) == 0 && len(given.dates) == 0 && e.tellsNumber():
			return Decision{Unclear, ByJudge, "", "The judge finds it the same, but the answer holds no number."}
		case ok:
			return Decision{v, ByJudge, "", judgement.Reason}
		}
	}
	why := "Nothing that is known decides whether the answer is correct."
	if e.Query != nil && a.Unread != "" {
		why += " Its query was not read in full: " + a.Unread + "."
	}
	return Decision{Verdict: Unclear, Reason: why}
}

// value returns the one value that is expected, and its text: as it was written, or else the only number that the reference query
// gives.
func (e Expected) value() (v value, text string, ok bool) {
	if e.Value != "" || e.Rows == nil || e.Rows.Truncated || e.Rows.saysNothing() || len(e.Rows.Rows) != 1 || len(e.Rows.Rows[0]) != 1 ||
		e.Rows.Rows[0][0].kind != number {
		v, ok = readValue(e.Value)
		return v, strings.TrimSpace(e.Value), ok
	}
	f := e.Rows.Rows[0][0].figure()
	return value{figure: &f}, f.text, true
}

// lacksLabel reports whether a short label is expected, as it was written or as the only cell of the reference's rows, that an answer
// does not hold. Whether other words mean it, a person decides.
func (e Expected) lacksLabel(given reading) bool {
	label := e.Value
	if label == "" && e.Rows != nil && !e.Rows.Truncated && len(e.Rows.Rows) == 1 && len(e.Rows.Rows[0]) == 1 {
		label = e.Rows.Rows[0][0].text
	}
	v, ok := readValue(label)
	return ok && v.label != "" && v.in(given) != holds
}

// tellsNumber reports whether the expected answer in words holds a number that the question does not; a year counts as none.
func (e Expected) tellsNumber() bool {
	if e.Value != "" {
		return false
	}
	asked := read(e.Question)
	return slices.ContainsFunc(read(e.Sentence).figures, func(f figure) bool {
		return !f.isYear() && !slices.ContainsFunc(asked.figures, f.equals)
	})
}

// byValue decides by the value in the text of the answer. An answer without a number
// where one is expected is not correct, whatever a judge would say.
func (e Expected) byValue(wanted value, text string, given reading) (Decision, bool) {
	switch wanted.in(given.apart(read(e.Question))) {
	case holds:
		return Decision{Correct, ByValue, "", fmt.Sprintf("The answer holds %s.", text)}, true
	case lacks:
		return Decision{Incorrect, ByValue, "", fmt.Sprintf("The answer holds other values than %s.", text)}, true
	case undecided:
	}
	switch {
	case wanted.figure == nil || len(given.figures) > 0:
		return Decision{}, false
	case given.declines():
		return Decision{Refused, ByValue, "", "The answer states that it does not know."}, true
	}
	return Decision{Unclear, ByValue, "", fmt.Sprintf("The answer holds no number, and %s is expected.", text)}, true
}

func (e Expected) byResultSet(a Answer) (Decision, bool) {
	if e.Rows == nil || a.Rows == nil || e.Rows.saysNothing() && a.Rows.saysNothing() || a.constant() {
		return Decision{}, false
	}
	switch likeness, note := CompareResultSets(*e.Rows, *a.Rows, e.Ordered); likeness {
	case Equal:
		return Decision{Correct, ByResultSet, note, "The query answers the rows of the reference." + e.Rows.evaluated() + e.chance(a)}, true
	case Superset:
		why := "The query answers the rows of the reference, with more columns." + e.Rows.evaluated() + e.chance(a)
		return Decision{Correct, ByResultSet, note, why}, true
	case Different:
		return Decision{Incorrect, ByResultSet, note, "The query answers other rows than the reference." + e.Rows.evaluated()}, true
	case Undecided:
	}
	return Decision{}, false
}

// chance returns a sentence if rows are equal although the answer's query lacks a filter of the reference; "" if it has them, or if it is not
// known.
func (e Expected) chance(a Answer) string {
	if e.Query == nil || a.Meaning == nil {
		return ""
	}
	dropped := e.Query.Dropped(a.Meaning)
	if len(dropped) == 0 {
		return ""
	}
	return " But it does not filter by " + strings.Join(dropped, " and ") + ", as the reference does: the rows are equal by chance, and other data may differ."
}

// evaluated returns a sentence that names the engine, "" for the platform's own.
func (r *ResultSet) evaluated() string {
	if r.Engine == "" {
		return ""
	}
	return fmt.Sprintf(" Both queries were evaluated over sample data (%s).", r.Engine)
}

func (j Judgement) verdict() (v Verdict, ok bool) {
	sure := leastConfidence <= j.Confidence && j.Confidence <= 1
	switch j.Class {
	case SameClass, SupersetClass, IrrelevantDifferenceClass, ConflictClass:
		if !sure {
			return Unclear, true
		}
	case SubsetClass, NoAnswerClass:
	}
	switch j.Class {
	case SameClass, SupersetClass, IrrelevantDifferenceClass:
		return Correct, true
	case ConflictClass:
		return Incorrect, true
	case SubsetClass:
		return Unclear, true
	case NoAnswerClass:
		return Refused, true
	}
	return "", false
}
