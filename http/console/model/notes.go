package model

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/http/console/page"
	"readiness/internal/optional"
)

const (
	// maxNotes is how many notes the page shows: all that a model can have. maxMembers bounds the choice of an owner.
	maxNotes   = 100
	maxMembers = 500
)

// people is what the page says of the owner and of what people wrote.
type people struct {
	Owner *client.AccountMember
	// Members can be chosen as the owner: the reader first, then the others by name.
	Members []client.AccountMember
	Notes   []note
	// Refused says why they could not be read.
	Refused string
}

// note is a note on the model, and whether the reader may change or remove it.
type note struct {
	client.Note
	MayRemove bool
}

// about reads the owner and the notes of the model. If they are refused, the rest of the page is still shown.
func (c *content) about(ctx context.Context, api *client.Service) error {
	var owner *client.GetOwnerResponse
	var members *client.ListMembersResponse
	var notes *client.ListNotesResponse
	var account *client.GetAccountResponse
	// A failed call does not cancel the others: the service would log a canceled call as an internal error.
	var together errgroup.Group
	together.Go(func() (err error) { owner, err = api.GetOwnerWithResponse(ctx, c.Workspace, c.Model); return err })
	together.Go(func() (err error) {
		members, err = api.ListMembersWithResponse(ctx, &client.ListMembersParams{MaxResults: new(maxMembers)})
		return err
	})
	together.Go(func() (err error) {
		notes, err = api.ListNotesWithResponse(ctx, c.Workspace, c.Model, &client.ListNotesParams{MaxResults: new(maxNotes)})
		return err
	})
	together.Go(func() (err error) { account, err = api.GetAccountWithResponse(ctx); return err })
	err := together.Wait()
	if message, ok := refusal(err); ok {
		c.People.Refused = message
		return nil
	}
	if err != nil {
		return err
	}
	c.People.Owner, c.People.Members = owner.JSON200.Owner, members.JSON200.Value
	slices.SortFunc(c.People.Members, func(a, b client.AccountMember) int {
		switch {
		case a.You:
			return -1
		case b.You:
			return 1
		}
		return cmp.Compare(optional.Text(a.Person), optional.Text(b.Person))
	})
	for _, n := range notes.JSON200.Value {
		c.People.Notes = append(c.People.Notes, note{n, n.Author.You || account.JSON200.API.Role == client.Admin})
	}
	return nil
}

// Chosen reports whether a member is the owner.
func (p people) Chosen(m client.AccountMember) bool {
	return p.Owner != nil && p.Owner.PersonID == m.PersonID
}

// toNotes leads back to the part of the page with owner and notes.
func toNotes(v *page.Visit, w, m uuid.UUID) error {
	return v.See("/models/" + w.String() + "/" + m.String() + "#people")
}

// sent returns the ids of the page and the fields of a form.
func sent(v *page.Visit) (w, m uuid.UUID, form url.Values, err error) {
	if w, m, err = ids(v); err == nil {
		form, err = v.Form()
	}
	return w, m, form, err
}

// setOwner sets the chosen owner, or none.
func setOwner(v *page.Visit) error {
	w, m, form, err := sent(v)
	if err != nil {
		return err
	}
	if chosen := form.Get("person"); chosen == "" {
		_, err = v.API.RemoveOwnerWithResponse(v.Request.Context(), w, m)
	} else {
		_, err = v.API.SetOwnerWithResponse(v.Request.Context(), w, m, client.SetOwnerRequest{Person: &chosen})
	}
	if err != nil {
		return err
	}
	return toNotes(v, w, m)
}

// addNote adds a note.
func addNote(v *page.Visit) error {
	w, m, form, err := sent(v)
	if err != nil {
		return err
	}
	if _, err := v.API.AddNoteWithResponse(v.Request.Context(), w, m, client.NoteRequest{Text: lines(form.Get("text"))}); err != nil {
		return err
	}
	return toNotes(v, w, m)
}

// lines returns what was typed into a field with lines, which browsers send with two characters between them.
func lines(typed string) string { return strings.ReplaceAll(typed, "\r\n", "\n") }

// changeNote gives a note another text, or removes it.
func changeNote(v *page.Visit) error {
	w, m, form, err := sent(v)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(v.Request.PathValue("n"))
	if err != nil {
		return page.NotFound
	}
	if form.Get("do") == "remove" {
		_, err = v.API.RemoveNoteWithResponse(v.Request.Context(), w, m, id)
	} else {
		_, err = v.API.ChangeNoteWithResponse(v.Request.Context(), w, m, id, client.NoteRequest{Text: lines(form.Get("text"))})
	}
	if err != nil {
		return err
	}
	return toNotes(v, w, m)
}
