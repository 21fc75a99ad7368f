package console_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/consoletest"
)

// reviewOfAll is a review of every kind, by a person.
type reviewOfAll struct {
	*reviewed
	as *consoletest.Browser
}

func newReviewOfAll(t *testing.T) reviewOfAll {
	t.Helper()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada, api := r.As("contoso", "ada"), r.API("contoso", "ada")
	w, m := modelOf(t, api, "Store Operations")
	got := ada.Send("/models/"+w.String()+"/"+m.String()+"/preview", url.Values{"kind": {"all"}})
	want(t, got, http.StatusSeeOther)
	r.path = got.Header.Get("Location")
	r.Ended(api, uuid.MustParse(strings.TrimPrefix(r.path, "/previews/")))
	return reviewOfAll{r, ada}
}

// questionField finds the field of a question; it has its number and its text.
var questionField = regexp.MustCompile(`<label for="t(\d+)" class="asked" dir="auto">([^<]*)</label>`)

// asked returns the address of the page with the first unanswered question, and the numbers of the questions there.
func (r reviewOfAll) asked() (address string, numbers []string) {
	r.t.Helper()
	got := r.as.Get(r.path)
	link := regexp.MustCompile(`<a href="([^"#]*)#r\d+">Answer them</a>`).FindStringSubmatch(got.Body)
	if link == nil {
		r.t.Fatalf("no question is unanswered:\n%s", got.Body)
	}
	address = html.UnescapeString(link[1])
	for _, found := range questionField.FindAllStringSubmatch(r.as.Get(address).Body, -1) {
		numbers = append(numbers, found[1])
	}
	return address, numbers
}

// send presses a button of the page at an address.
func (r reviewOfAll) send(address, button string, texts ...string) consoletest.Answer {
	r.t.Helper()
	return r.as.Send(address, r.with(r.as.Get(address), button, texts...))
}

// unanswered returns how many questions the review says are unanswered.
func (r reviewOfAll) unanswered() (n int) {
	r.t.Helper()
	if found := regexp.MustCompile(`<strong>(\d+)</strong> unanswered`).FindStringSubmatch(r.as.Get(r.path).Body); found != nil {
		_, _ = fmt.Sscan(found[1], &n)
	}
	return n
}

// TestAnswers answers questions and edits a text in the table of all kinds, and writes exactly what the page before shows in full.
func TestAnswers(t *testing.T) {
	t.Parallel()
	r := newReviewOfAll(t)
	address, numbers := r.asked()
	all := r.unanswered()
	if len(numbers) < 3 || all < len(numbers) {
		t.Fatalf("%d questions are asked on the page, of %d", len(numbers), all)
	}
	first, second := numbers[0], numbers[len(numbers)-1]
	hostile := "ignored </textarea><script>alert(1)</script>\r\n\u202Eشكرا & " + strings.Repeat("é", 9_000)
	want(t, r.send(address, "accept."+first, "text."+first, "  Busy season is <b>June</b> to August.  ", "text."+second, hostile), http.StatusSeeOther)
	got := r.as.Get(address)
	r.as.CheckPage(got)
	want(t, got, 200, "Busy season is &lt;b&gt;June&lt;/b&gt; to August.</textarea>", "&lt;script&gt;alert(1)&lt;/script&gt;", "<strong>1</strong> accepted")
	lacks(t, got, "<script>alert")
	if n := r.unanswered(); n != all-2 {
		t.Errorf("%d questions of %d are unanswered after two answers", n, all)
	}
	want(t, r.send(r.path, "accept.1", "text.1", "A text of\r\nmine."), http.StatusSeeOther)
	want(t, r.send(address, "all"), http.StatusSeeOther) // also the second answer
	want(t, r.as.Get(r.path), 200, fmt.Sprintf("%d\u00a0questions are unanswered and stay out of what is written.", all-2), "A text of\nmine.</textarea>")

	confirm := r.send(r.path, "confirm")
	want(t, confirm, http.StatusSeeOther)
	got = r.as.Get(confirm.Header.Get("Location"))
	r.as.CheckPage(got)
	const proposed = "for every question about a day or a range of days" // of the AI instructions, to which the answer is added
	want(t, got, 200, "What will be written to", proposed, "Busy season is &lt;b&gt;June&lt;/b&gt; to August.", strings.Repeat("é", 9_000), "A text of\nmine.", "In words of <bdi>ada</bdi>",
		fmt.Sprintf("%d\u00a0questions are unanswered", all-2))
	if n := r.applies(); n != 0 {
		t.Errorf("%d applies were started before the confirmation", n)
	}
	want(t, r.as.Send(r.path, r.with(got, "apply")), http.StatusSeeOther)
	r.wrote(proposed, "Busy season is <b>June</b> to August.", strings.ReplaceAll(hostile, "\r", ""), "A text of\nmine.")
	// The proposed AI instructions were accepted with all others. Those of the table that were not recommended stay open.
	want(t, r.as.Get(r.path), 200, "<strong>0</strong> accepted", " written</p>")
	if n := r.unanswered(); n != all-2 {
		t.Errorf("%d questions of %d are unanswered after two were written", n, all)
	}
}

// wrote follows the applies to their end, and fails the test unless the texts were written.
func (r reviewOfAll) wrote(texts ...string) {
	r.t.Helper()
	api, all := r.API("contoso", "ada"), ""
	for got := r.as.Get(r.path); strings.Contains(got.Body, "being written</a>"); got = r.as.Get(r.path) {
		id := uuid.MustParse(regexp.MustCompile(`href="/operations/([^"]*)">being written`).FindStringSubmatch(got.Body)[1])
		if o := r.Ended(api, id); o.Status != client.OperationStatusSucceeded {
			r.t.Errorf("an apply ended as %s: %v", o.Status, o.Error)
			continue
		}
		for _, o := range resultOf[client.ApplyRecord](r.t, api, id).Applied {
			all += *o.Written + "\n"
		}
	}
	for _, text := range texts {
		if !strings.Contains(all, text) {
			r.t.Errorf("%.80q was not written", text)
		}
	}
}

// TestBadAnswers refuses what cannot be written: each field says why and keeps what was typed, and nothing at all is stored.
func TestBadAnswers(t *testing.T) {
	t.Parallel()
	r := newReviewOfAll(t)
	address, numbers := r.asked()
	first, other := numbers[0], numbers[1]
	for name, row := range map[string]struct {
		button, text, says string
	}{
		"no answer":               {"accept." + first, "", "there is no answer"},
		"a blank answer":          {"accept." + first, " \r\n\t", "there is no answer"},
		"more than can be kept":   {"accept." + first, strings.Repeat("é", 10_001), "10001 characters"},
		"saved, more than can be": {"save", strings.Repeat("é", 10_001), "10001 characters"},
		"all of them":             {"all", strings.Repeat("é", 10_001), "10001 characters"},
		"to be confirmed":         {"confirm", strings.Repeat("é", 10_001), "10001 characters"},
	} {
		got := r.send(address, row.button, "text."+first, row.text, "text."+other, "kept in its field")
		if got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %d", name, got.StatusCode)
		}
		want(t, got, http.StatusBadRequest, "Nothing was stored", `id="w`+first+`"`, row.says, "kept in its field</textarea>", strings.TrimSpace(row.text)+"</textarea>")
		want(t, got, http.StatusBadRequest, `<a href="#t`+first+`">Go to the first</a>`)
		lacks(t, got, `id="w`+other+`"`)
		r.as.CheckPage(got)
	}
	want(t, r.send(r.path, "accept.1", "text.1", "\u2028"), http.StatusBadRequest, "Nothing was stored", `id="w1"`)
	var stored int
	if err := r.Pool.QueryRow(t.Context(), `SELECT count(*) FROM console_choices`).Scan(&stored); err != nil || stored != 0 {
		t.Errorf("%d choices are stored, %v", stored, err)
	}
	if n := r.applies(); n != 0 {
		t.Errorf("%d applies were started", n)
	}
	// An answer that is taken back is no longer accepted.
	want(t, r.send(address, "accept."+first, "text."+first, "It is."), http.StatusSeeOther)
	want(t, r.as.Get(address), 200, "<strong>1</strong> accepted")
	want(t, r.send(address, "save", "text."+first, ""), http.StatusSeeOther)
	want(t, r.as.Get(address), 200, "<strong>0</strong> accepted")
}

// TestAnswersAlone writes an answer about the model without the AI instructions that were proposed: they were left out, not written.
func TestAnswersAlone(t *testing.T) {
	t.Parallel()
	r := newReviewOfAll(t)
	address, numbers := r.asked()
	want(t, r.send(r.path, "reject.0"), http.StatusSeeOther)
	want(t, r.send(address, "accept."+numbers[0], "text."+numbers[0], "Busy season is June to August."), http.StatusSeeOther)
	confirm := r.send(address, "confirm")
	got := r.as.Get(confirm.Header.Get("Location"))
	want(t, got, 200, "Busy season is June to August.", "Write 1\u00a0change</button>")
	lacks(t, got, "group by year")
	want(t, r.as.Send(r.path, r.with(got, "apply")), http.StatusSeeOther)
	r.wrote("Busy season is June to August.")
	got = r.as.Get(r.path)
	want(t, got, 200, "<strong>1</strong> written</p>", ">left out</span>", "<strong>0</strong> rejected")
	lacks(t, got, `value="accept.0"`, `name="text.0"`)
}

// TestEqualInTable decides about equal changes of a kind at once in the table of all kinds.
func TestEqualInTable(t *testing.T) {
	t.Parallel()
	r := newReviewOfAll(t)
	alike := regexp.MustCompile(`name="do" value="acceptalike\.(\d+)">Accept all (\d+) equal ones<`)
	var found []string
	for page := 1; found == nil; page++ {
		got := r.as.Get(fmt.Sprintf("%s?page=%d", r.path, page))
		if found = alike.FindStringSubmatch(got.Body); found == nil && !strings.Contains(got.Body, "Next page") {
			t.Fatal("no changes are equal")
		}
	}
	want(t, r.send(r.path, "acceptalike."+found[1]), http.StatusSeeOther)
	want(t, r.as.Get(r.path), 200, "<strong>"+found[2]+"</strong> accepted · <strong>0</strong> rejected")
	want(t, r.send(r.path, "rejectalike."+found[1]), http.StatusSeeOther)
	want(t, r.as.Get(r.path), 200, "<strong>0</strong> accepted · <strong>"+found[2]+"</strong> rejected")
}
