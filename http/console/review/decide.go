package review

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/choices"
	"readiness/http/console/page"
)

// send stores a person's decisions about the changes of a page, with all texts that they typed, and applies the preview if they
// asked for that.
func (s *screen) send(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	o, err := s.operation(v)
	if err != nil {
		return err
	}
	if *o.OperationType == bundleType {
		return s.sendBundle(v, o, form)
	}
	r, err := s.read(v, o.ID)
	if err != nil {
		return err
	}
	do, at, _ := strings.Cut(form.Get("do"), ".")
	number, err := strconv.Atoi(at)
	if err != nil {
		number = -1
	}
	state := r.State()
	late, err := s.choices.Decide(v.Request.Context(), r.at, v.Who.Name, s.now(), r.decisions(form, do, number))
	if err != nil {
		return err
	}
	if r.stored, err = s.choices.Read(v.Request.Context(), r.at); err != nil {
		return err
	}
	r.arrange()
	switch {
	case len(late) > 0:
		r.mark(late)
		return r.show(v, http.StatusConflict)
	case do == "apply" && r.started(form):
		return v.See("/operations/" + r.Applies[0].Operation.ID.String())
	case do == "apply" && form.Get("state") != state:
		r.Moved = true
		return r.show(v, http.StatusConflict)
	case do == "apply":
		return s.apply(v, r)
	}
	return v.See(r.after(do, number))
}

// after returns where the browser goes after a decision: to the next change.
func (r *review) after(do string, number int) string {
	switch {
	case number < 0 || number >= len(r.all):
		return r.Address(r.Number)
	case verdicts[do] != "" && do != "open" && number+1 < len(r.all):
		number++
	}
	return fmt.Sprintf("%s#c%d", r.Address(number/perPage+1), number)
}

// verdicts are the verdicts of the buttons.
var verdicts = map[string]choices.Verdict{"accept": choices.Accepted, "reject": choices.Rejected, "open": choices.Open}

// decisions returns what a form decides: the verdict of its button, and the texts that the person typed.
func (r *review) decisions(form url.Values, do string, number int) (all []choices.Decision) {
	for _, c := range r.all {
		d := choices.Decision{Key: c.Key, Seen: c.Choice.Revision, Verdict: c.verdict(), Text: c.Choice.Text}
		changed := false
		n := strconv.Itoa(c.Number)
		if seen, err := strconv.Atoi(form.Get("seen." + n)); err == nil {
			d.Seen = seen
			if text := clean(form.Get("text." + n)); form.Has("text."+n) && c.Editable() && digest(text) != form.Get("was."+n) {
				d.Text, changed = &text, true
				if text == clean(c.Proposed) {
					d.Text = nil
				}
			}
			if verdict, ok := verdicts[do]; ok && c.Number == number && !c.Written {
				d.Verdict, changed = verdict, true
			}
		}
		if of, together := strings.CutSuffix(do, "alike"); together && verdicts[of] != "" && !c.Written && 0 <= number && number < len(r.all) &&
			alikeOf(c.PreviewChange) == alikeOf(r.all[number].PreviewChange) {
			d.Verdict, changed = verdicts[of], true
		}
		if do == "all" && d.Verdict == choices.Open && flagged(c.PreviewChange) == 1 && c.Recommended && !c.Written {
			d.Verdict, changed = choices.Accepted, true
		}
		if changed && len(all) < choices.MaxDecisions {
			all = append(all, d)
		}
	}
	return all
}

// mark shows decisions that were late at their changes.
func (r *review) mark(late []choices.Decision) {
	r.Late = len(late)
	for _, d := range late {
		for i := range r.all {
			if r.all[i].Key == d.Key {
				r.all[i].Mine = &d
			}
		}
	}
}

// started reports whether an apply was started after the page was shown.
func (r *review) started(form url.Values) bool {
	attempt, err := strconv.Atoi(form.Get("attempt"))
	return len(r.Applies) > 0 && (err != nil || attempt < r.Attempt)
}

// nothingAccepted is the problem of an apply without an accepted change.
var nothingAccepted = &page.Problem{Status: http.StatusBadRequest, Title: "No change is accepted",
	Text: "Accept the changes to write, and apply them then. What you typed is kept."}

// apply starts an apply of the accepted changes, and shows it.
func (s *screen) apply(v *page.Visit, r *review) error {
	if r.Accepted() == 0 {
		p := *nothingAccepted
		p.Link, p.LinkText = r.Address(r.Number), "Go back to the review"
		return &p
	}
	id, err := s.start(v, r)
	if err != nil {
		return err
	}
	return v.See("/operations/" + id.String())
}

// start starts an apply of the accepted changes. Started twice at once, it is one: its key follows from what it writes and from how many
// applies there were.
func (s *screen) start(v *page.Visit, r *review) (id uuid.UUID, err error) {
	ctx := v.Request.Context()
	body := client.ApplyRequest{PreviewID: new(r.at.ID.String())}
	body.Keys, body.Values = r.selected()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", r.at.ID, r.Attempt, r.State()))
	workspaceID, modelID, err := r.model()
	if err != nil {
		return id, err
	}
	got, err := v.API.ApplyOptimizationWithResponse(ctx, workspaceID, modelID, string(r.Kind),
		&client.ApplyOptimizationParams{IdempotencyKey: new("console-" + hex.EncodeToString(sum[:]))}, body)
	if err != nil {
		return id, err
	}
	id = got.JSON202.OperationID
	return id, s.choices.Applied(ctx, r.at, choices.Apply{OperationID: id, Person: v.Who.Name, At: s.now()})
}
