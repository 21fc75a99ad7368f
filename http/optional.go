package http

import (
	"encoding/json"
	"fmt"
)

// optional reads a member of a body that may be absent, null, or a value: absent is false, and null is nil. The body was held
// against its schema.
func optional[T any](member string, raw json.RawMessage) (value *T, there bool, err error) {
	if raw == nil {
		return nil, false, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, true, fmt.Errorf("http: %s: %w", member, err)
	}
	return value, true, nil
}
