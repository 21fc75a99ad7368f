package review

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/changes"
	"readiness/http/console/choices"
	"readiness/http/console/page"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

// perPage is how many changes a page has.
const perPage = 25

// review is a preview with the decisions about it. The template gets it.
type review struct {
	client.Preview
	at     choices.Preview
	stored map[string]choices.Choice
	// written are the texts that applies have written, by the key of their change.
	written map[string]string
	// all are the changes in the order of the pages.
	all []change
	// Number is the page from 1, and Pages how many there are.
	Number, Pages int
	// Attempt counts the applies that were started, and Applies are the newest.
	Attempt int
	Applies []applied
	// Scored is whether the person wants the score with the accepted changes, and Part is that score; nil without one.
	Scored bool
	Part   *part
	// Running is whether one of them has not ended.
	Running bool
	// Dropped are texts of an AI provider that were not proposed; Skipped are the other objects without a change.
	Dropped, Without *skipped
	// Unanswerable are the questions whose answers cannot be written.
	Unanswerable []client.NeededWords
	outcome
}

// outcome says what became of a form that was sent: Late is how many decisions were not stored, because someone decided otherwise in the
// meantime, Moved whether nothing was applied for the same reason, and Wrong how many texts cannot be written, so that nothing was stored.
// First is the number of the first of them in the form.
type outcome struct {
	Late, Wrong, First int
	Moved              bool
}

// change is a change with the decision about it.
type change struct {
	client.PreviewChange
	Number  int
	Choice  choices.Choice
	Written bool
	// LeftOut is whether its object was written without it: AI instructions take a proposed text, answers, or both.
	LeftOut bool
	// Question is what only a person can say; "" for what is proposed. The text of a question is its answer.
	Question string
	// Mine is the decision of the person that was not stored; nil for none. Wrong is what is wrong with its text; "" for nothing.
	Mine  *choices.Decision
	Wrong string
}

// alike is what equal changes have in common, so that a person decides about them at once.
type alike struct{ property, proposed, reason, key string }

// alikeOf returns what a change has in common with equal ones; changes of texts, which people edit, and flagged ones are like no other.
func alikeOf(c client.PreviewChange) alike {
	if flagged(c) == 0 || c.Type != client.ChangeTypeSummarizeBy && c.Type != client.ChangeTypeAiDataSchema {
		return alike{key: c.Key}
	}
	return alike{c.Property, c.Proposed, c.Reason, ""}
}

// alike returns what the change has in common with equal ones; questions are like no other.
func (c change) alike() alike {
	if c.Question != "" {
		return alike{key: c.key()}
	}
	return alikeOf(c.PreviewChange)
}

// fold is a change with those that equal it and follow it on the page. Alike counts all of the preview.
type fold struct {
	change
	Rest  []change
	Alike int
}

// Folds returns the changes of the page, equal ones together.
func (r *review) Folds() (all []fold) {
	for _, c := range r.Shown() {
		if n := len(all); n > 0 && all[n-1].alike() == c.alike() {
			all[n-1].Rest = append(all[n-1].Rest, c)
			continue
		}
		all = append(all, fold{c, nil, lists.Count(r.all, func(d change) bool { return !d.Written && d.alike() == c.alike() })})
	}
	return all
}

// arrange puts the changes in their order: flagged ones first, equal ones together, not recommended ones last, and then the questions that
// can be answered. It does not change while people decide.
func (r *review) arrange() {
	ordered := slices.Clone(r.Changes)
	first := map[alike]int{}
	for i, c := range r.Changes {
		if _, known := first[alikeOf(c)]; !known {
			first[alikeOf(c)] = i
		}
	}
	slices.SortStableFunc(ordered, func(a, b client.PreviewChange) int {
		return cmp.Or(unwise(a)-unwise(b), flagged(a)-flagged(b), first[alikeOf(a)]-first[alikeOf(b)])
	})
	r.all = make([]change, len(ordered), len(ordered)+len(r.NeedsYourWords))
	for i, c := range ordered {
		r.all[i] = change{PreviewChange: c, Number: i, Choice: r.stored[c.Key]}
		if c.Type == client.ChangeTypeAiDataSchema { // an earlier version took texts for synonyms
			r.all[i].Choice.Text = nil
		}
	}
	r.Unanswerable = nil
	for _, n := range r.NeedsYourWords {
		if n.Key == nil || n.Type == nil {
			r.Unanswerable = append(r.Unanswerable, n)
			continue
		}
		c := change{Number: len(r.all), Question: n.Question, PreviewChange: client.PreviewChange{Key: *n.Key,
			Type: *n.Type, Table: n.Table, Object: n.Object, ObjectType: n.ObjectType, Property: string(*n.Type), Current: n.Current, Recommended: true}}
		c.Choice = r.stored[c.key()]
		r.all = append(r.all, c)
	}
	for i := range r.all {
		c := &r.all[i]
		var text string
		text, c.Written = r.written[c.Key]
		own := strings.TrimSpace(c.Text())
		c.LeftOut = c.Written && c.Type == client.ChangeTypeAiInstructions && (own == "" || !strings.Contains(clean(text), own))
	}
	r.Pages = max(1, (len(r.all)+perPage-1)/perPage)
	r.Number = min(max(r.Number, 1), r.Pages)
	r.Dropped = skippedOf(r.Skipped, func(s client.SkippedObject) bool { return s.Reason == "Flagged" })
	r.Without = skippedOf(r.Skipped, func(s client.SkippedObject) bool { return s.Reason != "Flagged" })
}

// skipped are objects without a change.
type skipped struct {
	Total int
	Shown []client.SkippedObject
}

// maxSkipped is how many of them a page names.
const maxSkipped = 100

// skippedOf returns those that are wanted; nil if there are none.
func skippedOf(all []client.SkippedObject, wanted func(client.SkippedObject) bool) *skipped {
	s := &skipped{}
	for _, object := range all {
		if !wanted(object) {
			continue
		}
		if s.Total++; s.Total <= maxSkipped {
			s.Shown = append(s.Shown, object)
		}
	}
	if s.Total == 0 {
		return nil
	}
	return s
}

// More returns how many are not shown.
func (s *skipped) More() int { return s.Total - len(s.Shown) }

// unwise is 1 for a change that is not recommended.
func unwise(c client.PreviewChange) int {
	if c.Recommended {
		return 0
	}
	return 1
}

func flagged(c client.PreviewChange) int {
	if c.ReviewRequired != nil {
		return 0
	}
	return 1
}

// Shown returns the changes of the page.
func (r *review) Shown() []change {
	first := (r.Number - 1) * perPage
	return r.all[first:min(first+perPage, len(r.all))]
}

// Except says which changes are not accepted at once; "" for none.
func (r *review) Except() string { return except(r.Changes) }

// Acceptable returns how many changes and answers are accepted at once.
func (r *review) Acceptable() int { return lists.Count(r.all, change.acceptable) }

// acceptable reports whether the change is accepted with all open ones.
func (c change) acceptable() bool {
	return c.verdict() == choices.Open && flagged(c.PreviewChange) == 1 && c.Recommended && !c.Written && (c.Question == "" || c.Choice.Text != nil)
}

// except says which changes a person accepts one by one; "" for none.
func except(all []client.PreviewChange) string {
	var which []string
	if slices.ContainsFunc(all, func(c client.PreviewChange) bool { return flagged(c) == 0 }) {
		which = append(which, "flagged")
	}
	if slices.ContainsFunc(all, func(c client.PreviewChange) bool { return !c.Recommended }) {
		which = append(which, "not recommended")
	}
	if which == nil {
		return ""
	}
	return strings.Join(which, " and ") + " ones"
}

// scores are the scores without and with every change.
type scores struct{ Now, After, Gain int }

// Scores returns the scores; nil if the model has none.
func (r *review) Scores() *scores {
	if r.ScoreNow == nil || r.ScoreAfter == nil {
		return nil
	}
	return &scores{int(*r.ScoreNow), int(*r.ScoreAfter), int(*r.ScoreAfter) - int(*r.ScoreNow)}
}

// model returns the ids of the workspace and the model.
func (r *review) model() (workspaceID, modelID uuid.UUID, err error) {
	workspaceID, wrong := uuid.Parse(r.WorkspaceID)
	modelID, err = uuid.Parse(r.SemanticModelID)
	return workspaceID, modelID, errors.Join(wrong, err)
}

// Count returns how many changes have a standing.
func (r *review) Count(standing string) int {
	return lists.Count(r.all, func(c change) bool { return c.Standing() == standing })
}

// Accepted returns how many changes an apply would write now.
func (r *review) Accepted() int { return r.Count("accepted") }

// Questions returns how many questions can be answered.
func (r *review) Questions() int { return len(r.all) - len(r.Changes) }

// Address returns the address of a page of the review.
func (r *review) Address(number int) string {
	address := fmt.Sprintf("/previews/%s?page=%d", r.at.ID, number)
	if r.Scored {
		address += "&scored=yes"
	}
	return address
}

// Earlier and Later return the addresses of the neighbouring pages; "" for none.
func (r *review) Earlier() string {
	if r.Number == 1 {
		return ""
	}
	return r.Address(r.Number - 1)
}

// Later returns the address of the next page; "" on the last one.
func (r *review) Later() string {
	if r.Number == r.Pages {
		return ""
	}
	return r.Address(r.Number + 1)
}

// KindName returns what people call the kind.
func (r *review) KindName() string { return changes.KindName(r.Kind) }

// State returns a digest of what an apply would write now.
func (r *review) State() string {
	h := sha256.New()
	for _, c := range r.all {
		if c.verdict() == choices.Accepted && !c.Written {
			_, _ = io.WriteString(h, fmt.Sprintf("%q %q\n", c.Key, c.Text()))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (r *review) show(v *page.Visit, status int) error {
	return v.Show(view, page.Page{Title: r.KindName() + " of " + r.SemanticModelName, In: "/operations", Status: status, Data: r})
}

// ID returns the id of the change's element, and At its number in the form.
func (c change) ID() string { return fmt.Sprintf("c%d", c.Number) }

// At returns the number of the change in the form.
func (c change) At() int { return c.Number }

// key returns the key under which decisions are stored. Several questions can be about one object, so theirs have the question.
func (c change) key() string {
	if c.Question == "" {
		return c.Key
	}
	return c.Key + "\n" + c.Question
}

// Noun returns what the text is called: what is proposed is a change, and what a person says an answer.
func (c change) Noun() string {
	if c.Question != "" {
		return "answer"
	}
	return "change"
}

// Adds reports whether the text is added to the AI instructions: an answer to a question about the model.
func (c change) Adds() bool { return c.Question != "" && c.Type == client.ChangeTypeAiInstructions }

func (c change) verdict() choices.Verdict {
	if c.Choice.Verdict == "" {
		return choices.Open
	}
	return c.Choice.Verdict
}

// Standing returns the state: open, accepted, rejected, written, left out, or of a question also unanswered.
func (c change) Standing() string {
	switch {
	case c.LeftOut:
		return "left out"
	case c.Written:
		return "written"
	case c.Question != "" && c.Choice.Text == nil && c.verdict() == choices.Open:
		return "unanswered"
	}
	return string(c.verdict())
}

// PropertyName returns what people call the property.
func (c change) PropertyName() string { return changes.PropertyName(c.Property) }

// Text returns the text that is decided about: the proposed one, or a person's own; "" for a question without an answer.
func (c change) Text() string {
	if c.Choice.Text != nil {
		return *c.Choice.Text
	}
	return clean(c.Proposed)
}

// Typed returns what the field of the text contains.
func (c change) Typed() string {
	if c.Mine != nil && c.Mine.Text != nil {
		return *c.Mine.Text
	}
	return c.Text()
}

// Was returns a digest of the text that the field contains when it is shown. A text with another one was typed.
func (c change) Was() string { return digest(c.Text()) }

// Sides returns the texts before and after.
func (c change) Sides() changes.Sides {
	return changes.Compare(c.Current, new(c.Text()))
}

// Editable reports whether the interface takes a text of the person's own.
func (c change) Editable() bool {
	switch c.Type {
	case client.ChangeTypeAiInstructions, client.ChangeTypeDescription, client.ChangeTypeDisplayFolder:
		return !c.Written
	case client.ChangeTypeSummarizeBy, client.ChangeTypeAiDataSchema:
	}
	return false
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// clean returns a text as it is stored: what browsers send for a line break is one character, and what PostgreSQL cannot store is left
// out.
func clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(text)
}

// applied is an apply that was started from the review.
type applied struct {
	choices.Apply
	client.Operation
}

// readApplies reads the writes of the applies.
func (r *review) readApplies(v *page.Visit, newest []choices.Apply) error {
	r.written = map[string]string{}
	for _, a := range newest {
		got, err := v.API.GetOperationWithResponse(v.Request.Context(), a.OperationID, nil)
		if err != nil {
			return err
		}
		r.Applies = append(r.Applies, applied{a, *got.JSON200})
		r.Running = r.Running || !got.JSON200.Ended()
		if got.JSON200.Status != client.OperationStatusSucceeded {
			continue
		}
		var record client.ApplyRecord
		err = result(v, a.OperationID, &record)
		if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusGone {
			continue
		}
		if err != nil {
			return err
		}
		for _, object := range record.Applied {
			if _, known := r.written[object.Key]; !known && record.Standing == client.RecordStandingApplied {
				r.written[object.Key] = optional.Text(object.Written)
			}
		}
	}
	return nil
}
