package benchmark

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"readiness/definition/dax"
	"readiness/domain"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

// The limits of a saved question, in characters unless noted (docs/decisions.md 7).
const (
	MaxText       = 1000
	MaxDAX        = 10_000 // bytes
	MaxValue      = 200
	MaxClusterID  = 100
	MaxQuestionID = 100
	MaxFields     = 50
	MaxName       = 512 // of a table, a column or a measure
	MaxValues     = 100 // of one filter
	MaxAnswer     = 1000
	MaxTags       = 20
	MaxTag        = 50
	MaxWeight     = 1000 // no characters: the greatest weight
)

// Admit returns the set in the form in which it is saved, with ids for the questions
// that have none. It refuses with InvalidRequest, naming the member that is wrong.
// Questions without a source become the customer's.
func (s Set) Admit() (Set, error) {
	if n := len(s.Questions); n > MaxQuestions {
		return Set{}, invalid("questions", "holds %d questions; a set has at most %d", n, MaxQuestions)
	}
	if s.Repeats < 1 || s.Repeats > MaxRepeats {
		return Set{}, invalid("repeats", "is %d; a question is asked 1 to %d times", s.Repeats, MaxRepeats)
	}
	out := Set{Questions: slices.Clone(s.Questions), Repeats: s.Repeats}
	if out.Questions == nil {
		out.Questions = []Question{}
	}
	first := map[string]int{}
	for i, q := range out.Questions {
		at := "questions[" + strconv.Itoa(i) + "]"
		if err := q.admit(at); err != nil {
			return Set{}, err
		}
		if q.QuestionID == "" {
			continue
		}
		if j, taken := first[q.QuestionID]; taken {
			return Set{}, invalid(at+".questionId", "is also the id of questions[%d]; ids must be unique", j)
		}
		first[q.QuestionID] = i
	}
	for i := range out.Questions {
		q := &out.Questions[i]
		q.Expected.DAX = strings.ReplaceAll(q.Expected.DAX, "\r\n", "\n") // as files keep it
		if q.Weight == 1 {
			q.Weight = 0
		}
		if q.Expected.Fields == nil {
			q.Expected.Fields = []verdict.Field{}
		}
		q.Source = cmp.Or(q.Source, Customer)
		if q.QuestionID == "" {
			q.QuestionID = q.madeID(func(id string) bool { _, taken := first[id]; return taken })
			first[q.QuestionID] = i
		}
	}
	return out, nil
}

func invalid(member, format string, args ...any) *domain.Refusal {
	return domain.Refuse(domain.InvalidRequest, "%s %s", member, fmt.Sprintf(format, args...))
}

// madeID returns an unused id for the question. It is always the same for the same
// question in the same set.
func (q Question) madeID(taken func(string) bool) string {
	c := q.canonical()
	c.QuestionID = ""
	sum := sha256.Sum256(canonicalJSON(c))
	id := "q-" + hex.EncodeToString(sum[:6])
	made := id
	for n := 2; taken(made); n++ {
		made = id + "-" + strconv.Itoa(n)
	}
	return made
}

// admit refuses a malformed question; at is its path.
func (q Question) admit(at string) error {
	if member, why := q.Fault(); why != "" {
		return invalid(at+"."+member, "%s", why)
	}
	return nil
}

// Fault returns the first member of the question that is malformed, as a path such as
// expected.dax, and why; "" and "" for a well-formed question. The id may be absent.
func (q Question) Fault() (member, why string) {
	if why := line(q.Text, MaxText); why != "" {
		return "text", why
	}
	if why := line(q.QuestionID, MaxQuestionID); q.QuestionID != "" && why != "" {
		return "questionId", why
	}
	if why := line(q.ClusterID, MaxClusterID); q.ClusterID != "" && why != "" {
		return "clusterId", why
	}
	if q.Source != "" && q.Source != Generated && q.Source != Customer {
		return "source", fmt.Sprintf("is neither %s nor %s", Generated, Customer)
	}
	if q.Weight != 0 && !(0 < q.Weight && q.Weight <= MaxWeight) { // also refuses NaN
		return "weight", fmt.Sprintf("is not above 0 and at most %d", MaxWeight)
	}
	if len(q.Tags) > MaxTags {
		return "tags", fmt.Sprintf("holds %d tags; a question has at most %d", len(q.Tags), MaxTags)
	}
	for i, tag := range q.Tags {
		why := line(tag, MaxTag)
		if why == "" && strings.Contains(tag, ";") {
			why = "holds a semicolon, which separates tags"
		}
		if why != "" {
			return "tags[" + strconv.Itoa(i) + "]", why
		}
	}
	if member, why = q.Expected.fault(); why != "" {
		return strings.TrimSuffix("expected."+member, "."), why
	}
	return "", ""
}

// fault returns the first malformed member and why; the member is "" when it concerns all of
// e.
func (e Expected) fault() (member, why string) {
	switch {
	case len(e.Fields) == 0 && e.DAX == "" && e.Value == "" && e.Answer == "":
		return "", "does not describe the correct answer; give at least one of fields, dax, value and answer"
	case len(e.Fields) > MaxFields:
		return "fields", fmt.Sprintf("names %d fields; an answer has at most %d", len(e.Fields), MaxFields)
	case len(e.DAX) > MaxDAX:
		return "dax", fmt.Sprintf("is %d bytes long; a query has at most %d", len(e.DAX), MaxDAX)
	case e.DAX != "" && (!utf8.ValidString(e.DAX) || strings.ContainsRune(e.DAX, 0) || !dax.IsQuery(e.DAX)):
		return "dax", "is not a DAX query: a query contains EVALUATE"
	}
	if why := line(e.Value, MaxValue); e.Value != "" && why != "" {
		return "value", why
	}
	if why := line(e.Answer, MaxAnswer); e.Answer != "" && why != "" {
		return "answer", why
	}
	for i, f := range e.Fields {
		if member, why := fieldFault(f); why != "" {
			return "fields[" + strconv.Itoa(i) + "]." + member, why
		}
	}
	return "", ""
}

// operators holds the minimum and maximum number of values for each operator.
var operators = map[modelquery.Operator][2]int{
	modelquery.Equal: {1, 1}, modelquery.NotEqual: {1, 1},
	modelquery.Less: {1, 1}, modelquery.LessOrEqual: {1, 1}, modelquery.Greater: {1, 1}, modelquery.GreaterOrEqual: {1, 1},
	modelquery.In: {1, MaxValues}, modelquery.Between: {2, 2}, modelquery.Contains: {1, 1}, modelquery.InPeriod: {1, 1},
	modelquery.Top: {1, 1}, modelquery.Bottom: {1, 1},
}

// fieldFault returns the first malformed member of a field and why.
func fieldFault(f verdict.Field) (member, why string) {
	if why := line(f.Name, MaxName); why != "" {
		return "name", why
	}
	if why := line(f.Table, MaxName); why != "" && (f.Table != "" || f.Role == verdict.GroupingField) {
		return "table", why
	}
	switch f.Role {
	case verdict.MeasureField, verdict.GroupingField:
		if f.Operator != "" || len(f.Values) > 0 {
			return "operator", "and values belong only to a filter"
		}
		return "", ""
	case verdict.FilterField:
	default:
		return "role", fmt.Sprintf("is none of %s, %s and %s", verdict.MeasureField, verdict.GroupingField, verdict.FilterField)
	}
	takes, known := operators[f.Operator]
	if !known {
		return "operator", "is not an operator of filters"
	}
	if n := len(f.Values); n < takes[0] || n > takes[1] {
		return "values", fmt.Sprintf("holds %d values; with %s there are %d to %d", n, f.Operator, takes[0], takes[1])
	}
	for i, v := range f.Values {
		if why := line(v, MaxValue); why != "" {
			return "values[" + strconv.Itoa(i) + "]", why
		}
	}
	return "", ""
}

// line returns why a text is not one line of 1 to most characters; "" when it is.
func line(text string, most int) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "is empty"
	case !utf8.ValidString(text):
		return "is not UTF-8"
	case utf8.RuneCountInString(text) > most:
		return fmt.Sprintf("has %d characters; it may have %d", utf8.RuneCountInString(text), most)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }):
		return "is not one line: it holds a line break or another control character"
	}
	return ""
}
