package rewrite

import (
	"fmt"

	"readiness/definition/semanticmodel"
)

// unread is Unread.
func (r *reading) unread(p Property) error {
	var hidden semanticmodel.Aspect
	switch p {
	case Instructions:
		hidden = semanticmodel.Instructions
	case Visibility, Synonyms:
		hidden = semanticmodel.Schema
		if !r.hasCopilot { // a new folder Copilot would take precedence over it
			hidden |= semanticmodel.Entities
		}
	case QnAEnabled:
		hidden = semanticmodel.QnASetting
	case Description, DisplayFolder, SummarizeBy: // of objects
	}
	if u := r.model.Hiding(hidden); u != nil {
		return fmt.Errorf("%s; correct it first, as a write could replace what it says", u)
	}
	return nil
}
