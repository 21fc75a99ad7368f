package comparison

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Verdict is the outcome of one ask, or of one question on one side (docs/regime.md D.2).
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
// queries (docs/regime.md D.2).
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
	// Rows is the result of the reference query.
	Rows *ResultSet
	// Ordered says that the order of Rows matters: the question asks for it and the
	// reference query orders its rows.
	Ordered bool
	Fields  []Field
	// Value is the answer as a text. It decides only when it is a single number, date
	// or short label.
	Value string
}

// Answer is a side's answer to one ask.
type Answer struct {
	Text  string `json:"answer"`
	Query string `json:"query,omitempty"`
	// Fields are the fields of the query.
	Fields []Field `json:"fields,omitempty"`
	// CannotTell is true when the side itself says that it cannot answer.
	CannotTell bool `json:"cannotTell,omitempty"`
	// Rows is the result of the query; nil when it was not run.
	Rows *ResultSet `json:"-"`
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
	Class      Class   `json:"class"`
	Confidence float64 `json:"confidence"` // 0 to 1
	Reason     string  `json:"reason"`
}

// Class is how an answer relates to the expected one (docs/regime.md D.2 (10)).
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
// Method of a Decision made without a judgement is "", a judge is needed (docs/regime.md D.2).
func (e Expected) Decide(a Answer, failure *Failure, judgement *Judgement) Decision {
	switch {
	case failure != nil:
		return Decision{Errored, ByError, "", failure.Message}
	case a.CannotTell:
		return Decision{Refused, ByRefusal, "", "The side says that it cannot answer."}
	}
	if d, ok := e.byResultSet(a); ok {
		return d
	}
	if len(e.Fields) > 0 && len(a.Fields) > 0 {
		if sameFields(e.Fields, a.Fields) {
			return Decision{Correct, ByFields, "", "The query uses the expected measures, groupings and filters."}
		}
		return Decision{Incorrect, ByFields, "", "The query uses other measures, groupings or filters than expected."}
	}
	if wanted, ok := readValue(e.Value); ok {
		switch wanted.in(read(a.Text)) {
		case holds:
			return Decision{Correct, ByValue, "", fmt.Sprintf("The answer holds %s.", strings.TrimSpace(e.Value))}
		case lacks:
			return Decision{Incorrect, ByValue, "", fmt.Sprintf("The answer holds other values than %s.", strings.TrimSpace(e.Value))}
		case undecided:
		}
	}
	if judgement != nil {
		if v, ok := judgement.verdict(); ok {
			return Decision{v, ByJudge, "", judgement.Reason}
		}
	}
	return Decision{Verdict: Unclear, Reason: "Nothing that is known decides whether the answer is correct."}
}

func (e Expected) byResultSet(a Answer) (Decision, bool) {
	if e.Rows == nil || a.Rows == nil {
		return Decision{}, false
	}
	switch likeness, note := CompareResultSets(*e.Rows, *a.Rows, e.Ordered); likeness {
	case Equal:
		return Decision{Correct, ByResultSet, note, "The query answers the rows of the reference." + e.Rows.evaluated()}, true
	case Superset:
		why := "The query answers the rows of the reference, with more columns." + e.Rows.evaluated()
		return Decision{Correct, ByResultSet, note, why}, true
	case Different:
		return Decision{Incorrect, ByResultSet, note, "The query answers other rows than the reference." + e.Rows.evaluated()}, true
	case Undecided:
	}
	return Decision{}, false
}

// evaluated returns a sentence that names the engine, "" for the platform's own.
func (r *ResultSet) evaluated() string {
	if r.Engine == "" {
		return ""
	}
	return fmt.Sprintf(" Both queries were evaluated over sample data (%s).", r.Engine)
}

func (j Judgement) verdict() (v Verdict, ok bool) {
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

// sameFields reports whether two queries use the same fields, in any order. Names and
// values compare without regard to case, as in DAX. A measure's table is ignored,
// because measure names are unique in a model (docs/regime.md D.2 (8)).
func sameFields(a, b []Field) bool {
	return slices.Equal(keys(a), keys(b))
}

func keys(fields []Field) []string {
	all := make([]string, 0, len(fields))
	for _, f := range fields {
		if f.Role == MeasureField {
			f.Table = ""
		}
		values := make([]string, len(f.Values))
		for i, v := range f.Values {
			values[i] = fold(v)
		}
		slices.Sort(values)
		key := []string{string(f.Role), fold(f.Table), fold(f.Name), fold(f.Operator)}
		all = append(all, fmt.Sprintf("%q", append(key, slices.Compact(values)...)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// fold returns the form in which names compare: NFC, trimmed, in lower case.
func fold(s string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(s))) }
