package console_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// TestCompare compares the assessments before and after an apply: findings of written objects are fixed, the others are still there, and
// the other way round the same are new.
func TestCompare(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada, margaret := r.As("contoso", "ada"), r.As("fabrikam", "margaret")
	api := r.API("contoso", "ada")
	w, m := modelOf(t, api, "Store Operations")
	path := "/models/" + w.String() + "/" + m.String() + "/compare"
	want(t, ada.Get(path), http.StatusNotFound, "There is nothing to compare")
	r.ended(r.applied(ada))
	started, err := api.AssessSemanticModelWithResponse(t.Context(), w, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Ended(api, started.JSON202.OperationID)
	history, err := api.GetHistoryWithResponse(t.Context(), w, m, nil)
	if err != nil || len(history.JSON200.Value) != 2 {
		t.Fatalf("got %v, %v", history, err)
	}
	b, a := history.JSON200.Value[0].AssessmentID.String(), history.JSON200.Value[1].AssessmentID.String()
	want(t, ada.Get(strings.TrimSuffix(path, "/compare")), http.StatusOK, "since the assessment before", path+"?a=")
	got := ada.Get(path)
	want(t, got, http.StatusOK, "Compare: <bdi>Store Operations</bdi>", "Visitors per Staff Hour", `class="up"`, "Nothing is new.", `value="`+a+`" selected`)
	ada.CheckPage(got)
	var totals []int
	for _, found := range regexp.MustCompile(`<h2>[A-Z][a-z ]+ <span class="tag[ \w]*">(\d+)</span>`).FindAllStringSubmatch(got.Body, -1) {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		totals = append(totals, n)
	}
	before, after := history.JSON200.Value[1].FindingsCount, history.JSON200.Value[0].FindingsCount
	if len(totals) != 3 || totals[0] == 0 || totals[0]+totals[2] != before || totals[1]+totals[2] != after {
		t.Errorf("got %v fixed, new and still there, of %d findings before and %d after", totals, before, after)
	}
	if explicit := ada.Get(path + "?a=" + a + "&b=" + b); explicit.Body != got.Body {
		t.Errorf("named assessments give another page: %s", explicit.Body)
	}
	back := ada.Get(path + "?a=" + b + "&b=" + a)
	want(t, back, http.StatusOK, `class="down"`, "Nothing was fixed.")
	same := ada.Get(path + "?a=" + a + "&b=" + a)
	want(t, same, http.StatusOK, "±0", "Nothing was fixed.", "Nothing is new.")
	for _, query := range []string{"", "?a=" + a + "&b=" + b} {
		if got := margaret.Get(path + query); got.StatusCode != http.StatusNotFound || strings.Contains(got.Body, "Store") {
			t.Errorf("another account gets %d %s", got.StatusCode, got.Body)
		}
	}
	want(t, ada.Get(path+"?a=x&b="+b), http.StatusNotFound)
	want(t, ada.Get(path+"?a="+uuid.NewString()+"&b="+b), http.StatusNotFound, "AssessmentNotFound")
	want(t, ada.Get("/models/x/y/compare"), http.StatusNotFound)
}
