package semanticmodel

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/textfile"
)

// Aspect is a set of what a definition says in addition to its objects.
type Aspect uint16

// The aspects. Exposure is what the AI data schema shows and hides of the objects; Entities
// are the visibilities of a linguistic schema; Answers is which verified answers there are; Indexing is
// whether values are indexed; Prompts are the example prompts.
const (
	Instructions Aspect = 1 << iota
	Schema
	Exposure
	Synonyms
	Entities
	Answers
	TriggerPhrases
	AnswerFields
	QnASetting
	Indexing
	Prompts

	ofCopilot = Instructions | ofSchema | TriggerPhrases | AnswerFields | Indexing | Prompts
	ofSchema  = Schema | Exposure | Synonyms
	// NotShown is what a platform that keeps the Copilot parts back does not show.
	NotShown = Instructions | Schema | Synonyms | Answers | TriggerPhrases | AnswerFields | QnASetting |
		Indexing | Prompts
)

// Unread is a part of the definition, or a text in one, that is there and cannot be
// understood. What it says is unknown; it is never taken for absent.
type Unread struct {
	Notice
	// Hides is what is unknown because of it.
	Hides Aspect
}

// Faults returns what a person should correct in the files: what cannot be understood, and what
// Power BI refuses.
func (m *Model) Faults() []Notice {
	all := make([]Notice, 0, len(m.Unread)+len(m.Notices))
	for _, u := range m.Unread {
		all = append(all, u.Notice)
	}
	return append(all, m.Notices...)
}

// RefusedPlaces returns the notices as lines: at most that many, and then how many more there are.
func (m *Model) RefusedPlaces(most int) (lines []string) {
	for _, n := range m.Notices[:min(most, len(m.Notices))] {
		lines = append(lines, n.String())
	}
	if more := len(m.Notices) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("Power BI would refuse %d more places of this model", more))
	}
	return lines
}

// Unknown returns what is unknown of the model, because a part cannot be understood or the
// platform does not show it.
func (m *Model) Unknown() Aspect {
	var all Aspect
	if m.Copilot.NotVisible {
		all = NotShown
	}
	for _, u := range m.Unread {
		all |= u.Hides
	}
	return all
}

// Hiding returns the first part that hides any of the aspects; nil if none does.
func (m *Model) Hiding(a Aspect) *Unread {
	i := slices.IndexFunc(m.Unread, func(u Unread) bool { return u.Hides&a != 0 })
	if i < 0 {
		return nil
	}
	return &m.Unread[i]
}

// unreadable collects the parts that cannot be understood.
type unreadable struct{ all []Unread }

// add records why a part cannot be understood; nothing if err is nil.
func (u *unreadable) add(file string, err error, hides Aspect) {
	if err == nil {
		return
	}
	one := Unread{Notice{Source{file, 1}, 1, err.Error()}, hides}
	if at, ok := err.(*jsonpart.Error); ok { //nolint:errorlint // readers return it unwrapped
		one.Line, one.Column, one.Message = max(at.Line, 1), max(at.Column, 1), at.Message
	}
	u.all = append(u.all, one)
}

// objectPart returns a reader of a part that must be a JSON object, or why it is none.
func objectPart(file string, data []byte) (*jsonpart.Reader, error) {
	r, err := jsonpart.New(file, data)
	if err != nil {
		return nil, err
	}
	if r.Kind() != '{' {
		r.Fail("an object is expected here")
		return nil, r.Err()
	}
	return r, nil
}

// The parts below Copilot/ that say how the others are read, and the small ones.
const (
	copilotVersion      = "Copilot/version.json"
	instructionsVersion = "Copilot/Instructions/version.json"
	answersVersion      = "Copilot/VerifiedAnswers/version.json"
	examplePrompts      = "Copilot/examplePrompts.json"
	copilotSettings     = "Copilot/settings.json"
)

// others checks the parts that say how the others are read, and the small ones.
func (u *unreadable) others(d definition.Definition) {
	for _, p := range d.Parts {
		switch is := func(name string) bool { return strings.EqualFold(p.Path, name) }; {
		case is(copilotVersion):
			u.add(p.Path, checkVersion(p), ofCopilot)
		case is(instructionsVersion):
			u.add(p.Path, checkVersion(p), Instructions)
		case is(answersVersion):
			u.add(p.Path, checkVersion(p), TriggerPhrases|AnswerFields)
		case is(examplePrompts):
			u.add(p.Path, checkMembers(p, map[string]byte{"prompts": '['}), Prompts)
		case is(copilotSettings):
			u.add(p.Path, checkMembers(p, nil), Indexing)
		}
	}
}

// checkVersion returns why a version.json does not say that its folder has a known form.
func checkVersion(p definition.Part) error {
	r, err := objectPart(p.Path, p.Data)
	if err != nil {
		return err
	}
	for member := range r.Object() {
		if member != "version" {
			continue
		}
		if version, ok := r.Text(); ok && !strings.HasPrefix(version, "1.") {
			r.Fail("the version %q is not known; version 1 is", version)
		}
	}
	return r.Err()
}

// checkMembers returns why a part is no JSON object, or has a member of another kind than known.
func checkMembers(p definition.Part, known map[string]byte) error {
	r, err := objectPart(p.Path, p.Data)
	if err != nil {
		return err
	}
	for member := range r.Object() {
		if kind := r.Kind(); known[member] != 0 && kind != known[member] && kind != 'n' {
			r.Fail("the member %s has another kind than expected", member)
		}
	}
	return r.Err()
}

// CheckPlatformFile returns why the .platform of an item's folder cannot be understood; nil if it can.
func CheckPlatformFile(data []byte) error {
	return checkMembers(definition.Part{Path: ".platform", Data: data}, map[string]byte{"metadata": '{', "config": '{'})
}

// instructionsText returns the text of the AI instructions, or why they cannot be read.
func instructionsText(p definition.Part) (*string, error) {
	if damage := textfile.Replaced(p.Data); damage != nil {
		return nil, &jsonpart.Error{File: p.Path, Line: damage.Line, Column: damage.Column, Message: damage.Message}
	}
	text := strings.ToValidUTF8(string(textfile.Trim(p.Data)), "\ufffd")
	return &text, nil
}

// linguistic records why a linguistic schema cannot be understood. XML is the form of models
// before AI instructions, so it hides none.
func (u *unreadable) linguistic(file string, content []byte, err error) {
	hides := Synonyms | Entities
	if bytes.HasPrefix(bytes.TrimSpace(textfile.Trim(content)), []byte("<")) {
		hides = Synonyms
		if at, ok := err.(*jsonpart.Error); ok { //nolint:errorlint // readers return it unwrapped
			at.Message = "this linguistic schema is XML, so its synonyms are not read; save the model in Power BI, which writes JSON"
		}
	}
	u.add(file, err, hides)
}

// hideInstructions marks the linguistic schemas that may hold the AI instructions: those of a
// model for which nothing else is known to take precedence.
func (u *unreadable) hideInstructions(m *Model) {
	if m.Copilot.Instructions != nil || slices.ContainsFunc(m.Cultures, func(c Culture) bool {
		return c.Name == m.Culture && c.CustomInstructions != nil
	}) {
		return
	}
	for i := range u.all {
		if u.all[i].Hides&Entities != 0 {
			u.all[i].Hides |= Instructions
		}
	}
}

// sorted returns the unread parts in the order of their places.
func (u *unreadable) sorted() []Unread {
	slices.SortStableFunc(u.all, func(a, b Unread) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return u.all
}
