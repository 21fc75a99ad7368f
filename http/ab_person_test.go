package http_test

import (
	"net/http"
	"strings"
	"testing"

	"readiness/domain/abtest"
	"readiness/domain/item"
)

// A stored comparison names the person who started it by id. Its readers see the person's name in that place, and nothing in it once the
// person was erased; every other byte stays.
func TestComparisonNamesItsPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const id = "6f0b1c1e-0000-4000-8000-000000000007"
	who := item.Person{ID: `qu"ill`}
	_, err := w.Views.People.Claim(t.Context(), "acme", map[item.Person]item.PersonID{who: id})
	check(t, err)
	_, err = w.Views.People.Claim(t.Context(), "other", map[item.Person]item.PersonID{{ID: "stranger"}: id})
	check(t, err)
	of := w.abTest("acme", abtest.Words{Name: "Synonyms"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	finished := func() string {
		t.Helper()
		w.sideA(of)
		of = w.ownerReads(of)
		return string(w.compared(of, 1))
	}
	shows := func(stored, name string) {
		t.Helper()
		got := w.get(abRunPath(of.test, of.run)+"/result", w.as("ada")).ok(http.StatusOK)
		member := `"requestedBy":"` + string(of.startedBy()) + `"`
		if n := strings.Count(stored, member); n != 1 {
			t.Fatalf("the stored document has %s %d times:\n%s", member, n, stored)
		}
		if want := strings.Replace(stored, member, `"requestedBy":"`+name+`"`, 1); !strings.Contains(string(got.text), want) {
			t.Errorf("the result is\n%s\nwant in it\n%s", got.text, want)
		}
		if strings.Contains(string(got.text), id) {
			t.Errorf("the result has the id:\n%s", got.text)
		}
	}
	shows(finished(), "ada")

	of.owner = id
	of = w.abRun(of, nil)
	stored := finished()
	shows(stored, `qu\"ill`)
	erasing := w.Views.People.Erase("acme", id)
	_, err = w.Pool.Exec(t.Context(), erasing.SQL, erasing.Args...)
	check(t, err)
	shows(stored, "")
}
