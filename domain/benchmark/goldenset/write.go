package goldenset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/spreadsheet"
	"readiness/domain/verdict"
)

// Write returns the questions as a file. Read gives the same questions again, except
// fields that follow from a question's query, which saving derives again: a person who
// edits the query need not edit them.
func Write(f Format, questions []benchmark.Question) ([]byte, error) {
	if f == CSV {
		return writeCSV(questions)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for _, q := range questions {
		err := e.Encode(object{
			Question: q.Text, ExpectedAnswer: q.Expected.Answer, ExpectedValue: q.Expected.Value, DAX: q.Expected.DAX, Cluster: q.ClusterID,
			Weight: q.Weight, Ordered: q.Ordered, Tags: q.Tags, QuestionID: q.QuestionID, Source: q.Source, Fields: needed(q),
		})
		if err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// object is a question in JSON lines.
type object struct {
	Question       string           `json:"question"`
	ExpectedAnswer string           `json:"expectedAnswer,omitempty"`
	ExpectedValue  string           `json:"expectedValue,omitempty"`
	DAX            string           `json:"dax,omitempty"`
	Cluster        string           `json:"cluster,omitempty"`
	Weight         float64          `json:"weight,omitempty"`
	Ordered        bool             `json:"ordered,omitempty"`
	Tags           []string         `json:"tags,omitempty"`
	QuestionID     string           `json:"questionId,omitempty"`
	Source         benchmark.Source `json:"source,omitempty"`
	Fields         []verdict.Field  `json:"fields,omitempty"`
}

// writeCSV writes a byte order mark first, by which spreadsheets recognize UTF-8.
func writeCSV(questions []benchmark.Question) ([]byte, error) {
	head := names
	if !slices.ContainsFunc(questions, func(q benchmark.Question) bool { return needed(q) != nil }) {
		head = names[:len(names)-1]
	}
	out := bytes.NewBufferString("\ufeff")
	w := csv.NewWriter(out)
	records := [][]string{head}
	for _, q := range questions {
		record := []string{
			q.Text, q.Expected.Answer, q.Expected.Value, q.Expected.DAX, q.ClusterID, "", "", strings.Join(q.Tags, "; "), q.QuestionID,
			string(q.Source), "",
		}
		if q.Weight != 0 {
			record[5] = strconv.FormatFloat(q.Weight, 'f', -1, 64)
		}
		if q.Ordered {
			record[6] = "true"
		}
		if all := needed(q); all != nil {
			text, err := json.Marshal(all)
			if err != nil {
				return nil, err
			}
			record[10] = string(text)
		}
		for i, text := range record {
			record[i] = spreadsheet.Guard(text)
		}
		records = append(records, record[:len(head)])
	}
	err := w.WriteAll(records)
	return out.Bytes(), err
}

// needed returns the fields of a question's answer; nil if they follow from its query.
func needed(q benchmark.Question) []verdict.Field {
	read, ok := modelquery.Parse(q.Expected.DAX)
	if len(q.Expected.Fields) == 0 || ok && sameFields(q.Expected.Fields, read.Fields()) {
		return nil
	}
	return q.Expected.Fields
}

// sameFields reports whether fields of an answer are those of its query. A query names
// measures without their table.
func sameFields(of, read []verdict.Field) bool {
	of = slices.Clone(of)
	for i, f := range of {
		if f.Role == verdict.MeasureField || f.Operator == modelquery.Top || f.Operator == modelquery.Bottom {
			if f.Table == "" {
				return false
			}
			of[i].Table = ""
		}
	}
	hash := func(all []verdict.Field) string {
		return benchmark.Set{Questions: []benchmark.Question{{Expected: benchmark.Expected{Fields: all}}}}.Hash()
	}
	return hash(of) == hash(read)
}
