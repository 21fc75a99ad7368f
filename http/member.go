package http

import (
	"encoding/json"
	"fmt"
)

// memberOf decodes a member that may be absent, null or a value. present is false when it is absent; value is nil
// when it is null. The body must have been validated against its schema.
func memberOf[T any](member string, raw json.RawMessage) (value *T, present bool, err error) {
	if raw == nil {
		return nil, false, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, true, fmt.Errorf("http: %s: %w", member, err)
	}
	return value, true, nil
}
