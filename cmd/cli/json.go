package cli

import (
	"encoding/json"
	"io"
)

// WriteJSON writes indented JSON for programs and people; <, > and & stay as they are.
func WriteJSON(out io.Writer, v any) error {
	w := json.NewEncoder(out)
	w.SetEscapeHTML(false)
	w.SetIndent("", "  ")
	return w.Encode(v)
}
