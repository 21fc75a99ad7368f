package review

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/http/console/choices"
	"readiness/http/console/page"
	"readiness/internal/lists"
)

// send stores a person's decisions about the changes of a page, with all texts that they typed, or applies what they confirmed.
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
	var decided []choices.Decision
	if do != "apply" {
		decided = r.decisions(form, do, number)
	}
	switch {
	case r.refuses(decided, do == "confirm" || do == "apply"):
		return r.show(v, http.StatusBadRequest)
	case do == "apply":
		return s.apply(v, r, form)
	}
	late, err := s.choices.Decide(v.Request.Context(), r.at, v.Who.Name, s.now(), decided)
	if err != nil {
		return err
	}
	if r.stored, err = s.choices.Read(v.Request.Context(), r.at); err != nil {
		return err
	}
	r.arrange()
	switch {
	case len(late) > 0:
		r.Late = len(late)
		r.mark(late)
		return r.show(v, http.StatusConflict)
	case do == "confirm":
		return v.See(r.Address(r.Number) + "&confirm=yes")
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
		d := choices.Decision{Key: c.key(), Seen: c.Choice.Revision, Verdict: c.verdict(), Text: c.Choice.Text}
		changed := false
		n := strconv.Itoa(c.Number)
		if seen, err := strconv.Atoi(form.Get("seen." + n)); err == nil {
			d.Seen = seen
			if text := c.typed(form.Get("text." + n)); form.Has("text."+n) && c.Editable() && digest(text) != form.Get("was."+n) {
				d.Text, changed = &text, true
				if text == clean(c.Proposed) {
					d.Text = nil
				}
				if c.Question != "" && d.Text == nil && d.Verdict == choices.Accepted { // the answer was taken back
					d.Verdict = choices.Open
				}
			}
			if verdict, ok := verdicts[do]; ok && c.Number == number && !c.Written {
				d.Verdict, changed = verdict, true
			}
		}
		if of, together := strings.CutSuffix(do, "alike"); together && verdicts[of] != "" && !c.Written && 0 <= number && number < len(r.all) &&
			c.alike() == r.all[number].alike() {
			d.Verdict, changed = verdicts[of], true
		}
		if c.Choice.Verdict, c.Choice.Text = d.Verdict, d.Text; do == "all" && c.acceptable() {
			d.Verdict, changed = choices.Accepted, true
		}
		if changed && len(all) < choices.MaxDecisions {
			all = append(all, d)
		}
	}
	return all
}

// typed returns a text that a person typed: an answer without the space around it.
func (c change) typed(text string) string {
	if text = clean(text); c.Question != "" {
		text = strings.TrimSpace(text)
	}
	return text
}

// mark shows decisions that were not stored at their changes.
func (r *review) mark(all []choices.Decision) {
	for _, d := range all {
		for i := range r.all {
			if r.all[i].key() == d.Key {
				r.all[i].Mine = &d
			}
		}
	}
}

// refuses marks what is wrong with the texts that decisions give or leave to be written, and reports whether anything is. The page is then
// that of the first. Without decisions, and if something is applied, all that is accepted is judged.
func (r *review) refuses(decided []choices.Decision, applied bool) bool {
	given := lists.Index(decided, func(d choices.Decision) string { return d.Key })
	for i := range r.all {
		if d, ok := given[r.all[i].key()]; ok {
			r.all[i].Choice.Verdict, r.all[i].Choice.Text = d.Verdict, d.Text
		}
	}
	wrong := map[int]string{}
	for _, c := range r.all {
		if _, ok := given[c.key()]; ok || applied {
			if why := c.refuses(); why != "" {
				wrong[c.Number] = why
			}
		}
	}
	_, values := r.selected()
	for i := len(r.all) - 1; i >= 0; i-- {
		c := r.all[i]
		if why := optimization.CheckText(proposal.AIInstructions, values[c.Key]); c.Adds() && c.Standing() == "accepted" && wrong[i] == "" && why != "" {
			wrong[i] = "with it, the AI instructions cannot be written: " + why
			break
		}
	}
	r.arrange()
	if r.Wrong = len(wrong); r.Wrong == 0 {
		return false
	}
	r.mark(decided)
	r.First = slices.Min(slices.Collect(maps.Keys(wrong)))
	r.Number = r.First/perPage + 1
	for i, why := range wrong {
		r.all[i].Wrong = why
	}
	return true
}

// refuses returns what is wrong with the text of the change; "" if it can be written, or is not going to be.
func (c change) refuses() string {
	switch {
	case c.Written || c.verdict() == choices.Rejected:
	case c.Choice.Text != nil:
		return optimization.CheckText(proposal.Type(c.Type), *c.Choice.Text)
	case c.Question != "" && c.verdict() == choices.Accepted:
		return "there is no answer: write one, or leave the question unanswered"
	}
	return ""
}

// started reports whether an apply was started after the page was shown.
func (r *review) started(form url.Values) bool {
	attempt, err := strconv.Atoi(form.Get("attempt"))
	return len(r.Applies) > 0 && (err != nil || attempt < r.Attempt)
}

// apply starts an apply of the accepted changes that the person confirmed, and shows it.
func (s *screen) apply(v *page.Visit, r *review, form url.Values) error {
	switch {
	case r.started(form):
		return v.See("/operations/" + r.Applies[0].Operation.ID.String())
	case r.Accepted() == 0:
		return noneAccepted(r.Address(r.Number))
	case form.Get("state") != r.State():
		r.Moved = true
		return r.show(v, http.StatusConflict)
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
