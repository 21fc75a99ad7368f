package mcp

import (
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
)

// NewChange returns a change of a preview as agents see it.
func NewChange(c optimization.Change, recommended bool) Change {
	row := NewWritten(c.Key, string(c.Type), string(c.ObjectType), c.Current, &c.Proposed)
	return row.Why(c.Reason, c.ReviewRequired, recommended)
}

// Why returns the change with its reason, why it must be reviewed, and whether it is recommended.
func (c Change) Why(reason, review string, recommended bool) Change {
	c.Reason, c.Review, c.Recommended = clip(reason, maxText), clip(review, maxText), recommended
	return c
}

// NewWritten returns a text that is replaced as agents see it. A nil text is absent.
func NewWritten(key, kind, objectType string, now, then *string) Change {
	row := Change{Key: key, Common: Common{Type: kind, ObjectType: objectType}}
	if now != nil {
		row.Now = clip(*now, maxText)
	}
	if then != nil {
		row.Then = clip(*then, len(*then))
	}
	return row
}

// NewNeed returns a question to a person as agents see it.
func NewNeed(table, object string, kind proposal.ObjectType, question string) Need {
	key := optimization.KeyOf(proposal.Object{Table: table, Name: object, Type: kind})
	return Need{key, clip(question, maxText)}
}

// NewSkipped returns an object that was left unchanged as agents see it.
func NewSkipped(key, message string) SkippedRow {
	return SkippedRow{clip(key, maxText), clip(message, maxText)}
}

// NewView returns an object that an AI sees as agents see it.
func NewView(kind, table, name, description string, synonyms []string) ViewRow {
	row := ViewRow{Type: kind, Table: clip(table, maxName), Name: clip(name, maxText),
		Description: clip(description, readiness.MaxDescribed)}
	for _, s := range synonyms[:min(len(synonyms), maxSynonyms)] {
		row.Synonyms = append(row.Synonyms, clip(s, maxName))
	}
	return row
}

// maxSynonyms bounds the synonyms of an object in an output.
const maxSynonyms = 20
