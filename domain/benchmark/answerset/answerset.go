// Package answerset reads files with answers that an AI gave to questions about a model, whoever asked: tables, diagnostics of data agents,
// tables of the platform's evaluation SDK, runs of the service and earlier evaluations. Diagnostics have no published form, so what is not
// understood in them is counted and named, and never guessed.
package answerset

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"readiness/definition/textfile"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/parquet"
	"readiness/domain/verdict"
)

// The bounds of a file.
const (
	// MaxBytes is the size of the largest file that is read.
	MaxBytes = 64 << 20
	// MaxImport is the size of all files that the service takes in one call.
	MaxImport = 32 << 20
	// MaxAnswers is how many answers of a file are read.
	MaxAnswers = 10_000
	// MaxQuery is the length of the longest query that is read, in bytes.
	MaxQuery = 20_000
	// maxText is how much of an answer is kept, in bytes: as much as is compared.
	maxText = 64 << 10
	// maxRows is how many rows an answer may state that its query gave.
	maxRows = 1000
)

// Kind is what a file is.
type Kind string

// The kinds.
const (
	Table       Kind = "table"
	Diagnostics Kind = "diagnostics of a data agent"
	SDK         Kind = "table of the evaluation SDK"
	Steps       Kind = "steps of the evaluation SDK"
	Run         Kind = "run of the service"
	Evaluation  Kind = "evaluation"
)

// File is what was read of a file.
type File struct {
	Name    string   `json:"file"`
	Kind    Kind     `json:"kind"`
	Answers []Answer `json:"-"`
	// Notes are sentences about what was left out or not understood.
	Notes []string `json:"notes,omitempty"`

	// Model is the hash of the model's definition, and Judging the way of judging, of an earlier evaluation; "" for other files.
	Model   string `json:"-"`
	Judging string `json:"-"`
	// Judge is the language model that judged for an earlier evaluation or a run; nil for none.
	Judge *verdict.Judge `json:"-"`

	steps map[string]string // queries of the evaluation SDK by the id of their question
}

// By is who answered, as far as the file says. Answers with the same By are of one answerer.
type By struct {
	Who string `json:"who"`
	// Runtime and Stage are those of a data agent; "" if the file does not say.
	Runtime string `json:"runtime,omitempty"`
	Stage   string `json:"stage,omitempty"`
	// Definition is a hash or version of what the answerer was configured with; "" if it is not known.
	Definition string `json:"definition,omitempty"`
	// Named is true if the file says who answered; else Who is the file's name.
	Named bool `json:"named,omitempty"`
}

// String returns who answered, in full.
func (b By) String() string {
	all := []string{b.Who}
	for _, one := range []struct{ what, is string }{{"", b.Stage}, {"runtime ", b.Runtime}, {"definition ", b.Definition}} {
		if one.is != "" {
			all = append(all, one.what+one.is)
		}
	}
	return strings.Join(all, ", ")
}

// Answer is an answer to a question.
type Answer struct {
	Question, QuestionID string
	By                   By
	verdict.Answer
	// Failure says why there is no answer; nil with one.
	Failure *verdict.Failure
	// Seconds is how long it took; nil if that is not known.
	Seconds *float64
	// Cached is true if it came from a cache.
	Cached bool
	At     time.Time // zero if unknown
	// Turn is the place of the question in its conversation, from 1; 0 if unknown.
	Turn int
	// Line is the line of a table; 0 for other files.
	Line int
	// Stored is what an earlier evaluation or the service decided; nil without.
	Stored *verdict.Ask
	// Of is the question as Stored has it.
	Of *benchmark.Question
	// Claimed is the verdict of the evaluation SDK; nil without one.
	Claimed *bool
}

// expected is the end of the error about a file that is not read.
const expected = "; expected is a table with the columns question and answer (CSV or JSON lines), diagnostics of a data agent (JSON), a table of " +
	"the evaluation SDK (CSV or Parquet), what readiness client benchmark result --json printed, or what readiness evaluate --format json printed"

// Read reads a file, which it recognizes by its content. The error says what is wrong and what was expected.
func Read(name string, data []byte) (*File, error) {
	f := &File{Name: name}
	switch {
	case len(data) > MaxBytes:
		return nil, fmt.Errorf("it is larger than %d MB, the most that is read", MaxBytes>>20)
	case parquet.Is(data):
		if err := f.readParquet(data); err != nil {
			return nil, fmt.Errorf("it is a Parquet file, and %w", err)
		}
		return f.bounded(), nil
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return nil, errors.New("it is a workbook or an archive; save the sheet as CSV (UTF-8), or unpack it")
	}
	if d := textfile.Check(data); d != nil {
		return nil, fmt.Errorf("line %d, column %d: %s", d.Line, d.Column, d.Message)
	}
	data = bytes.TrimSpace(textfile.Trim(data))
	if len(data) == 0 {
		return nil, errors.New("it is empty" + expected)
	}
	var err error
	switch {
	case data[0] == '[':
		err = f.readList(data)
	case data[0] != '{':
		err = f.readCSV(data)
	case json.Valid(data):
		err = f.readObject(data)
	default:
		err = f.readLines(data)
	}
	if err != nil {
		return nil, err
	}
	return f.bounded(), nil
}

// Content returns a file as a call sends it: its text, and a Parquet file as Base64.
func Content(data []byte) string {
	if parquet.Is(data) {
		return base64.StdEncoding.EncodeToString(data)
	}
	return string(data)
}

// ReadGiven reads a file that a call sent (Content). It refuses one that holds no answers by its name.
func ReadGiven(name, text string) (*File, error) {
	name = domain.Excerpt(name)
	data := []byte(text)
	if strings.HasPrefix(text, "UEFSM") { // PAR1 in Base64; no table begins so
		if packed, err := base64.StdEncoding.DecodeString(text); err == nil {
			data = packed
		}
	}
	f, err := Read(name, data)
	if err != nil {
		return nil, domain.Refuse(domain.InvalidRequest, "%s: %s", name, err)
	}
	return f, nil
}

// bounded cuts what is too long in the answers.
func (f *File) bounded() *File {
	for i := range f.Answers {
		f.bound(&f.Answers[i])
	}
	return f
}

// bound cuts what is too long, and says so.
func (f *File) bound(a *Answer) {
	if len(a.Query) > MaxQuery {
		f.note("A query of %d bytes is not read: at most %d are (%s).", len(a.Query), MaxQuery, domain.Excerpt(a.Question))
		a.Query = ""
	}
	if len(a.Text) > maxText {
		a.Text = strings.ToValidUTF8(a.Text[:maxText], "")
		f.note("Of an answer only the first 64 KB are read (%s).", domain.Excerpt(a.Question))
	}
	a.Question = strings.TrimSpace(a.Question)
}

// maxNotes is how many notes a file has at most.
const maxNotes = 20

func (f *File) note(format string, args ...any) {
	switch text := fmt.Sprintf(format, args...); {
	case len(f.Notes) < maxNotes:
		f.Notes = append(f.Notes, text)
	case len(f.Notes) == maxNotes:
		f.Notes = append(f.Notes, "There is more of this kind.")
	}
}

// add adds an answer; false if the file holds too many.
func (f *File) add(a Answer) bool {
	if len(f.Answers) == MaxAnswers {
		f.note("Only the first %d answers are read.", MaxAnswers)
		return false
	}
	f.Answers = append(f.Answers, a)
	return true
}

// readObject reads a single JSON object.
func (f *File) readObject(data []byte) error {
	var has map[string]json.RawMessage
	if err := json.Unmarshal(data, &has); err != nil {
		return fmt.Errorf("it is not read as JSON: %w", err)
	}
	var schema string
	_ = json.Unmarshal(has["schema"], &schema) // another type is another schema
	switch {
	case strings.HasPrefix(schema, "evaluation/"):
		return f.readEvaluation(data)
	case strings.HasPrefix(schema, "benchmark-run/"):
		return f.readRun(data)
	case has["document"] != nil && has["run"] != nil:
		return f.readRun(has["document"])
	case isDiagnostics(has):
		return f.readDiagnostics(data)
	case has["question"] != nil || has["Question"] != nil:
		return f.readLines(data)
	}
	return errors.New("it is JSON of another kind" + expected)
}

func isDiagnostics(has map[string]json.RawMessage) bool {
	return has["thread"] != nil || has["threads"] != nil || has["config"] != nil && has["datasources"] != nil
}

// readList reads a JSON list of diagnostics, or of rows of a table.
func (f *File) readList(data []byte) error {
	var all []json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("it is not read as JSON: %w", err)
	}
	var has map[string]json.RawMessage
	if len(all) > 0 && json.Unmarshal(all[0], &has) == nil && isDiagnostics(has) {
		for _, one := range all {
			if err := f.readDiagnostics(one); err != nil {
				return err
			}
		}
		return nil
	}
	return f.readLines(bytes.Join(compacted(all), []byte("\n")))
}

// compacted returns JSON values on one line each.
func compacted(all []json.RawMessage) [][]byte {
	lines := make([][]byte, len(all))
	for i, one := range all {
		var b bytes.Buffer
		_ = json.Compact(&b, one) // it is valid
		lines[i] = b.Bytes()
	}
	return lines
}
