package goldenset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/spreadsheet"
)

// table reads the records of CSV with their places.
type table struct {
	*csv.Reader
	lines [][]byte
}

func newTable(text []byte) table {
	t := table{csv.NewReader(bytes.NewReader(text)), bytes.Split(text, []byte("\n"))}
	t.FieldsPerRecord = -1
	t.Comma = Separator(text)
	return t
}

// Separator returns what separates the cells of the header of CSV: a comma, or a semicolon or a tab as some spreadsheets write.
func Separator(text []byte) rune {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if blank(string(line)) {
			continue
		}
		best, most := ',', bytes.Count(line, []byte(","))
		for _, other := range ";\t" {
			if n := bytes.Count(line, []byte(string(other))); n > most {
				best, most = other, n
			}
		}
		return best
	}
	return ','
}

// next returns the next record; false at the end. A malformed record is a fault, and nil.
func (t table) next(faults *list) ([]string, bool) {
	record, err := t.Read()
	if errors.Is(err, io.EOF) {
		return nil, false
	}
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		why := "a quotation mark stands inside a cell without quotes; put the cell in quotes and double those inside"
		if errors.Is(wrong.Err, csv.ErrQuote) {
			why = "the quotes of a cell do not end, or something stands after them; double quotation marks inside a cell"
		}
		faults.add(Fault{wrong.Line, t.characters(wrong.Line, wrong.Column), "", why})
		return nil, true
	}
	return record, true
}

// at returns the place of a cell of the record read last.
func (t table) at(i int) (line, column int) {
	line, column = t.FieldPos(i)
	return line, t.characters(line, column)
}

// characters returns a column in characters for one in bytes.
func (t table) characters(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return 1
	}
	text := t.lines[line-1]
	return len([]rune(string(text[:min(max(0, column-1), len(text))]))) + 1
}

// readCSV returns the rows of a CSV file (RFC 4180).
func readCSV(text []byte, faults *list) []row {
	t := newTable(text)
	head := t.head(faults)
	if head == nil {
		return nil
	}
	var rows []row
	for !faults.full() {
		record, more := t.next(faults)
		if !more {
			break
		}
		if !slices.ContainsFunc(record, func(text string) bool { return !blank(text) }) {
			continue
		}
		line, _ := t.at(0)
		if len(rows) == benchmark.MaxQuestions {
			faults.add(tooMany(line))
			break
		}
		r := row{line: line, cells: map[string]cell{}}
		for i, text := range record {
			if blank(text) {
				continue
			}
			line, column := t.at(i)
			if i >= len(head) {
				faults.add(Fault{line, column, "", "this cell has no column; put a cell that holds a " + t.named() + " in quotes"})
				break
			}
			r.cells[head[i]] = cell{text: spreadsheet.Unguard(text), column: column}
		}
		rows = append(rows, r)
	}
	return rows
}

func (t table) named() string {
	switch t.Comma {
	case ';':
		return "semicolon"
	case '\t':
		return "tab"
	}
	return "comma"
}

// head returns the names of the columns; nil if the header is faulty.
func (t table) head(faults *list) []string {
	record, more := t.next(faults)
	if !more {
		faults.add(Fault{1, 1, "", "the file is empty; its first line names the columns: " + strings.Join(names, ", ")})
	}
	if record == nil {
		return nil
	}
	found := len(faults.All)
	head := make([]string, len(record))
	for i, text := range record {
		line, column := t.at(i)
		n := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(text)) })
		switch {
		case n < 0:
			faults.add(Fault{line, column, "", fmt.Sprintf("there is no column %q; the columns are %s", domain.Excerpt(text),
				strings.Join(names, ", "))})
		case slices.Contains(head, names[n]):
			faults.add(Fault{line, column, names[n], "the column is there twice"})
		default:
			head[i] = names[n]
		}
	}
	if len(faults.All) > found {
		return nil
	}
	if !slices.Contains(head, question) {
		faults.add(Fault{1, 1, question, "the column is missing"})
	}
	if !slices.ContainsFunc(head, func(name string) bool {
		return slices.Contains([]string{expectedAnswer, expectedValue, query, fields}, name)
	}) {
		faults.add(Fault{1, 1, "", "a column is missing that says what is correct: expectedValue, dax or expectedAnswer"})
	}
	if len(faults.All) > found {
		return nil
	}
	return head
}
