package goldenset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"readiness/domain"
	"readiness/domain/benchmark"
)

// readLines returns the rows of a file with a JSON object on each line.
func readLines(text []byte, faults *list) []row {
	var rows []row
	n := 0
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		n++
		line = bytes.TrimSuffix(line, []byte("\r"))
		if blank(string(line)) {
			continue
		}
		if len(rows) == benchmark.MaxQuestions {
			faults.add(tooMany(n))
			break
		}
		before := faults.count()
		r := readLine(n, line, faults)
		r.broken = faults.count() > before
		rows = append(rows, r)
		if faults.full() {
			break
		}
	}
	return rows
}

// readLine returns the row of a JSON object. Its cells have the columns of their members.
func readLine(n int, line []byte, faults *list) row {
	r := row{line: n, cells: map[string]cell{}}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	column := func() int { // of what comes next
		at := min(int(d.InputOffset()), len(line))
		rest := bytes.TrimLeft(line[at:], " \t,:")
		return utf8.RuneCount(line[:len(line)-len(rest)]) + 1
	}
	broken := func() row {
		faults.add(Fault{n, column(), "", "this is not JSON; a line holds one object, and texts stand in quotes"})
		return r
	}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		faults.add(Fault{n, 1, "", "the line is no JSON object"})
		return r
	}
	for d.More() {
		at := column()
		key, err := d.Token()
		if err != nil {
			return broken()
		}
		name := key.(string) // a key of an object is a text
		var value any
		if err := d.Decode(&value); err != nil {
			return broken()
		}
		known := slices.Contains(names, name)
		_, twice := r.cells[name]
		switch {
		case !known:
			faults.add(Fault{n, at, "", fmt.Sprintf("there is no member %q; the members are %s", domain.Excerpt(name),
				strings.Join(names, ", "))})
		case twice:
			faults.add(Fault{n, at, name, "the member is there twice"})
		default:
			c, why := cellOf(name, value)
			c.column = at
			if why != "" {
				faults.add(Fault{n, at, name, why})
			} else if !blank(c.text) || c.tags != nil {
				r.cells[name] = c
			}
		}
	}
	if _, err := d.Token(); err != nil {
		return broken()
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		faults.add(Fault{n, column(), "", "something stands after the object"})
	}
	return r
}

// cellOf returns the cell of a member's value, or why it has another type than the member.
func cellOf(name string, value any) (c cell, why string) {
	switch v := value.(type) {
	case nil:
		return c, ""
	case string:
		if name != weight && name != ordered && name != tags && name != fields {
			return cell{text: v}, ""
		}
	case json.Number:
		switch w, err := v.Float64(); {
		case name == expectedValue:
			return cell{text: v.String()}, ""
		case name == weight && err == nil && w >= 0:
			return cell{text: strconv.FormatFloat(w, 'f', -1, 64)}, ""
		case name == weight:
			return c, fmt.Sprintf("%s is not above 0 and at most %d", domain.Excerpt(v.String()), benchmark.MaxWeight)
		}
	case bool:
		if name == ordered {
			return cell{text: strconv.FormatBool(v)}, ""
		}
	case []any:
		switch name {
		case tags:
			return tagsOf(v)
		case fields:
			text, err := json.Marshal(v)
			if err != nil {
				return c, "cannot be read"
			}
			return cell{text: string(text)}, ""
		}
	}
	return c, "is not " + typeOf[name]
}

// typeOf are the types of the members.
var typeOf = map[string]string{
	question: "a text", expectedAnswer: "a text", expectedValue: "a text or a number", query: "a text", cluster: "a text",
	weight: "a number", ordered: "true or false", tags: "a list of texts", questionID: "a text", source: "a text",
	fields: "a list of fields",
}

func tagsOf(values []any) (c cell, why string) {
	if len(values) > benchmark.MaxTags {
		return c, fmt.Sprintf("holds %d tags; a question has at most %d", len(values), benchmark.MaxTags)
	}
	for _, v := range values {
		tag, ok := v.(string)
		if !ok {
			return c, "is not a list of texts"
		}
		c.tags = append(c.tags, tag)
	}
	return c, ""
}
