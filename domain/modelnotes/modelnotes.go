// Package modelnotes holds who looks after a semantic model in an account, and the notes
// that its people wrote about it (docs/decisions.md 26).
package modelnotes

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

const (
	// MaxText is how many characters a note has at most.
	MaxText = 2000
	// MaxNotes is how many notes a model has at most.
	MaxNotes = 100
)

// Note is a note on a model.
type Note struct {
	NoteID uuid.UUID
	By     item.PersonID
	Text   string
}

// Notes are the owner of a model, "" for nobody, and its notes, oldest first.
type Notes struct {
	Owner item.PersonID
	Notes []Note
}

// Stream returns the name of the stream of a model's owner and notes in an account.
func Stream(accountID string, modelID uuid.UUID) string {
	return "modelnotes-" + accountID + "-" + modelID.String()
}

// OwnerSet records who looks after the model from now on.
type OwnerSet struct {
	ModelID uuid.UUID `json:"semanticModelId"`
	// Owner is the person who looks after the model.
	Owner item.PersonID `json:"owner"`
}

// OwnerRemoved records that nobody looks after the model any longer.
type OwnerRemoved struct {
	ModelID uuid.UUID `json:"semanticModelId"`
}

// Added records a new note.
type Added struct {
	ModelID uuid.UUID `json:"semanticModelId"`
	// NoteID is the note.
	NoteID uuid.UUID `json:"noteId"`
	// By is the person who wrote the note.
	By item.PersonID `json:"by"`
	// Text is what the person wrote.
	Text string    `json:"text" pii:"text"`
	At   time.Time `json:"atUtc"`
}

// Changed records a new text of a note.
type Changed struct {
	ModelID uuid.UUID `json:"semanticModelId"`
	// NoteID is the note.
	NoteID uuid.UUID `json:"noteId"`
	// Text is what its author wrote.
	Text string    `json:"text" pii:"text"`
	At   time.Time `json:"atUtc"`
}

// Removed records that a note was removed.
type Removed struct {
	ModelID uuid.UUID `json:"semanticModelId"`
	// NoteID is the note.
	NoteID uuid.UUID `json:"noteId"`
}

func (OwnerSet) EventType() string     { return "modelnotes.owner-set" }
func (OwnerRemoved) EventType() string { return "modelnotes.owner-removed" }
func (Added) EventType() string        { return "modelnotes.added" }
func (Changed) EventType() string      { return "modelnotes.changed" }
func (Removed) EventType() string      { return "modelnotes.removed" }

// Evolve returns the state after e.
func Evolve(s Notes, e domain.Event) Notes {
	switch e := e.(type) {
	case OwnerSet:
		s.Owner = e.Owner
	case OwnerRemoved:
		s.Owner = ""
	case Added:
		s.Notes = append(slices.Clip(s.Notes), Note{NoteID: e.NoteID, By: e.By, Text: e.Text})
	case Changed:
		s.Notes = slices.Clone(s.Notes)
		if i := s.index(e.NoteID); i >= 0 {
			s.Notes[i].Text = e.Text
		}
	case Removed:
		s.Notes = slices.DeleteFunc(slices.Clone(s.Notes), func(n Note) bool { return n.NoteID == e.NoteID })
	}
	return s
}

func (s Notes) index(id uuid.UUID) int {
	return slices.IndexFunc(s.Notes, func(n Note) bool { return n.NoteID == id })
}

// find returns a note of the model, or refuses with NoteNotFound.
func (s Notes) find(modelID, id uuid.UUID) (Note, error) {
	if i := s.index(id); i >= 0 {
		return s.Notes[i], nil
	}
	return Note{}, NotFound(modelID, id)
}

// NotFound returns the refusal of an id that names no note on the model in the account.
func NotFound(modelID, id uuid.UUID) *domain.Refusal {
	return domain.Refuse(domain.NoteNotFound, "semantic model %s has no note %s in this account", modelID, id).About("noteId", id)
}

// SetOwner sets who looks after a model; Owner "" means nobody.
type SetOwner struct {
	ModelID uuid.UUID
	Owner   item.PersonID
}

func (c SetOwner) Decide(s Notes) ([]domain.Event, error) {
	switch c.Owner {
	case s.Owner:
		return nil, nil
	case "":
		return []domain.Event{OwnerRemoved{c.ModelID}}, nil
	}
	return []domain.Event{OwnerSet(c)}, nil
}

// Member returns the person whom a caller names as the owner: the only one of the found that is a member of the account. It
// refuses with InvalidRequest if none is, or several are.
func Member(name string, found []item.PersonID, isMember func(item.PersonID) bool) (item.PersonID, error) {
	members := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(found))), func(p item.PersonID) bool { return !isMember(p) })
	switch len(members) {
	case 0:
		return "", domain.Refuse(domain.InvalidRequest, "the account has no member %s", domain.Excerpt(name)).About("person", domain.Excerpt(name))
	case 1:
		return members[0], nil
	}
	return "", domain.Refuse(domain.InvalidRequest, "%d members of the account are called %s; name the personId of one", len(members),
		domain.Excerpt(name)).About("person", domain.Excerpt(name))
}

// CheckText refuses what is no text of a note.
func CheckText(text string) error {
	n := utf8.RuneCountInString(text)
	if strings.TrimSpace(text) == "" || n > MaxText {
		return domain.Refuse(domain.InvalidRequest, "text must have 1 to %d characters, and not only white space; this one has %d", MaxText, n).
			About("member", "text")
	}
	return nil
}

// Add adds a note. It refuses with InvalidRequest when the model has MaxNotes.
type Add struct{ Added }

func (c Add) Decide(s Notes) ([]domain.Event, error) {
	if err := CheckText(c.Text); err != nil {
		return nil, err
	}
	if len(s.Notes) >= MaxNotes {
		return nil, domain.Refuse(domain.InvalidRequest, "semantic model %s has %d notes, as many as a model can have; remove one first",
			c.ModelID, MaxNotes).About("limit", MaxNotes)
	}
	return []domain.Event{c.Added}, nil
}

// Change gives a note of By another text. Nothing happens when it has that text.
type Change struct {
	Changed
	By item.PersonID
}

func (c Change) Decide(s Notes) ([]domain.Event, error) {
	if err := CheckText(c.Text); err != nil {
		return nil, err
	}
	note, err := s.find(c.ModelID, c.NoteID)
	switch {
	case err != nil:
		return nil, err
	case note.By != c.By:
		return nil, domain.Refuse(domain.InvalidRequest, "note %s is another person's, and only its author can change it", c.NoteID).
			About("noteId", c.NoteID)
	case note.Text == c.Text:
		return nil, nil
	}
	return []domain.Event{c.Changed}, nil
}

// Remove removes a note of By or, for an administrator, of anyone.
type Remove struct {
	Removed
	By    item.PersonID
	Admin bool
}

func (c Remove) Decide(s Notes) ([]domain.Event, error) {
	note, err := s.find(c.ModelID, c.NoteID)
	if err != nil {
		return nil, err
	}
	if note.By != c.By && !c.Admin {
		return nil, domain.Refuse(domain.AdminRoleRequired,
			"note %s is another person's; only its author or an administrator of the account can remove it", c.NoteID).About("noteId", c.NoteID)
	}
	return []domain.Event{c.Removed}, nil
}
