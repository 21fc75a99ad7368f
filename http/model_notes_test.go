package http_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/http/token"
)

const (
	aNote   = `{"text":"Ask the shops first."}`
	aMember = `{"person":"bob"}`
)

// note adds a note of the person to a model.
func (w *world) note(person string, model uuid.UUID) (path string) {
	w.t.Helper()
	path = modelPath(model) + "/notes"
	return path + "/" + w.post(path, w.as(person), aNote).ok(200).id("noteId").String()
}

// own makes the person the owner of a model.
func (w *world) own(person string, model uuid.UUID) (path string) {
	w.t.Helper()
	path = modelPath(model) + "/owner"
	w.post(path, w.as(person), `{}`).ok(200)
	return path
}

// someone returns what answers show of a person of acme to the reader.
func (w *world) someone(name, reader string) map[string]any {
	w.t.Helper()
	who := item.Person{ID: name}
	ids, err := w.Views.People.Find(w.t.Context(), "acme", []item.Person{who})
	check(w.t, err)
	return map[string]any{"personId": string(ids[who]), "person": name, "you": name == reader}
}

// The owner of a model, as callers of its account see it; no other account does.
//
// proves: decisions/26/owner decisions/26/members
func TestOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob, path := w.as("ada"), w.as("bob"), modelPath(modelA)+"/owner"
	is := func(got reply, name, reader string) {
		t.Helper()
		want := map[string]any{"semanticModelId": modelA.String()}
		if name != "" {
			want["owner"] = w.someone(name, reader)
		}
		if d := cmp.Diff(want, got.ok(200).body); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
	is(w.get(path, ada), "", "ada")
	is(w.post(path, ada, `{}`), "ada", "ada")
	is(w.get(path, bob), "ada", "bob")
	is(w.post(path, bob, `{"person":"dora"}`), "dora", "bob")
	is(w.post(path, ada, `{"person":"`+w.someone("bob", "")["personId"].(string)+`"}`), "bob", "ada")
	is(w.get(path, w.as("bob", token.ScopeRead)), "bob", "bob")
	w.untouched(func() {
		for _, other := range []string{"oscar", "nobody"} {
			w.post(path, ada, `{"person":"`+other+`"}`).refused(400, domain.InvalidRequest).says(other)
		}
		w.post(path, ada, `{"person":""}`).refused(400, domain.InvalidRequest)
		w.post(path, w.as("bob", token.ScopeRead), `{}`).refused(403, domain.InsufficientScopes)
		w.get(modelPath(nowhere)+"/owner", ada).refused(404, domain.ItemNotFound)
		is(w.get(path, w.as("oscar")), "", "oscar")
	})
	is(w.delete(path, ada), "", "ada")
	is(w.delete(path, ada), "", "ada")

	var names []string
	all := w.get("/v1/account/members?maxResults=2", bob).ok(200)
	for {
		for _, m := range all.value() {
			names = append(names, m["person"].(string))
			if m["you"] != (m["person"] == "bob") {
				t.Errorf("got %v", m)
			}
		}
		next, more := all.body["continuationUri"].(string)
		if !more {
			break
		}
		all = w.get(next, bob).ok(200)
	}
	slices.Sort(names)
	if d := cmp.Diff([]string{"ada", "bob", "dora", "tenant/eve", "uma"}, names); d != "" {
		t.Error(d)
	}
}

// The life of notes, as callers see it.
//
// proves: decisions/26/notes 7.2/NoteNotFound
func TestNotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob, list := w.as("ada"), w.as("bob"), modelPath(modelA)+"/notes"
	if got := w.get(list, ada).ok(200); !strings.Contains(string(got.text), `"value":[]`) {
		t.Errorf("got %s", got.text)
	}
	made := w.post(list, bob, `{"text":"One,\nnot two: <b>ü</b>"}`).ok(200)
	want := map[string]any{"noteId": made.body["noteId"], "author": w.someone("bob", "bob"), "text": "One,\nnot two: <b>ü</b>", "addedAtUtc": made.body["addedAtUtc"]}
	if d := cmp.Diff(want, made.body); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	one := list + "/" + made.id("noteId").String()
	w.untouched(func() {
		w.patch(one, bob, `{"text":"One,\nnot two: <b>ü</b>"}`).ok(200)
		w.patch(one, bob, `{"text":"\n "}`).refused(400, domain.InvalidRequest)
		w.post(list, bob, `{"text":"`+strings.Repeat("ü", 2001)+`"}`).refused(400, domain.InvalidRequest)
		w.patch(one, ada, aNote).refused(400, domain.InvalidRequest)
		w.patch(one, w.as("oscar"), aNote).refused(404, domain.NoteNotFound)
		w.delete(one, w.as("uma")).refused(403, domain.AdminRoleRequired)
		w.delete(one, w.as("oscar")).refused(404, domain.NoteNotFound)
		w.delete(modelPath(modelB)+strings.TrimPrefix(one, modelPath(modelA)), bob).refused(404, domain.NoteNotFound)
		w.delete(list+"/latest", bob).refused(400, domain.InvalidRequest)
		w.post(modelPath(nowhere)+"/notes", bob, aNote).refused(404, domain.ItemNotFound)
		if got := w.get(list, w.as("oscar")).ok(200).value(); len(got) != 0 {
			t.Errorf("another account lists %v", got)
		}
	})
	changed := w.patch(one, bob, aNote).ok(200).body
	if changed["text"] != "Ask the shops first." || changed["addedAtUtc"] != want["addedAtUtc"] || changed["changedAtUtc"] == nil {
		t.Errorf("changed to %v", changed)
	}
	second := w.post(list, ada, `{"text":"`+strings.Repeat("ü", 2000)+`"}`).ok(200).id("noteId").String()
	first := w.get(list+"?maxResults=1", bob).ok(200)
	next := w.get(first.body["continuationUri"].(string), bob).ok(200)
	if got := append(first.value(), next.value()...); len(got) != 2 || got[0]["noteId"] != second || !cmp.Equal(got[1], changed) || next.body["continuationUri"] != nil {
		t.Errorf("listed %v", got)
	}
	got := w.delete(one, ada).ok(200).body // an administrator
	if d := cmp.Diff(map[string]any{"noteId": want["noteId"], "removed": true}, got); d != "" {
		t.Error(d)
	}
	w.delete(one, ada).refused(404, domain.NoteNotFound)
}

// The portfolio names the owners, who are members, and has a filter for them.
//
// proves: decisions/26/portfolio
func TestOwnersInThePortfolio(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.as("ada"), w.as("bob")
	for _, m := range []uuid.UUID{modelA, modelB, modelC} {
		w.scored("ada", m, 1, 50, readiness.RegimeID)
	}
	w.own("ada", modelA)
	w.own("bob", modelB)
	w.own("uma", modelC)
	_, err := w.Accounts.ErasePerson(t.Context(), "acme", item.PersonID(w.someone("uma", "")["personId"].(string)))
	check(t, err)
	owners := map[string]any{}
	for _, m := range w.get(portfolioPath, bob).ok(200).value() {
		owners[m["semanticModelId"].(string)] = m["owner"]
	}
	if d := cmp.Diff(map[string]any{modelA.String(): w.someone("ada", "bob"), modelB.String(): w.someone("bob", "bob"), modelC.String(): nil}, owners); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	for query, want := range map[string]uuid.UUID{"me": modelB, "ada": modelA, "none": modelC, w.someone("ada", "")["personId"].(string): modelA} {
		got := w.models(bob, "?maxResults=1&owner="+query)
		if !slices.Equal(got, []string{want.String()}) || w.get(summaryPath+"?owner="+query, bob).ok(200).body["models"] != 1.0 {
			t.Errorf("%s: got %v, want %s", query, got, want)
		}
	}
	w.get(portfolioPath+"?owner=oscar", ada).refused(400, domain.InvalidRequest)
	w.get(summaryPath+"?owner=oscar", ada).refused(400, domain.InvalidRequest)
}
