package answerset

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/domain/verdict"
)

// rowsOf reads the rows that an answer says its query gave: a JSON list of lists, objects or values, as a text or decoded; nil if it is
// none, or too long.
func rowsOf(v any) *verdict.ResultSet {
	if text, ok := v.(string); ok {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if len(text) > maxText || d.Decode(&v) != nil {
			return nil
		}
	}
	list, ok := v.([]any)
	if !ok || len(list) > maxRows {
		return nil
	}
	set := &verdict.ResultSet{Rows: make([][]verdict.Value, len(list))}
	for i, row := range list {
		var cells []any
		switch row := row.(type) {
		case []any:
			cells = row
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(row)) {
				cells = append(cells, row[name])
			}
		default:
			cells = []any{row}
		}
		for _, cell := range cells {
			value, ok := valueOf(cell)
			if !ok || len(set.Rows[i]) == maxRows {
				return nil
			}
			set.Rows[i] = append(set.Rows[i], value)
		}
	}
	return set
}

func valueOf(v any) (verdict.Value, bool) {
	switch v := v.(type) {
	case nil:
		return verdict.Value{}, true
	case bool:
		return verdict.Boolean(v), true
	case string:
		return verdict.Text(v), true
	case json.Number:
		x, err := v.Float64()
		return verdict.Number(x), err == nil
	}
	return verdict.Value{}, false
}

// isQuery reports whether a text is a DAX query.
func isQuery(text string) bool { return len(text) <= maxText && dax.IsQuery(text) }

// fenced returns the content of the last code block of a text that is a DAX query; without such a block the text.
func fenced(text string) string {
	parts := strings.Split(text, "```")
	for i := len(parts) - 2; i > 0; i-- {
		if i%2 == 0 {
			continue
		}
		body := strings.TrimSpace(parts[i])
		for _, language := range []string{"dax", "DAX"} {
			body = strings.TrimSpace(strings.TrimPrefix(body, language))
		}
		if isQuery(body) {
			return body
		}
	}
	return text
}

// decoded returns a value of JSON with its numbers as they are written; nil if it is not JSON.
func decoded(text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
