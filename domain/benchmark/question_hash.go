package benchmark

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"readiness/domain/verdict"
	"readiness/internal/lists"
)

// Hash returns the questionSetHash: "sha256:" and the hex digest of the canonical JSON
// of the questions. It covers ids, texts, expected answers, clusters, weights and whether
// rows are ordered. The order of questions and of their fields, the sources, the tags and
// the repeats do not affect it.
func (s Set) Hash() string {
	all := lists.Map(s.Questions, Question.canonical)
	slices.SortFunc(all, func(a, b canonicalQuestion) int {
		return cmp.Or(cmp.Compare(a.QuestionID, b.QuestionID), bytes.Compare(canonicalJSON(a), canonicalJSON(b)))
	})
	sum := sha256.Sum256(canonicalJSON(all))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// canonicalQuestion is the form of a question that is hashed: all members, sorted by
// name. Those that questions have not always had are absent when they say nothing, so
// that earlier hashes stay valid.
type canonicalQuestion struct {
	ClusterID  string            `json:"clusterId"`
	Expected   canonicalExpected `json:"expected"`
	Ordered    bool              `json:"ordered,omitempty"`
	QuestionID string            `json:"questionId"`
	Text       string            `json:"text"`
	Weight     float64           `json:"weight,omitempty"`
}

type canonicalExpected struct {
	Answer string           `json:"answer,omitempty"`
	DAX    string           `json:"dax"`
	Fields []canonicalField `json:"fields"`
	Value  string           `json:"value"`
}

type canonicalField struct {
	Name     string       `json:"name"`
	Operator string       `json:"operator"`
	Role     verdict.Role `json:"role"`
	Table    string       `json:"table"`
	Values   []string     `json:"values"`
}

func (q Question) canonical() canonicalQuestion {
	fields := make([]canonicalField, len(q.Expected.Fields))
	for i, f := range q.Expected.Fields {
		values := append([]string{}, f.Values...)
		slices.Sort(values)
		fields[i] = canonicalField{f.Name, f.Operator, f.Role, f.Table, values}
	}
	slices.SortFunc(fields, func(a, b canonicalField) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Operator, b.Operator), slices.Compare(a.Values, b.Values))
	})
	weight := q.Weight
	if weight == 1 {
		weight = 0
	}
	return canonicalQuestion{
		q.ClusterID, canonicalExpected{q.Expected.Answer, q.Expected.DAX, fields, q.Expected.Value}, q.Ordered, q.QuestionID, q.Text,
		weight,
	}
}

// canonicalJSON returns v without white space and without HTML escapes.
func canonicalJSON(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // cannot happen: v holds only texts and admitted weights
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
