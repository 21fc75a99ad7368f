package goldenset

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"readiness/definition/textfile"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// Read returns the questions of a file, in its order. The error is a *Faults. The
// questions are well formed except for ids, which Set.Admit gives to those without.
func Read(f Format, file []byte) ([]benchmark.Question, error) { return ReadChecked(f, file, nil) }

// ReadChecked is Read, and refuses questions with which check finds a fault, at their query. A nil check finds none.
func ReadChecked(f Format, file []byte, check func(benchmark.Question) (why string)) ([]benchmark.Question, error) {
	text, fault := admitBytes(file)
	if fault != nil {
		return nil, &Faults{All: []Fault{*fault}}
	}
	faults := &list{}
	var rows []row
	if f == CSV {
		rows = readCSV(text, faults)
	} else {
		rows = readLines(text, faults)
	}
	all := make([]benchmark.Question, 0, len(rows))
	known := seen{ids: map[string]int{}, texts: map[string]first{}}
	for _, r := range rows {
		q := r.question(faults)
		known.check(r, q, faults)
		all = append(all, q)
	}
	if check != nil && faults.count() == 0 { // a file whose form is wrong is not checked further
		for i, q := range all {
			if why := check(q); why != "" {
				faults.add(rows[i].fault(query, why))
			}
		}
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &Faults{All: []Fault{{1, 1, "", "there is no question; remove the saved set with an empty list in JSON"}}}
	}
	return all, nil
}

// admitBytes returns the file without a byte order mark, or why it is not read at all.
func admitBytes(file []byte) ([]byte, *Fault) {
	if len(file) > MaxBytes {
		return nil, &Fault{1, 1, "", fmt.Sprintf("the file has %d bytes; at most %d are read", len(file), MaxBytes)}
	}
	if d := textfile.Check(file); d != nil {
		return nil, &Fault{d.Line, d.Column, "", d.Message}
	}
	return textfile.Trim(file), nil
}

// seen are the questions read so far.
type seen struct {
	ids   map[string]int // line by id
	texts map[string]first
}

type first struct {
	line int
	id   bool // the question has an id
}

// check adds a fault for an id that is taken, and for a text that is there twice without
// ids that distinguish the two.
func (s seen) check(r row, q benchmark.Question, faults *list) {
	if q.QuestionID != "" {
		if line, taken := s.ids[q.QuestionID]; taken {
			faults.add(r.fault(questionID, fmt.Sprintf("is also the id of line %d; ids must be unique", line)))
		} else {
			s.ids[q.QuestionID] = r.line
		}
	}
	if q.Text == "" {
		return
	}
	key := strings.ToLower(strings.Join(strings.Fields(q.Text), " "))
	before, twice := s.texts[key]
	switch {
	case !twice:
		s.texts[key] = first{r.line, q.QuestionID != ""}
	case !before.id || q.QuestionID == "":
		faults.add(r.fault(question, fmt.Sprintf("is also the question of line %d; for paraphrases write other words and the same cluster",
			before.line)))
	}
}

// fault returns a fault of the row's cell; of the line if the cell is blank.
func (r row) fault(name, why string) Fault {
	return Fault{r.line, max(1, r.cells[name].column), name, why}
}

// columnOf are the names of a question's members in a file.
var columnOf = map[string]string{
	"text": question, "questionId": questionID, "clusterId": cluster, "source": source, "weight": weight, "tags": tags,
	"expected.answer": expectedAnswer, "expected.value": expectedValue, "expected.dax": query, "expected.fields": fields,
}

// question returns the question of the row, and adds its faults.
func (r row) question(faults *list) (q benchmark.Question) {
	before := faults.count()
	q = benchmark.Question{
		Text: r.cells[question].text, QuestionID: r.cells[questionID].text, ClusterID: r.cells[cluster].text, Tags: r.tags(),
		Expected: benchmark.Expected{Answer: r.cells[expectedAnswer].text, Value: r.cells[expectedValue].text,
			DAX: strings.ReplaceAll(r.cells[query].text, "\r\n", "\n")},
	}
	for _, read := range []struct {
		name string
		of   func(text string, q *benchmark.Question) (why string)
	}{{weight, readWeight}, {ordered, readOrdered}, {source, readSource}, {fields, readFields}} {
		if c, ok := r.cells[read.name]; ok {
			if why := read.of(c.text, &q); why != "" {
				faults.add(r.fault(read.name, why))
			}
		}
	}
	if r.broken || faults.count() > before {
		return q
	}
	member, why := q.Fault()
	switch {
	case why == "":
	case member == "expected":
		faults.add(r.fault("", "says nothing of the correct answer; fill in expectedValue, dax or expectedAnswer"))
	default:
		top, _, _ := strings.Cut(member, "[")
		faults.add(r.fault(columnOf[top], why))
	}
	return q
}

func (r row) tags() []string {
	c := r.cells[tags]
	if c.tags != nil || blank(c.text) {
		return c.tags
	}
	var all []string
	for tag := range strings.SplitSeq(c.text, ";") {
		if tag = strings.TrimSpace(tag); tag != "" {
			all = append(all, tag)
		}
	}
	return all
}

var (
	decimal      = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	decimalComma = regexp.MustCompile(`^[0-9]+,[0-9]+$`)
)

func readWeight(text string, q *benchmark.Question) string {
	text = strings.TrimSpace(text)
	w, err := strconv.ParseFloat(text, 64)
	switch {
	case decimalComma.MatchString(text):
		return fmt.Sprintf("%s has a comma; write %s", text, strings.ReplaceAll(text, ",", "."))
	case !decimal.MatchString(text) || err != nil:
		return fmt.Sprintf("%q is not a number such as 2 or 0.5", domain.Excerpt(text))
	case w == 0:
		return fmt.Sprintf("is 0; a weight is above 0 and at most %d", benchmark.MaxWeight)
	case w != 1:
		q.Weight = w
	}
	return ""
}

func readOrdered(text string, q *benchmark.Question) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "1":
		q.Ordered = true
	case "false", "no", "0":
	default:
		return fmt.Sprintf("%q is neither true nor false", domain.Excerpt(text))
	}
	return ""
}

func readSource(text string, q *benchmark.Question) string {
	for _, s := range []benchmark.Source{benchmark.Generated, benchmark.Customer} {
		if strings.EqualFold(strings.TrimSpace(text), string(s)) {
			q.Source = s
			return ""
		}
	}
	return fmt.Sprintf("%q is neither %s nor %s", domain.Excerpt(text), benchmark.Generated, benchmark.Customer)
}

func readFields(text string, q *benchmark.Question) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var all []verdict.Field
	if err := d.Decode(&all); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Sprintf("is not a list of fields: %s is a %s", wrong.Field, wrong.Value)
		}
		return "is not a list of fields in JSON"
	}
	if d.More() {
		return "holds more than a list of fields in JSON"
	}
	q.Expected.Fields = all
	return ""
}
