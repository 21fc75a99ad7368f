package review

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/changes"
	"readiness/http/console/choices"
	"readiness/http/console/page"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

// perTable is how many changes a page of the review of several kinds has.
const perTable = 20

// bundle is the review of the previews of several kinds. The template gets it.
type bundle struct {
	client.BundlePreview
	// Of is the model's operation, whose resource names it.
	Of    client.Operation
	at    choices.Preview
	Kinds []*kindOf
	all   []row
	// Number is the page from 1, and Pages how many there are.
	Number, Pages int
	// run is the confirmation of what is to be written; it is accepted until the last apply has ended.
	run choices.Choice
	// Running is whether an apply has not ended.
	Running bool
	outcome
}

// kindOf is a kind with the review of its preview; nil if there is none. Refused says why its apply was not started, Next whether it starts
// after another.
type kindOf struct {
	client.BundlePreviewKind
	Review  *review
	Refused string
	Next    bool
}

// KindName returns what people call the kind.
func (k *kindOf) KindName() string { return changes.KindName(k.Kind) }

// Apply returns the newest apply; nil for none.
func (k *kindOf) Apply() *applied {
	if k.Review == nil || len(k.Review.Applies) == 0 {
		return nil
	}
	return &k.Review.Applies[0]
}

// row is a change in the table of all kinds. N is its number there, and Alike how many equal ones the first of them on the page stands for;
// 0 for others.
type row struct {
	change
	N, Alike int
	kind     *kindOf
}

// KindName returns what people call the kind.
func (r row) KindName() string { return r.kind.KindName() }

// At returns the number of the change in the form.
func (r row) At() int { return r.N }

// ID returns the id of the change's element.
func (r row) ID() string { return fmt.Sprintf("r%d", r.N) }

// Detail returns the address of the change in the review of its kind, which says more about it.
func (r row) Detail() string {
	return r.kind.Review.Address(r.Number/perPage+1) + "#" + r.change.ID()
}

// maxShown is how many characters of a text the table shows.
const maxShown = 160

// Short returns the beginning of what would be written.
func (r row) Short() string {
	text := []rune(r.Text())
	if len(text) <= maxShown {
		return string(text)
	}
	return string(text[:maxShown]) + "…"
}

// readBundle returns the review of previews that the person may see.
func (s *screen) readBundle(v *page.Visit, o client.Operation) (*bundle, error) {
	b := &bundle{Of: o}
	if err := result(v, o.ID, &b.BundlePreview); err != nil {
		return nil, err
	}
	b.at = choices.Preview{Account: v.Who.Account, ID: o.ID, Expires: b.ExpiresAtUtc}
	b.Number, _ = strconv.Atoi(v.Request.URL.Query().Get("page"))
	for _, of := range b.BundlePreview.Kinds {
		k := &kindOf{BundlePreviewKind: of}
		if id, err := uuid.Parse(optional.Text(of.PreviewID)); err == nil {
			if k.Review, err = s.read(v, id); err != nil {
				return nil, err
			}
			b.Running = b.Running || k.Review.Running
		}
		b.Kinds = append(b.Kinds, k)
	}
	b.arrange()
	decided, err := s.choices.Read(v.Request.Context(), b.at)
	b.run = decided[confirmation]
	return b, err
}

// arrange puts the changes of all kinds into one table, and then the questions.
func (b *bundle) arrange() {
	b.all = nil
	for _, asked := range []bool{false, true} {
		for _, k := range b.Kinds {
			if k.Review == nil {
				continue
			}
			for _, c := range k.Review.all {
				if asked == (c.Question != "") {
					b.all = append(b.all, row{change: c, N: len(b.all), kind: k})
				}
			}
		}
	}
	b.Pages = max(1, (len(b.all)+perTable-1)/perTable)
	b.Number = min(max(b.Number, 1), b.Pages)
}

// Shown returns the changes of the page, All how many there are.
func (b *bundle) Shown() []row {
	first := (b.Number - 1) * perTable
	shown := slices.Clone(b.all[first:min(first+perTable, len(b.all))])
	for i, r := range shown {
		equal := func(o row) bool { return !o.Written && o.kind == r.kind && o.alike() == r.alike() }
		if n := lists.Count(b.all, equal); n > 1 && (i == 0 || !equal(shown[i-1])) && !r.Written {
			shown[i].Alike = n
		}
	}
	return shown
}

// All returns how many changes and questions there are.
func (b *bundle) All() int { return len(b.all) }

// Changes returns how many changes are proposed.
func (b *bundle) Changes() int { return len(b.all) - b.Questions() }

// Questions returns how many questions there are.
func (b *bundle) Questions() int {
	return lists.Count(b.all, func(r row) bool { return r.Question != "" })
}

// Unanswered returns the address of the first question that is unanswered; "" if none is.
func (b *bundle) Unanswered() string {
	for _, r := range b.all {
		if r.Standing() == "unanswered" {
			return b.Address(r.N/perTable+1) + "#" + r.ID()
		}
	}
	return ""
}

// Count returns how many changes have a standing.
func (b *bundle) Count(standing string) int {
	return lists.Count(b.all, func(r row) bool { return r.Standing() == standing })
}

// Except says which changes are not accepted at once; "" for none.
func (b *bundle) Except() string {
	return except(lists.Map(b.all, func(r row) client.PreviewChange { return r.PreviewChange }))
}

// Acceptable returns how many changes and answers are accepted at once.
func (b *bundle) Acceptable() int {
	return lists.Count(b.all, func(r row) bool { return r.acceptable() })
}

// Model returns the name of the model; "" if there is no preview.
func (b *bundle) Model() string {
	for _, k := range b.Kinds {
		if k.Review != nil {
			return k.Review.SemanticModelName
		}
	}
	return ""
}

// Address returns the address of a page of the table.
func (b *bundle) Address(number int) string {
	return fmt.Sprintf("/previews/%s?page=%d", b.at.ID, number)
}

// Earlier and Later return the numbers of the neighbouring pages; 0 for none.
func (b *bundle) Earlier() int { return b.Number - 1 }

// Later returns the number of the next page; 0 on the last one.
func (b *bundle) Later() int { return (b.Number + 1) % (b.Pages + 1) }

// State returns a digest of what is accepted. It stays the same when it is written.
func (b *bundle) State() string {
	h := sha256.New()
	for _, r := range b.all {
		if r.verdict() == choices.Accepted {
			_, _ = io.WriteString(h, fmt.Sprintf("%s %q %q\n", r.kind.Kind, r.Key, r.Text()))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Confirmed returns who confirmed what is being written; "" if nothing is.
func (b *bundle) Confirmed() string {
	if b.run.Verdict != choices.Accepted {
		return ""
	}
	return b.run.Person
}

func (b *bundle) show(v *page.Visit, status int) error {
	p := page.Page{Title: "Review of " + b.Model(), In: "/operations", Status: status, Data: b}
	if b.Confirmed() != "" || b.Running {
		p.Refresh = page.Again(b.run.At)
	}
	return v.Show(bundleView, p)
}

// confirmation is the key under which it is stored who confirmed the writing of several kinds, and of what.
const confirmation = "apply"

// confirm stores that the person confirmed what is accepted, or, with open, that the writing has ended.
func (s *screen) confirm(v *page.Visit, b *bundle, verdict choices.Verdict) error {
	d := choices.Decision{Key: confirmation, Seen: b.run.Revision, Verdict: verdict, Text: new(b.State())}
	_, err := s.choices.Decide(v.Request.Context(), b.at, v.Who.Name, s.now(), []choices.Decision{d})
	return err // one that is late was preceded by the same press
}

// sendBundle stores decisions about changes of several kinds with the texts that were typed, or confirms what is to be written.
func (s *screen) sendBundle(v *page.Visit, o client.Operation, form url.Values) error {
	b, err := s.readBundle(v, o)
	if err != nil {
		return err
	}
	do, at, _ := strings.Cut(form.Get("do"), ".")
	number, err := strconv.Atoi(at)
	if err != nil || number < 0 || number >= len(b.all) {
		number = -1
	}
	if do == "apply" && b.Confirmed() != "" {
		return v.See(b.Address(b.Number))
	}
	given := b.decisions(form, do, number)
	if b.refuses(given, do == "confirm" || do == "apply") {
		return b.show(v, http.StatusBadRequest)
	}
	if do == "apply" {
		return s.confirmBundle(v, b, form.Get("state"))
	}
	if err := s.decide(v, b, given); err != nil {
		return err
	}
	switch {
	case b.Late > 0:
		return b.show(v, http.StatusConflict)
	case do == "confirm":
		return v.See(b.Address(b.Number) + "&confirm=yes")
	case number < 0:
		return v.See(b.Address(b.Number))
	case do != "open" && number+1 < len(b.all):
		number++
	}
	return v.See(fmt.Sprintf("%s#r%d", b.Address(number/perTable+1), number))
}

// confirmBundle stores that the person confirmed what they saw.
func (s *screen) confirmBundle(v *page.Visit, b *bundle, state string) error {
	switch {
	case b.Count("accepted") == 0:
		return noneAccepted(b.Address(b.Number))
	case state != b.State():
		b.Moved = true
		return b.show(v, http.StatusConflict)
	}
	if err := s.confirm(v, b, choices.Accepted); err != nil {
		return err
	}
	return v.See(b.Address(b.Number))
}

// decisions returns what a form decides about the changes of each kind. Its fields have the numbers of the table.
func (b *bundle) decisions(form url.Values, do string, number int) map[*kindOf][]choices.Decision {
	own, local := map[*kindOf]url.Values{}, map[*kindOf]int{}
	for _, k := range b.Kinds {
		own[k], local[k] = url.Values{}, -1
	}
	for _, r := range b.all {
		for _, field := range []string{"seen.", "text.", "was."} {
			if name := field + strconv.Itoa(r.N); form.Has(name) {
				own[r.kind].Set(field+strconv.Itoa(r.Number), form.Get(name))
			}
		}
		if r.N == number {
			local[r.kind] = r.Number
		}
	}
	given := map[*kindOf][]choices.Decision{}
	for _, k := range b.Kinds {
		if k.Review != nil {
			given[k] = k.Review.decisions(own[k], do, local[k])
		}
	}
	return given
}

// refuses is as in a review of one kind: if a text of one kind cannot be written, nothing of any kind is stored.
func (b *bundle) refuses(given map[*kindOf][]choices.Decision, applied bool) bool {
	for k, decided := range given {
		k.Review.refuses(decided, applied)
		b.Wrong += k.Review.Wrong
	}
	if b.Wrong == 0 {
		return false
	}
	for k, decided := range given {
		k.Review.mark(decided)
	}
	b.arrange()
	b.First = slices.IndexFunc(b.all, func(r row) bool { return r.Wrong != "" })
	b.Number = b.First/perTable + 1
	return true
}

// decide stores decisions, and marks those that are late.
func (s *screen) decide(v *page.Visit, b *bundle, given map[*kindOf][]choices.Decision) error {
	for _, k := range b.Kinds {
		if k.Review == nil {
			continue
		}
		late, err := s.choices.Decide(v.Request.Context(), k.Review.at, v.Who.Name, s.now(), given[k])
		if err != nil {
			return err
		}
		if b.Late += len(late); len(late) > 0 {
			if k.Review.stored, err = s.choices.Read(v.Request.Context(), k.Review.at); err != nil {
				return err
			}
			k.Review.arrange()
			k.Review.mark(late)
		}
	}
	b.arrange()
	return nil
}

// since returns the newest apply that was started at a time or later; nil for none.
func (r *review) since(at time.Time) *applied {
	if len(r.Applies) == 0 || r.Applies[0].At.Before(at) {
		return nil
	}
	return &r.Applies[0]
}

// advance starts the next apply of what was confirmed, if the one before has ended and the visitor is who confirmed it: an apply locks the
// model. One that fails or is refused does not stop the next.
func (s *screen) advance(v *page.Visit, b *bundle) error {
	if b.Confirmed() == "" {
		return nil
	}
	if b.Moved = optional.Text(b.run.Text) != b.State(); b.Moved {
		return s.end(v, b)
	}
	waits := b.Running
	for _, k := range b.Kinds {
		if k.Review == nil || k.Review.Accepted() == 0 || k.Review.since(b.run.At) != nil {
			continue
		}
		if k.Next = waits || v.Who.Name != b.run.Person; k.Next {
			waits = true
			continue
		}
		id, err := s.start(v, k.Review)
		refused, ok := errors.AsType[*client.Error](err)
		switch {
		case ok && refused.ErrorCode == "OperationInProgress": // of someone else
			k.Next, k.Refused, waits = true, refused.Message, true
			continue
		case ok && refused.Status != http.StatusUnauthorized:
			k.Refused = refused.Message
			continue
		case err != nil:
			return err
		}
		got, err := v.API.GetOperationWithResponse(v.Request.Context(), id, nil)
		if err != nil {
			return err
		}
		k.Review.Applies = append([]applied{{choices.Apply{OperationID: id, Person: v.Who.Name, At: s.now()}, *got.JSON200}}, k.Review.Applies...)
		waits, b.Running = true, true
	}
	if !waits && v.Who.Name == b.run.Person {
		return s.end(v, b)
	}
	return nil
}

// end ends what was confirmed.
func (s *screen) end(v *page.Visit, b *bundle) error {
	err := s.confirm(v, b, choices.Open)
	b.run.Verdict = choices.Open
	return err
}
