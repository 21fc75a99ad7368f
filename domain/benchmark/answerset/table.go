package answerset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"readiness/domain"
	"readiness/domain/benchmark/goldenset"
	"readiness/domain/parquet"
	"readiness/domain/spreadsheet"
	"readiness/domain/verdict"
	"readiness/internal/lists"
)

// columns are the names of the columns that are read, in lower case without blanks, underscores and hyphens, and what they hold. Those of
// the evaluation SDK are among them.
var columns = map[string]string{
	"question": "question", "prompt": "question", "answer": "answer", "actualanswer": "answer", "response": "answer",
	"dax": "dax", "query": "dax", "rows": "rows", "seconds": "seconds", "executiontimesec": "seconds", "duration": "seconds",
	"error": "error", "status": "status", "who": "who", "agent": "who", "answeredby": "who", "cached": "cached", "turn": "turn",
	"at": "at", "date": "at", "runtimestamp": "at", "runtime": "runtime", "stage": "stage", "dataagentstage": "stage",
	"questionid": "questionId", "id": "id", "threadid": "thread", "evaluationjudgement": "claimed", "dataagentetag": "definition",
	"daxsteps": "steps", "definition": "definition",
}

// known are further columns of the evaluation SDK, of which nothing is read, and of golden questions.
var known = []string{
	"evaluationid", "threadurl", "evaluationmessage", "evaluationstatus", "evaluationthreadurl", "dataagentversion", "dataagentlastupdated",
	"dataagentconfiguration", "datasources", "expectedanswer", "expectedvalue", "runid", "functionnames", "functionqueries", "functionoutputs",
	"sqlsteps", "kqlsteps", "tags", "cluster", "weight", "ordered", "source",
}

func columnName(text string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(strings.TrimSpace(text)))
}

// readCSV reads a table with a header.
func (f *File) readCSV(data []byte) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.Comma, r.ReuseRecord = -1, goldenset.Separator(data), true
	record, err := r.Read()
	if err != nil {
		return faultOf(err)
	}
	head, err := f.head("its first line", record)
	if err != nil {
		return err
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return faultOf(err)
		}
		line, _ := r.FieldPos(0)
		for i, text := range record {
			record[i] = spreadsheet.Unguard(text)
		}
		if !f.record(line, head, record) {
			return nil
		}
	}
}

// readParquet reads a table with its columns' names. Rows count as the lines of a table of text do.
func (f *File) readParquet(data []byte) error {
	table, err := parquet.Open(data)
	if err != nil {
		return err
	}
	head, err := f.head("its schema", lists.Map(table.Columns, func(c parquet.Column) string { return c.Name }))
	if err != nil {
		return err
	}
	for i, c := range table.Columns {
		if c.Unread != "" && head[i] != "" {
			f.note("The column %q is not read: %s.", domain.Excerpt(c.Name), c.Unread)
		}
	}
	line := 1
	for record, err := range table.Rows(func(column int) bool { return head[column] != "" }) {
		if err != nil {
			return err
		}
		if line++; !f.record(line, head, record) {
			return nil
		}
	}
	return nil
}

// head returns what each column of a table holds, and sets the kind of the file.
func (f *File) head(where string, names []string) ([]string, error) {
	head, sdk := make([]string, len(names)), false
	for i, name := range names {
		short := columnName(name)
		head[i] = columns[short]
		sdk = sdk || short == "actualanswer"
		switch {
		case head[i] == "" && !slices.Contains(known, short) && short != "":
			f.note("The column %q is not read.", domain.Excerpt(name))
		case head[i] != "" && slices.Contains(head[:i], head[i]):
			return nil, fmt.Errorf("%s: two columns hold the %s, one of them %q", where, head[i], domain.Excerpt(name))
		}
	}
	has := func(name string) bool { return slices.Contains(head, name) }
	switch {
	case has("steps") && has("id") && !has("question"):
		f.Kind = Steps
	case !has("question") || !has("answer") && !has("dax") && !has("error"):
		return nil, fmt.Errorf("%s (%s) names no columns question and answer%s", where, domain.Excerpt(strings.Join(names, ", ")), expected)
	case sdk:
		f.Kind = SDK
	default:
		f.Kind = Table
	}
	return head, nil
}

// record adds a row of a table; false if no more are read.
func (f *File) record(line int, head, record []string) bool {
	cells := map[string]any{}
	for i, text := range record {
		if i < len(head) && head[i] != "" && !blank(text) {
			cells[head[i]] = strings.Clone(text)
		}
	}
	if f.Kind == Steps {
		f.step(cells)
		return true
	}
	return f.row(line, cells)
}

// faultOf names the place of a fault of CSV.
func faultOf(err error) error {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d, column %d: the quotes of a cell do not end, or stand inside one; put the cell in quotes and double those inside",
			wrong.Line, wrong.Column)
	}
	return err
}

// readLines reads a file with a JSON object on each line. Lines that are not read are counted and named.
func (f *File) readLines(data []byte) error {
	if json.Valid(data) { // one object, on however many lines
		data = compacted([]json.RawMessage{data})[0]
	}
	f.Kind = Table
	n, found, broken := 0, 0, 0
	unknown := map[string]bool{}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		cells, why := members(line)
		if why != "" {
			if broken++; broken == 1 {
				f.note("Line %d is not read: %s.", n, why)
			}
			continue
		}
		if _, kept := cells["answer"].(map[string]any); kept && cells["key"] != nil {
			return errors.New("readiness lift keeps answers in it, about several versions of a model: give it to lift as --asks" + expected)
		}
		row := map[string]any{}
		for name, value := range cells {
			short := columnName(name)
			switch column := columns[short]; {
			case column != "" && value != nil:
				row[column] = value
			case column == "" && !slices.Contains(known, short) && !unknown[short]:
				unknown[short] = true
				f.note("The member %q is not read.", domain.Excerpt(name))
			}
		}
		if row["question"] == nil {
			if broken++; broken == 1 {
				f.note("Line %d is not read: it has no question.", n)
			}
			continue
		}
		found++
		if !f.row(n, row) {
			break
		}
	}
	if broken > 1 {
		f.note("%d further lines are not read.", broken-1)
	}
	if found == 0 {
		return errors.New("no line is a JSON object with a question" + expected)
	}
	return nil
}

// members returns the members of a JSON object, or why they are not read.
func members(line []byte) (all map[string]any, why string) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, "it is no JSON object"
	}
	all = map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, "it is not JSON"
		}
		name := key.(string) // a key of an object is a text
		if _, twice := all[name]; twice {
			return nil, fmt.Sprintf("the member %q is there twice", domain.Excerpt(name))
		}
		var value any
		if d.Decode(&value) != nil {
			return nil, "it is not JSON"
		}
		all[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, "it is not JSON"
	}
	return all, ""
}

// row adds the answer of a row; false if the file holds too many.
func (f *File) row(line int, cells map[string]any) bool {
	cell := func(name string) string { return textOf(cells[name]) }
	a := Answer{Question: cell("question"), QuestionID: cell("questionId"), Line: line,
		By: By{Who: cell("who"), Runtime: cell("runtime"), Stage: cell("stage"), Definition: cell("definition")}}
	if blank(a.Question) {
		if !blank(cell("answer")) {
			f.note("Line %d is not read: it has no question.", line)
		}
		return true
	}
	if a.By.Named = a.By.Who != ""; !a.By.Named {
		a.By.Who = f.Name
	}
	a.Text, a.Query = cell("answer"), cell("dax")
	if f.Kind == SDK {
		a.Query = fenced(a.Query)
		if f.steps == nil {
			f.steps = map[string]string{}
		}
		f.steps[strconv.Itoa(len(f.Answers))] = cell("id") // joined with the steps by Join
	}
	if text := cell("seconds"); text != "" {
		if s, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64); err == nil && s >= 0 && s < 1e6 {
			a.Seconds = &s
		} else {
			f.note("Line %d: %q is no number of seconds.", line, domain.Excerpt(text))
		}
	}
	if rows, ok := cells["rows"]; ok {
		if a.Rows = rowsOf(rows); a.Rows == nil {
			f.note("Line %d: its rows are not read; they are a JSON list of at most %d rows.", line, maxRows)
		}
	}
	a.Cached = yes(cell("cached"))
	a.Turn, _ = strconv.Atoi(cell("turn"))
	a.At = timeOf(cells["at"])
	if why := cell("error"); why != "" {
		a.Failure = &verdict.Failure{Code: "error", Message: domain.Excerpt(why)}
	} else if s := strings.ToLower(cell("status")); s == "failed" || s == "expired" || s == "cancelled" || s == "incomplete" {
		a.Failure = &verdict.Failure{Code: s, Message: "the run " + s}
	} else if blank(a.Text) && blank(a.Query) {
		a.Failure = &verdict.Failure{Code: "empty", Message: "there is no answer"}
	}
	if c := strings.ToLower(cell("claimed")); c == "true" || c == "false" {
		a.Claimed = new(c == "true")
	}
	return f.add(a)
}

// step keeps the last query of the steps of a question.
func (f *File) step(cells map[string]any) {
	if f.steps == nil {
		f.steps = map[string]string{}
	}
	if query := lastOfList(textOf(cells["steps"])); query != "" && len(f.steps) < MaxAnswers {
		f.steps[textOf(cells["id"])] = query
	}
}

// Join gives the answers of the evaluation SDK the queries of its steps, which are a file of their own.
func Join(files []*File) {
	queries := map[string]string{}
	for _, f := range files {
		if f.Kind == Steps {
			for id, query := range f.steps {
				queries[id] = query
			}
		}
	}
	for _, f := range files {
		if f.Kind != SDK {
			continue
		}
		joined := 0
		for i := range f.Answers {
			if query := queries[f.steps[strconv.Itoa(i)]]; query != "" && f.Answers[i].Query == "" {
				f.Answers[i].Query = query
				f.bound(&f.Answers[i])
				joined++
			}
		}
		if joined < len(f.Answers) {
			f.note("%d of its %d answers have no query: give the table of steps too (its name ends in _steps).", len(f.Answers)-joined, len(f.Answers))
		}
	}
}

// lastOfList returns the last query of a list as Python prints it: ['None', 'EVALUATE …'].
func lastOfList(text string) string {
	last := ""
	for i := 0; i < len(text); i++ {
		quote := text[i]
		if quote != '\'' && quote != '"' {
			continue
		}
		var b strings.Builder
		for i++; i < len(text) && text[i] != quote; i++ {
			if text[i] != '\\' || i+1 == len(text) {
				b.WriteByte(text[i])
				continue
			}
			switch i++; text[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
			default:
				b.WriteByte(text[i])
			}
		}
		if query := fenced(b.String()); isQuery(query) {
			last = query
		}
	}
	return last
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

func yes(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "true" || text == "yes" || text == "1"
}

// textOf returns a scalar of JSON or CSV as text.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// timeOf reads a time: seconds since 1970, or as texts have it; zero if it cannot be read.
func timeOf(v any) time.Time {
	text := strings.TrimSpace(textOf(v))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 && seconds < 1e13 {
		if seconds > 1e11 { // milliseconds
			seconds /= 1000
		}
		return time.UnixMicro(int64(seconds * 1e6)).UTC()
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
