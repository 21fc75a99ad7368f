package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"readiness/test/consoletest"
)

// TestOwnerAndNotes sets an owner and writes notes on a model's page, without script: they are shown there and in the portfolio, to who sees
// the model; each person changes only what is theirs, and hostile texts stay texts.
func TestOwnerAndNotes(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	w.AssessAll("contoso", "ada")
	ada, grace, api := w.As("contoso", "ada"), w.As("contoso", "grace"), w.API("contoso", "ada")
	workspace, model := modelOf(t, api, "Retail Sales")
	path := "/models/" + workspace.String() + "/" + model.String()
	send := func(b *consoletest.Browser, to string, form url.Values) {
		t.Helper()
		got := b.Send(path+to, form)
		want(t, got, http.StatusSeeOther)
		if at := got.Header.Get("Location"); at != path+"#people" {
			t.Errorf("%s leads to %s", to, at)
		}
	}
	want(t, ada.Get(path), 200, "nobody · <a href=\"#people\">add a note</a>", `<option value="">Nobody</option>`, "Nobody wrote a note yet")
	members, err := api.ListMembersWithResponse(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members.JSON200.Value {
		if *m.Person == "grace" {
			send(ada, "/owner", url.Values{"person": {m.PersonID}})
			want(t, ada.Get(path), 200, `<option value="`+m.PersonID+`" selected>grace</option>`, "<dd><bdi>grace</bdi>")
		}
	}
	want(t, grace.Get(path), 200, "<dd>you · ")
	want(t, grace.Get("/?owner=me"), 200, "Retail Sales", "· owner <a href=\"/?owner=grace\">you</a>", `<option value="me" selected>You</option>`)
	lacks(t, grace.Get("/?owner=none"), "<bdi>Retail Sales</bdi></a>")
	list := ada.Get("/?owner=grace")
	want(t, list, 200, "<bdi>Retail Sales</bdi></a>", `<option value="grace" selected>grace</option>`)
	lacks(t, list, "<bdi>Store Operations</bdi></a>")
	ada.CheckPage(list)
	want(t, ada.Get("/portfolio.csv?owner=grace"), 200, "Retail Sales", ",grace,")

	const hostile = "</p><script>window.x=1</script>\r\nsecond line"
	send(grace, "/notes", url.Values{"text": {hostile}})
	notes, err := api.ListNotesWithResponse(t.Context(), workspace, model, nil)
	if err != nil || len(notes.JSON200.Value) != 1 || notes.JSON200.Value[0].Text != strings.ReplaceAll(hostile, "\r", "") {
		t.Fatalf("got %+v, %v", notes, err)
	}
	note := "/notes/" + notes.JSON200.Value[0].NoteID.String()
	got := grace.Get(path)
	want(t, got, 200, "&lt;script&gt;", "second line", "Save", "Remove", `href="#people">1`)
	lacks(t, got, "<script>window")
	grace.CheckPage(got)
	linus := w.As("contoso", "linus").Get(path)
	want(t, linus, 200, "second line")
	lacks(t, linus, `value="remove"`)
	want(t, w.As("fabrikam", "margaret").Get(path), 200)
	lacks(t, w.As("fabrikam", "margaret").Get(path), "second line", "grace")
	want(t, w.As("contoso", "linus").Send(path+note, url.Values{"do": {"remove"}}), http.StatusForbidden, "AdminRoleRequired")
	want(t, ada.Send(path+note, url.Values{"do": {"change"}, "text": {"Mine now."}}), http.StatusBadRequest)
	want(t, grace.Send(path+note, url.Values{"do": {"change"}, "text": {" "}}), http.StatusBadRequest)
	send(grace, note, url.Values{"do": {"change"}, "text": {"The shops decide."}})
	want(t, ada.Get(path), 200, "The shops decide.", ", changed ")
	send(ada, note, url.Values{"do": {"remove"}}) // an administrator
	send(ada, "/owner", url.Values{"person": {""}})
	want(t, ada.Get(path), 200, "Nobody wrote a note yet", "nobody · ")
	want(t, ada.Send(path+note, url.Values{"do": {"remove"}}), http.StatusNotFound)
	want(t, ada.Send(path+"/notes/latest", url.Values{"do": {"remove"}}), http.StatusNotFound)
}
