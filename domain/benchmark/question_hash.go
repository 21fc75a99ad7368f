package benchmark

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"readiness/domain/comparison"
)

// Hash is the questionSetHash (spec 2.11): "sha256:" and the hex digest of the
// canonical JSON of the set's questions. It covers what is asked and what is known
// of the answers; the order of the questions and of their fields, where they come
// from and how often they are asked do not matter.
func (s Set) Hash() string {
	all := make([]canonicalQuestion, len(s.Questions))
	for i, q := range s.Questions {
		all[i] = q.canonical()
	}
	slices.SortFunc(all, func(a, b canonicalQuestion) int {
		return cmp.Or(cmp.Compare(a.QuestionID, b.QuestionID), bytes.Compare(canonicalJSON(a), canonicalJSON(b)))
	})
	sum := sha256.Sum256(canonicalJSON(all))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// canonicalQuestion is a question as its hash sees it: every member is there, in
// the order of their names.
type canonicalQuestion struct {
	ClusterID  string            `json:"clusterId"`
	Expected   canonicalExpected `json:"expected"`
	QuestionID string            `json:"questionId"`
	Text       string            `json:"text"`
}

type canonicalExpected struct {
	DAX    string           `json:"dax"`
	Fields []canonicalField `json:"fields"`
	Value  string           `json:"value"`
}

type canonicalField struct {
	Name     string          `json:"name"`
	Operator string          `json:"operator"`
	Role     comparison.Role `json:"role"`
	Table    string          `json:"table"`
	Values   []string        `json:"values"`
}

func (q Question) canonical() canonicalQuestion {
	fields := make([]canonicalField, len(q.Expected.Fields))
	for i, f := range q.Expected.Fields {
		values := append([]string{}, f.Values...)
		slices.Sort(values)
		fields[i] = canonicalField{f.Name, f.Operator, f.Role, f.Table, values}
	}
	slices.SortFunc(fields, func(a, b canonicalField) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Operator, b.Operator), slices.Compare(a.Values, b.Values))
	})
	return canonicalQuestion{q.ClusterID, canonicalExpected{q.Expected.DAX, fields, q.Expected.Value}, q.QuestionID, q.Text}
}

// canonicalJSON is v without white space and without the escapes that are only for
// HTML.
func canonicalJSON(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it holds texts only
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
