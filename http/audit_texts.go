package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// modelTexts are the members of events that contain texts of a model, before and after a write. The log keeps them
// for reverts.
var modelTexts = map[string]bool{"previous": true, "written": true, "lines": true, "bytes": true, "escaped": true, "made": true}

// withoutTexts returns an event's data with texts of a model replaced by null. Lists of events do not check on the
// platform whether the caller may see the model, so they must not show its texts (docs/decisions.md 3). The data of
// other events is returned unchanged.
func withoutTexts(eventType string, data json.RawMessage) (json.RawMessage, error) {
	if !strings.HasPrefix(eventType, "optimization.") {
		return data, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("http: the data of an event %s: %w", eventType, err)
	}
	if !withhold(root) {
		return data, nil
	}
	return json.Marshal(root)
}

// withhold replaces the texts in value by nil and reports whether there were any.
func withhold(value any) (found bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if modelTexts[name] && member != nil {
				v[name], found = nil, true
			} else if withhold(member) {
				found = true
			}
		}
	case []any:
		for _, element := range v {
			found = withhold(element) || found
		}
	}
	return found
}
