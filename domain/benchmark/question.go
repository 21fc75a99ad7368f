package benchmark

import (
	"fmt"
	"slices"
	"strings"

	"readiness/domain/verdict"
)

// Source says where a question comes from.
type Source string

// The sources.
const (
	Generated Source = "Generated"
	Customer  Source = "Customer"
)

// Question is one question of a set, with what is known of its correct answer.
type Question struct {
	QuestionID string   `json:"questionId"` // unique in its set
	Text       string   `json:"text"`
	Expected   Expected `json:"expected"`
	// ClusterID is shared by paraphrases of one question; "" for a question without
	// any.
	ClusterID string `json:"clusterId,omitempty"`
	// Weight is the question's weight in the accuracy: above 0 and at most MaxWeight; 0
	// means 1.
	Weight float64 `json:"weight,omitempty"`
	// Ordered says that the question asks for its rows in an order.
	Ordered bool `json:"ordered,omitempty"`
	// Tags are words that people sort questions by; they decide nothing.
	Tags   []string `json:"tags,omitempty"`
	Source Source   `json:"source"`
}

// Weighed returns the question's weight in the accuracy.
func (q Question) Weighed() float64 {
	if q.Weight == 0 {
		return 1
	}
	return q.Weight
}

// Expected is what is known of the correct answer: the fields of a query that answers
// it, such a query, its single value, and the answer in a sentence. At least one of the
// four is present.
type Expected struct {
	Fields []verdict.Field `json:"fields"`
	DAX    string          `json:"dax,omitempty"`
	Value  string          `json:"value,omitempty"`
	// Answer is what a person would answer. Only a judge reads it.
	Answer string `json:"answer,omitempty"`
}

// Case is what a judge decides: an answer to a question, and what is known of the correct
// one.
type Case struct {
	Question string
	Expected Expected
	// Rows is the result of the expected query, nil if it was not run. That of the
	// answer's query is in Answer.
	Rows   *verdict.ResultSet
	Answer verdict.Answer
}

// Set is a list of questions, in the order in which a run asks them.
type Set struct {
	Questions []Question `json:"questions"`
	// Repeats is how many times each question is asked unless a run says otherwise.
	Repeats int `json:"repeats"`
}

// Generated reports whether the program wrote all of the questions.
func (s Set) Generated() bool {
	return len(s.Questions) > 0 && !slices.ContainsFunc(s.Questions, func(q Question) bool { return q.Source != Generated })
}

// Clusters returns the number of questions, where paraphrases count once.
func (s Set) Clusters() int {
	n, known := 0, make(map[string]bool)
	for _, q := range s.Questions {
		if q.ClusterID == "" || !known[q.ClusterID] {
			n++
		}
		known[q.ClusterID] = true
	}
	return n
}

// The limits of a set (docs/decisions.md 7).
const (
	MaxQuestions   = 100
	MaxRepeats     = 20
	DefaultRepeats = 1
)

// Text returns the known correct answer as text for people.
func (e Expected) Text() string {
	switch {
	case e.Value != "":
		return e.Value
	case e.Answer != "":
		return e.Answer
	case e.DAX != "":
		return e.DAX
	}
	names := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		names[i] = fmt.Sprintf("%s %s[%s]", f.Role, f.Table, f.Name)
		if f.Operator != "" {
			names[i] += " " + f.Operator + " " + strings.Join(f.Values, ", ")
		}
	}
	return strings.Join(names, "; ")
}
