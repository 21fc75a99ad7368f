package projections_test

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
	"readiness/eventstore/sealed"
	"readiness/projections"
	"readiness/storage/people"
	"readiness/test/pgtest"
)

// Owners who are members, and notes, newest first and in pages, are those of their account; a rebuild makes the same rows.
func TestModelNotes(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	codec, err := eventstore.NewCodec(commands.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	who, err := people.New(pool, make([]byte, people.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	o := observer{engine: projections.NewEngine(pool, projections.Accounts, projections.ModelNotes)}
	o.log = eventstore.New(pool, codec, eventstore.Options{Inline: o.engine.Inline})
	if o.log.Keys, err = sealed.New(make([]byte, sealed.KeySize)); err != nil {
		t.Fatal(err)
	}
	o.views = &projections.Views{Pool: pool, Store: o.log, People: who}
	if err := o.engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	sales, stock := uuid.New(), uuid.New()
	record := func(account string, of uuid.UUID, all ...domain.Event) {
		t.Helper()
		decideOn(t, o, account, eventstore.Tail(modelnotes.Stream(account, of)), domain.Command[struct{}](command(all)))
	}
	ids, err := who.Claim(t.Context(), "acme", map[item.Person]item.PersonID{{ID: "ada"}: "1", {ID: "bo"}: "2", {ID: "cy"}: "3"})
	if err != nil || len(ids) != 3 {
		t.Fatal(ids, err)
	}
	decideOn(t, o, "acme", eventstore.Tail(account.Stream("acme")), domain.Command[struct{}](command{
		account.Opened{AccountID: "acme"}, account.PersonSaved{Person: account.SavedPerson{Person: "1"}}, account.PersonSaved{Person: account.SavedPerson{Person: "2"}},
	}))
	owner := func(of uuid.UUID, want *projections.Person) {
		t.Helper()
		got, err := o.views.Owner(t.Context(), "acme", of)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%v: %s", err, d)
		}
	}
	record("acme", sales, modelnotes.OwnerSet{ModelID: sales, Owner: "1"})
	owner(sales, &projections.Person{ID: "1", Name: "ada"})
	record("acme", sales, modelnotes.OwnerSet{ModelID: sales, Owner: "2"})
	record("acme", stock, modelnotes.OwnerSet{ModelID: stock, Owner: "3"})
	record("acme-retail", stock, modelnotes.OwnerSet{ModelID: stock, Owner: "1"})
	owner(sales, &projections.Person{ID: "2", Name: "bo"})
	owner(stock, nil) // cy is no member
	o.same(t, "model_notes")
	record("acme", sales, modelnotes.OwnerRemoved{ModelID: sales})
	owner(sales, nil)

	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	note := [4]uuid.UUID{{15: 1}, {15: 2}, {15: 3}, {15: 4}}
	for i, id := range note {
		record("acme", sales, modelnotes.Added{ModelID: sales, NoteID: id, By: "1", Text: string(rune('a' + i)), At: noon.Add(time.Duration(i/2) * time.Hour)})
	}
	record("acme", sales, modelnotes.Changed{ModelID: sales, NoteID: note[1], Text: "changed", At: noon.Add(5 * time.Hour)})
	record("acme", sales, modelnotes.Removed{ModelID: sales, NoteID: note[3]})
	record("acme", stock, modelnotes.Added{ModelID: stock, NoteID: uuid.New(), By: "3", Text: "of another model", At: noon})
	record("acme-retail", sales, modelnotes.Added{ModelID: sales, NoteID: uuid.New(), By: "3", Text: "theirs", At: noon})
	var texts []string
	var after *projections.NoteCursor
	for {
		page, err := o.views.Notes(t.Context(), projections.NotesQuery{AccountID: "acme", ModelID: sales, Before: after, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		n := page[0]
		if n.Author != (projections.Person{ID: "1", Name: "ada"}) || (n.ChangedAt != nil) != (n.NoteID == note[1]) {
			t.Errorf("got %+v", n)
		}
		texts, after = append(texts, n.Text), &projections.NoteCursor{AddedAt: n.AddedAt, NoteID: n.NoteID}
	}
	if d := cmp.Diff([]string{"c", "changed", "a"}, texts); d != "" {
		t.Error(d)
	}
	one, err := o.views.Notes(t.Context(), projections.NotesQuery{AccountID: "acme", ModelID: sales, NoteID: &note[0], Limit: 9})
	if err != nil || len(one) != 1 || one[0].Text != "a" {
		t.Errorf("one: %+v, %v", one, err)
	}
	members, err := o.views.AccountMembers(t.Context(), "acme", "1", 9)
	if d := cmp.Diff([]projections.Person{{ID: "2", Name: "bo"}}, members); d != "" || err != nil {
		t.Errorf("members after ada: %v %s", err, d)
	}
	o.same(t, "model_notes")
}
