package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
	"readiness/domain/proposal/textcheck"
)

const instructTask = `You write the AI instructions of a semantic model: Markdown that explains to an AI how to answer questions with the model. You are given a draft and facts about the model. Write the draft better: clearer, in the order of importance, with what the facts add.
- 800 to 3000 characters of English, with headings (## Time, ## Key measures, ## Defaults, ## Terms and others that the draft has) and short lists.
- Keep every date, calculation group and field parameter that the draft explains, which measure to use for what, what a term means, and what the default is.
- Name fields as 'Table'[Field] or [Measure], only ones that are in the data. Use brackets for nothing else. No links, code or HTML.
- Claim only what follows from the data. Answer with the Markdown alone.`

// instructVersion is raised when instructTask or untrusted changes.
const instructVersion = "instructions/1"

// minInstructions is the shortest length of useful instructions, in characters (rule INS-02).
const minInstructions = 200

// maxFacts bounds the facts in one question, in bytes.
const maxFacts = 60_000

// Instruct asks the model to rewrite the part of a draft that the model's AI instructions do not have
// yet; existing instructions stay unchanged. If no answer can be used, text is "" and why is the
// reason; else origin is the request that was answered.
func (c *Client) Instruct(ctx context.Context, m *semanticmodel.Model, draft string) (text, why string, origin *proposal.Origin,
	err error) {
	kept := keptOf(m, draft)
	added := draft[len(kept):]
	check := func(addition string) string { return checkInstructions(m, kept, added, addition) }

	about := struct {
		Present string       `json:"instructionsThatStay,omitempty"`
		Draft   string       `json:"draft"`
		Tables  []tableFacts `json:"tables"`
	}{Present: kept, Draft: added}
	sent := 0
	for _, t := range m.Tables {
		if t.IsUnseen() {
			continue
		}
		of := c.facts(m).table(t.Name)
		if sent += len(data(of)); sent > maxFacts {
			break
		}
		about.Tables = append(about.Tables, of)
	}
	q := question{system: instructTask + "\n\n" + untrusted, turns: []string{data(about)}}
	if strings.TrimSpace(kept) != "" {
		q.turns[0] += "\n\nThe instructions that stay are kept as they are, and your answer is added after them: do not repeat them."
	}
	problem := ""
	for range 2 {
		answer, err := c.ask(ctx, q)
		if f, ok := errors.AsType[*failure](err); ok {
			if f.class <= malformed && problem == "" {
				return "", "", nil, c.refuse(f)
			}
			return "", f.what, nil, nil
		} else if err != nil {
			return "", "", nil, err
		}
		addition := markdown(answer)
		if problem = check(addition); problem == "" {
			c.answers.keep(q, answer)
			if strings.Contains(draft, "\r\n") {
				addition = strings.ReplaceAll(addition, "\n", "\r\n")
			}
			return kept + addition, "", c.origin(instructVersion, q), nil
		}
		q.turns = append(slices.Clone(q.turns), answer, "It could not be used: your answer "+problem+". Write it again.")
	}
	return "", "its text " + problem, nil, nil
}

// keptOf returns the start of a draft that the model already has, including the blank lines after it.
func keptOf(m *semanticmodel.Model, draft string) string {
	current := instructionsOf(m)
	rest, ok := strings.CutPrefix(draft, current)
	if !ok || strings.TrimSpace(current) == "" {
		return ""
	}
	return draft[:len(draft)-len(strings.TrimLeft(rest, "\r\n"))]
}

// instructionsOf returns the model's AI instructions.
func instructionsOf(m *semanticmodel.Model) string {
	if m.Copilot.Instructions != nil {
		return *m.Copilot.Instructions
	}
	var first *semanticmodel.Culture
	for i := range m.Cultures {
		c := &m.Cultures[i]
		if c.CustomInstructions == nil {
			continue
		}
		if c.Name == m.Culture {
			return *c.CustomInstructions
		}
		if first == nil || c.Name < first.Name {
			first = c
		}
	}
	if first == nil {
		return ""
	}
	return *first.CustomInstructions
}

// markdown returns the text of an answer without its code fence.
func markdown(answer string) string {
	text := strings.TrimSpace(strings.ReplaceAll(answer, "\r\n", "\n"))
	if body, ok := strings.CutPrefix(text, "```"); ok {
		if body, ok = strings.CutSuffix(body, "\n```"); ok && !strings.Contains(body, "```") {
			if _, body, ok = strings.Cut(body, "\n"); ok {
				text = strings.TrimSpace(body)
			}
		}
	}
	return text
}

// checkInstructions returns what is wrong with the text that replaces the draft's addition, to follow
// "your answer"; "" when nothing is.
func checkInstructions(m *semanticmodel.Model, kept, added, addition string) string {
	n := utf8.RuneCountInString(kept) + utf8.RuneCountInString(addition) + strings.Count(addition, "\n")
	switch {
	case addition == "":
		return "is empty"
	case strings.ContainsFunc(addition, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
	}):
		return "holds a control character"
	case n > proposal.MaxInstructions:
		return fmt.Sprintf("makes %d characters, and at most %d are wanted", n, proposal.MaxInstructions)
	case kept == "" && n < minInstructions:
		return fmt.Sprintf("has %d characters, and at least %d are wanted", n, minInstructions)
	}
	if unknown := textcheck.Of(m).Unknown(addition); len(unknown) > 0 {
		return "names fields that the model does not have: " + shortText(strings.Join(unknown, ", "))
	}
	if textcheck.Names(added) && !textcheck.Names(addition) {
		return "names no field in brackets"
	}
	for _, t := range m.Tables { // rule INS-06
		name := spelling.FoldSpace(t.Name)
		if explained(t) && strings.Contains(spelling.FoldSpace(added), name) && !strings.Contains(spelling.FoldSpace(addition), name) {
			return "leaves out " + shortName(t.Name)
		}
	}
	return ""
}

// explained reports whether instructions must name the table.
func explained(t semanticmodel.Table) bool {
	return t.CalculationGroup != nil || slices.ContainsFunc(t.Columns, func(c semanticmodel.Column) bool {
		_, ok := c.ExtendedProperties["ParameterMetadata"]
		return ok
	})
}
