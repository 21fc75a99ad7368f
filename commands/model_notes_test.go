package commands_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/modelnotes"
	"readiness/eventstore"
	"readiness/projections"
)

// members declares accounts with people, and returns how each person calls.
func (s *service) members(t *testing.T, accountID string, names ...string) (callers []commands.Caller) {
	t.Helper()
	_, err := s.Accounts.Apply(t.Context(), []account.Declaration{declaration(accountID, names...)})
	check(t, err)
	for _, name := range names {
		in, err := s.Views.Members(t.Context(), item.Person{ID: name})
		check(t, err)
		for _, m := range in {
			if m.AccountID == accountID {
				c := s.Person(accountID, name, account.Team)
				c.PersonID = m.Person.Person
				callers = append(callers, c)
			}
		}
	}
	return callers
}

// The owner of a model is a member that a call names, or its caller, and is nobody's again; each is recorded once, and shown to the account
// alone.
//
// proves: decisions/26/owner decisions/26/idempotent
func TestSetOwner(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	both := s.members(t, "contoso", "ana", "bob")
	s.members(t, "other", "olaf")
	ana, bob := both[0], both[1]
	owner := func(accountID string, of uuid.UUID) string {
		t.Helper()
		p, err := s.Views.Owner(t.Context(), accountID, of)
		check(t, err)
		if p == nil {
			return ""
		}
		return p.Name
	}
	for _, tt := range []struct {
		name string
		set  bool
		want string
	}{{"", false, ""}, {"", true, "ana"}, {"bob", true, "bob"}, {string(ana.PersonID), true, "ana"}, {"", false, ""}, {"bob", true, "bob"}} {
		check(t, s.ModelNotes.SetOwner(t.Context(), ana, retail, model(0), tt.name, tt.set))
		if got := owner("contoso", model(0)); got != tt.want {
			t.Errorf("set %v to %q: got %q, want %q", tt.set, tt.name, got, tt.want)
		}
		before := s.Left(t)
		check(t, s.ModelNotes.SetOwner(t.Context(), ana, retail, model(0), tt.name, tt.set))
		s.Unchanged(t, before)
	}
	if owner("other", model(0)) != "" || owner("contoso", model(1)) != "" {
		t.Error("another account, or another model, has the owner")
	}
	for name, c := range map[string]struct {
		by               commands.Caller
		workspace, model uuid.UUID
		owner            string
		code             domain.Code
	}{
		"of another account":          {ana, retail, model(0), "olaf", domain.InvalidRequest},
		"of no name":                  {ana, retail, model(0), "nobody", domain.InvalidRequest},
		"of no workspace":             {ana, uuid.New(), model(0), "bob", domain.WorkspaceNotFound},
		"of an unseen one":            {ana, secret, model(901), "nobody", domain.WorkspaceNotFound},
		"of no model":                 {ana, retail, model(77), "bob", domain.ItemNotFound},
		"by who is no member":         {s.Person("contoso", "eve", account.Team), retail, model(0), "", domain.UserNotRegistered},
		"removed by who is no member": {s.Person("contoso", "eve", account.Team), retail, model(0), "-", domain.UserNotRegistered},
	} {
		before := s.Left(t)
		if err := s.ModelNotes.SetOwner(t.Context(), c.by, c.workspace, c.model, c.owner, c.owner != "-"); !domain.IsRefused(err, c.code) {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
		s.Unchanged(t, before)
	}

	// A member who leaves looks after nothing, and their notes stay without a name once they are erased.
	_, err := s.ModelNotes.Add(t.Context(), bob, retail, model(0), "Mine.")
	check(t, err)
	_, err = s.Accounts.ErasePerson(t.Context(), "contoso", bob.PersonID)
	check(t, err)
	if got := owner("contoso", model(0)); got != "" {
		t.Errorf("erased, %q is the owner", got)
	}
	all := s.notes(t, "contoso", model(0))
	if len(all) != 1 || all[0].Text != "Mine." || all[0].Author != (projections.Person{ID: bob.PersonID}) {
		t.Errorf("of an erased person: got %+v", all)
	}
}

func (s *service) notes(t *testing.T, accountID string, of uuid.UUID) []projections.Note {
	t.Helper()
	all, err := s.Views.Notes(t.Context(), projections.NotesQuery{AccountID: accountID, ModelID: of, Limit: 1000})
	check(t, err)
	return all
}

// Notes are listed newest first, changed by their authors, removed by them and by administrators, and shown to the account alone. What is
// refused, or changes nothing, leaves no trace.
//
// proves: decisions/26/notes decisions/26/limit
func TestNotes(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	both := s.members(t, "contoso", "ana", "bob")
	olaf := s.members(t, "other", "olaf")[0]
	ana, bob := both[0], both[1]
	write := func(by commands.Caller, text string) uuid.UUID {
		t.Helper()
		s.Clock.Advance(time.Minute)
		id, err := s.ModelNotes.Add(t.Context(), by, retail, model(0), text)
		check(t, err)
		return id
	}
	texts := func(accountID string, of uuid.UUID) (all []string) {
		for _, n := range s.notes(t, accountID, of) {
			all = append(all, n.Author.Name+": "+n.Text)
		}
		return all
	}
	is := func(want ...string) {
		t.Helper()
		if d := cmp.Diff(want, texts("contoso", model(0))); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
	first, second, theirs := write(ana, "First\nline"), write(bob, "second"), write(olaf, "theirs")
	is("bob: second", "ana: First\nline")
	check(t, s.ModelNotes.Change(t.Context(), ana, retail, model(0), first, "changed"))
	is("bob: second", "ana: changed")

	for name, c := range map[string]struct {
		do   func() error
		code domain.Code
	}{
		"the same text":         {func() error { return s.ModelNotes.Change(t.Context(), ana, retail, model(0), first, "changed") }, ""},
		"no text":               {func() error { _, err := s.ModelNotes.Add(t.Context(), ana, retail, model(0), " "); return err }, domain.InvalidRequest},
		"changed to no text":    {func() error { return s.ModelNotes.Change(t.Context(), ana, retail, model(0), first, "\n") }, domain.InvalidRequest},
		"another's":             {func() error { return s.ModelNotes.Change(t.Context(), ana, retail, model(0), second, "x") }, domain.InvalidRequest},
		"another account's":     {func() error { return s.ModelNotes.Change(t.Context(), ana, retail, model(0), theirs, "x") }, domain.NoteNotFound},
		"another model's":       {func() error { return s.ModelNotes.Change(t.Context(), ana, retail, model(1), first, "x") }, domain.NoteNotFound},
		"on an unseen model":    {func() error { _, err := s.ModelNotes.Add(t.Context(), ana, secret, model(901), "x"); return err }, domain.WorkspaceNotFound},
		"remove another's":      {func() error { return s.ModelNotes.Remove(t.Context(), bob, retail, model(0), first) }, domain.AdminRoleRequired},
		"remove an unknown one": {func() error { return s.ModelNotes.Remove(t.Context(), ana, retail, model(0), theirs) }, domain.NoteNotFound},
	} {
		before := s.Left(t)
		if err := c.do(); c.code == "" && err != nil || c.code != "" && !domain.IsRefused(err, c.code) {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
		s.Unchanged(t, before)
	}

	admin := bob
	admin.Role = account.Admin
	check(t, s.ModelNotes.Remove(t.Context(), admin, retail, model(0), first))
	check(t, s.ModelNotes.Remove(t.Context(), bob, retail, model(0), second))
	is()
	if d := cmp.Diff([]string{"olaf: theirs"}, texts("other", model(0))); d != "" {
		t.Error(d)
	}

	var last uuid.UUID
	for range modelnotes.MaxNotes {
		last = write(ana, "one of many")
	}
	before := s.Left(t)
	if _, err := s.ModelNotes.Add(t.Context(), ana, retail, model(0), "one more"); !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("one more: got %v", err)
	}
	s.Unchanged(t, before)
	check(t, s.ModelNotes.Remove(t.Context(), ana, retail, model(0), last))
	write(ana, "one more")

	// Deleting the results of the model keeps its notes, and nothing of them is readable in the log.
	s.assessed(t, ana, retail, model(0), "one")
	_, err := s.Assessments.DeleteResults(t.Context(), ana, retail, model(0))
	check(t, err)
	if got := len(s.notes(t, "contoso", model(0))); got != modelnotes.MaxNotes {
		t.Errorf("%d notes are left", got)
	}
	if n := s.Count(t, `SELECT count(*) FROM events WHERE data::text LIKE '%one of many%'`); n != 0 {
		t.Errorf("%d events have the text", n)
	}
	past := eventstore.Fold(modelnotes.Stream("contoso", model(0)), modelnotes.Evolve)
	check(t, s.Store.Load(t.Context(), past))
	if len(past.State.Notes) != modelnotes.MaxNotes {
		t.Errorf("the log has %d notes", len(past.State.Notes))
	}
}
