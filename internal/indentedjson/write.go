// Package indentedjson writes JSON for programs and people.
package indentedjson

import (
	"encoding/json"
	"io"
)

// Write writes a value with an indentation of two spaces; <, > and & stay as they are.
func Write(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
