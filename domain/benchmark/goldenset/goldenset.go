// Package goldenset reads and writes sets of benchmark questions as files that people
// edit: CSV and JSON lines. Reading names every faulty cell with its line and column;
// a file with a fault gives no set. What is written reads back as the same set.
package goldenset

import (
	"fmt"
	"strings"

	"readiness/domain"
	"readiness/domain/benchmark"
)

// Format is the form of a file.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// The bounds of a file.
const (
	// MaxBytes is the size of the largest file that is read.
	MaxBytes = 1 << 20
	// MaxFaults is how many faults are listed; the others are counted.
	MaxFaults = 20
)

// The names of the columns of CSV, which are those of the members of JSON lines.
const (
	question       = "question"
	expectedAnswer = "expectedAnswer"
	expectedValue  = "expectedValue"
	query          = "dax"
	cluster        = "cluster"
	weight         = "weight"
	ordered        = "ordered"
	tags           = "tags"
	questionID     = "questionId"
	source         = "source"
	fields         = "fields"
)

// names are the columns in the order in which they are written. The last is written only
// when a question needs it.
var names = []string{question, expectedAnswer, expectedValue, query, cluster, weight, ordered, tags, questionID, source, fields}

// FormatOf returns the format that a file's name ends in; false for another ending.
func FormatOf(file string) (Format, bool) {
	switch lower := strings.ToLower(file); {
	case strings.HasSuffix(lower, ".csv"):
		return CSV, true
	case strings.HasSuffix(lower, ".jsonl"), strings.HasSuffix(lower, ".ndjson"):
		return JSONL, true
	}
	return "", false
}

// FormatOfMedia returns the format with the media type, in lower case and without
// parameters; false for another media type.
func FormatOfMedia(mediaType string) (Format, bool) {
	switch mediaType {
	case "text/csv":
		return CSV, true
	case "application/x-ndjson":
		return JSONL, true
	}
	return "", false
}

// MediaType returns the media type that the format is sent with.
func (f Format) MediaType() string {
	if f == CSV {
		return "text/csv"
	}
	return "application/x-ndjson"
}

// Fault is what is wrong at a place in a file.
type Fault struct {
	Line   int    // from 1
	Column int    // of the line, in characters from 1
	Name   string // of the column or member; "" when it concerns the line
	Why    string
}

// Place returns where the fault is, such as "line 3, column 7 (weight)".
func (f Fault) Place() string {
	at := fmt.Sprintf("line %d, column %d", f.Line, f.Column)
	if f.Name != "" {
		at += " (" + f.Name + ")"
	}
	return at
}

// Faults is the error of a file that cannot be read.
type Faults struct {
	All []Fault // in the order of the file, at most MaxFaults
	// More is how many further faults there are.
	More int
}

// Error implements error. Each fault is on a separate line.
func (f *Faults) Error() string {
	lines := []string{f.summary()}
	for _, one := range f.All {
		lines = append(lines, "  "+one.Place()+": "+one.Why)
	}
	if f.More > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", f.More))
	}
	return strings.Join(lines, "\n")
}

func (f *Faults) summary() string {
	if n := len(f.All) + f.More; n > 1 {
		return fmt.Sprintf("the questions have %d faults, and none is saved", n)
	}
	return "the questions have a fault, and none is saved"
}

// Refusal returns the faults as the refusal of a call, with a parameter for each.
func (f *Faults) Refusal() *domain.Refusal {
	r := domain.Refuse(domain.InvalidRequest, "%s: %s: %s", f.summary(), f.All[0].Place(), f.All[0].Why)
	for _, one := range f.All {
		r = r.About(one.Place(), one.Why)
	}
	return r
}

// list collects faults.
type list struct{ Faults }

func (l *list) add(f Fault) {
	if len(l.All) == MaxFaults {
		l.More++
		return
	}
	l.All = append(l.All, f)
}

func (l *list) count() int { return len(l.All) + l.More }

func (l *list) full() bool { return l.More > 0 }

func (l *list) err() error {
	if len(l.All) == 0 {
		return nil
	}
	return &l.Faults
}

// row is a question as a file has it: the cells that are not blank, by name.
type row struct {
	line  int
	cells map[string]cell
	// broken is true when its faults are known and the cells may be incomplete.
	broken bool
}

type cell struct {
	text   string
	column int
	tags   []string // of JSON lines
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

func tooMany(line int) Fault {
	return Fault{line, 1, "", fmt.Sprintf("is question %d; a set has at most %d", benchmark.MaxQuestions+1, benchmark.MaxQuestions)}
}
