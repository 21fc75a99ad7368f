package verdict

import (
	"encoding/json"
	"time"
)

// Sample are the first rows of a result, for a reader: values as JSON, BLANK as null.
type Sample struct {
	Rows [][]Value `json:"rows"`
	// More is true if the result has more rows.
	More bool `json:"more,omitempty"`
}

// Sample returns the first n rows; nil without a result.
func (r *ResultSet) Sample(n int) *Sample {
	if r == nil {
		return nil
	}
	s := &Sample{Rows: r.Rows[:min(n, len(r.Rows))], More: r.Truncated || len(r.Rows) > n}
	if s.Rows == nil {
		s.Rows = [][]Value{}
	}
	return s
}

// MarshalJSON implements json.Marshaler. An infinity and a number that is none are texts.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case boolean:
		return json.Marshal(v.number == 1)
	case number:
		if v.exact.is {
			return []byte(v.exact.String()), nil
		}
		if text, err := json.Marshal(v.number); err == nil {
			return text, nil
		}
		return json.Marshal("not a finite number")
	case instant:
		return json.Marshal(time.UnixMicro(v.instant).UTC().Format("2006-01-02T15:04:05.999999"))
	case text:
		return json.Marshal(v.text)
	case blank:
	}
	return []byte("null"), nil
}
