package rules

import (
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/spelling"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rules/meanings"
)

// consistency detects lines that contradict each other, or a name of the model (rule INS-11).
type consistency struct {
	*facts
	read    meanings.Meanings
	terms   map[string]finding.Subject // by the words of the term
	borne   prose.Set                  // the words of the names of tables, columns and measures
	present map[string]bool            // lines, under norm
	text    string                     // the current instructions, under norm
}

func (f *facts) newConsistency(current string) *consistency {
	c := &consistency{
		facts: f, read: meanings.Of(f.src), terms: map[string]finding.Subject{}, borne: f.names(), present: map[string]bool{},
		text: spelling.FoldSpace(current),
	}
	for _, one := range c.read.In(current) {
		if _, known := c.terms[one.Words]; !known {
			c.terms[one.Words] = one.Measure
		}
	}
	return c
}

// takes reports whether a line can be added to the text and the lines before. A line is left out if the text
// has it, if it gives a measure the term of another one, and if it gives a measure a name that another object of the
// model has, even with other signs.
func (c *consistency) takes(line string) bool {
	key := spelling.FoldSpace(line)
	if c.present[key] || c.text != "" && strings.Contains(c.text, key) {
		return false
	}
	meant := c.read.In("- " + line)
	for _, one := range meant {
		if of, known := c.terms[one.Words]; known && of != one.Measure || c.borne[one.Words] {
			return false
		}
	}
	for _, one := range meant {
		c.terms[one.Words] = one.Measure
	}
	c.present[key] = true
	return true
}
