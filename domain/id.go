package domain

import (
	"github.com/google/uuid"
)

// ParseID reads an id as the interface writes it: a UUID of 36 characters, in
// whatever letter case. Another text names nothing (decisions 8.12).
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == len("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") // the one form of this length
}
