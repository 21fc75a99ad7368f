package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// modelTexts are the members of events that hold texts of a model: what a write replaced and what it wrote. The log keeps them for a
// revert.
var modelTexts = map[string]bool{"previous": true, "written": true, "lines": true, "bytes": true, "escaped": true, "made": true}

// withoutTexts is an event's data as lists show it, which ask the platform nothing and so may not show what only those may read
// who see the model (decisions 9.9): null stands where there is a text of the model. The data of other events is as it is stored.
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

// withhold puts null for the texts in a value, and says whether there were any.
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
