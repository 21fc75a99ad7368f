package upgrade

import (
	"errors"
	"fmt"
	"strings"

	"readiness/definition"
	"readiness/definition/semanticmodel"
)

// maxTaken bounds the linguistic schemas of which questions and losses are counted, in bytes: that holds all of one in memory.
const maxTaken = 16 << 20

// Inventory counts what a model's linguistic schemas, of all cultures, hold for an AI.
type Inventory struct {
	// Synonyms counts those that a person wrote.
	Synonyms int `json:"synonyms"`
	// Suggested counts the synonyms that the platform suggested and nobody accepted.
	Suggested int `json:"suggestedSynonyms"`
	// Generated counts the synonyms that the platform made of names, and Deleted those that a person deleted.
	Generated int `json:"generatedSynonyms"`
	Deleted   int `json:"deletedSynonyms"`
	// Entities counts the entries that are bound to an object of the model.
	Entities int `json:"entities"`
	// Hidden counts the objects that a person hid from Q&A.
	Hidden int `json:"hiddenObjects"`
	// Relationships counts the relationships between entries, and Phrasings those of them that a person wrote.
	Relationships int `json:"relationships"`
	Phrasings     int `json:"phrasings"`
	// Questions counts the suggested questions.
	Questions int `json:"suggestedQuestions"`
	// Instructions is true with AI instructions, also in the folder Copilot.
	Instructions bool `json:"instructions"`
	// Invalid says why a linguistic schema cannot be read, which stops the platform's own upgrade; "" if all can.
	Invalid string `json:"invalid,omitempty"`
	// Losses counts what an upgrade does not carry over; absent if there is nothing to upgrade, or it was not tried.
	Losses *int `json:"losses,omitempty"`
}

// Take returns the inventory of a model.
func Take(d definition.Definition, m *semanticmodel.Model) (i Inventory) {
	i.Instructions = m.Copilot.Instructions != nil
	for _, c := range m.Cultures {
		i.Phrasings, i.Relationships, i.Entities = i.Phrasings+c.Phrasings, i.Relationships+c.Relationships, i.Entities+len(c.Entities)
		i.Instructions = i.Instructions || c.CustomInstructions != nil
		for _, e := range c.Entities {
			if e.VisibilityState == "Authored" && e.Visibility == "Hidden" {
				i.Hidden++
			}
			for _, t := range e.Terms {
				switch {
				case t.Authored():
					i.Synonyms++
				case t.State == "Suggested":
					i.Suggested++
				case t.State == "Deleted":
					i.Deleted++
				default:
					i.Generated++
				}
			}
		}
	}
	for _, one := range m.Unread {
		if one.Hides&(semanticmodel.Synonyms|semanticmodel.Entities) != 0 && !strings.HasPrefix(one.File, "Copilot/") {
			i.Invalid = fmt.Sprintf("%s:%d: %s", one.File, max(one.Line, 1), one.Message)
		}
	}
	written, err := linguistic(d)
	size := 0
	for _, text := range written {
		size += len(text)
	}
	if err != nil || i.Invalid != "" || size > maxTaken {
		return i
	}
	for culture, text := range written {
		s, err := read(text)
		if err != nil {
			i.Invalid = fmt.Sprintf("the culture %s: %v", culture, err)
			return i
		}
		i.Questions += len(s.questions)
	}
	if r, err := Make(d, m, Options{}); err == nil {
		i.Losses = new(len(r.Lost))
	} else if errors.Is(err, ErrNothing) && len(written) > 0 {
		i.Losses = new(0)
	}
	return i
}
