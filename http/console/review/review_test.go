package review_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/client"
	"readiness/http/console/choices"
	"readiness/http/console/review"
)

// preview has a flagged change of an AI between two others, one whose text cannot be chosen, and before them one that is not recommended.
var preview = client.Preview{Changes: []client.PreviewChange{
	{Key: "d|", Type: client.ChangeTypeAiDataSchema, Proposed: "visible"},
	{Key: "a|", Type: client.ChangeTypeDescription, Proposed: "A\r\ntext", Recommended: true},
	{Key: "b|", Type: client.ChangeTypeDescription, Proposed: "B", ReviewRequired: new("it names a person"), Recommended: true},
	{Key: "c|", Type: client.ChangeTypeAiDataSchema, Proposed: "hidden", Recommended: true},
}}

// alike has three equal changes of which one stands apart, and one for another reason.
var alike = client.Preview{Changes: []client.PreviewChange{
	{Key: "a", Type: client.ChangeTypeSummarizeBy, Property: "summarizeBy", Proposed: "none", Reason: "no total"},
	{Key: "b", Type: client.ChangeTypeSummarizeBy, Property: "summarizeBy", Proposed: "none", Reason: "another"},
	{Key: "c", Type: client.ChangeTypeSummarizeBy, Property: "summarizeBy", Proposed: "none", Reason: "no total"},
	{Key: "d", Type: client.ChangeTypeDescription, Proposed: "A text."}, {Key: "e", Type: client.ChangeTypeDescription, Proposed: "A text."},
	{Key: "f", Type: client.ChangeTypeSummarizeBy, Property: "summarizeBy", Proposed: "none", Reason: "no total"},
}}

// TestAlike keeps equal changes together, and decides about all of them at once, but not about written ones.
func TestAlike(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"a", "c", "f", "b", "d", "e"}, review.Order(alike)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{3, 1, 1, 1}, review.Folds(alike)); diff != "" {
		t.Errorf("folds: %s", diff)
	}
	want := []choices.Decision{{Key: "a", Verdict: choices.Rejected}, {Key: "f", Verdict: choices.Rejected}}
	form := url.Values{"seen.0": {"0"}, "seen.1": {"0"}, "seen.2": {"0"}}
	if diff := cmp.Diff(want, review.Decisions(alike, nil, map[string]string{"c": "none"}, form, "rejectalike", 2)); diff != "" {
		t.Error(diff)
	}
}

// TestFlaggedFirst shows what needs a look first, and what is not recommended last.
func TestFlaggedFirst(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"b|", "a|", "c|", "d|"}, review.Order(preview)); diff != "" {
		t.Error(diff)
	}
}

// TestDecisions reads forms: numbers are those of the pages, where the flagged change is 0.
func TestDecisions(t *testing.T) {
	t.Parallel()
	accepted, own := choices.Accepted, new("own")
	for name, row := range map[string]struct {
		stored  map[string]choices.Choice
		written map[string]string
		form    url.Values
		do      string
		number  int
		want    []choices.Decision
	}{
		"nothing":            {number: -1},
		"accept":             {form: url.Values{"seen.1": {"0"}}, do: "accept", number: 1, want: []choices.Decision{{Key: "a|", Verdict: accepted}}},
		"of another page":    {do: "accept", number: 1},
		"a typed text":       {form: url.Values{"seen.1": {"0"}, "was.1": {review.Was("A\ntext")}, "text.1": {"own"}}, do: "save", number: -1, want: []choices.Decision{{Key: "a|", Verdict: choices.Open, Text: own}}},
		"an untouched text":  {form: url.Values{"seen.1": {"0"}, "was.1": {review.Was("A\ntext")}, "text.1": {"A\r\ntext"}}, do: "save", number: -1},
		"the proposed again": {stored: map[string]choices.Choice{"a|": {Verdict: accepted, Text: own, Revision: 2}}, form: url.Values{"seen.1": {"2"}, "was.1": {review.Was("own")}, "text.1": {"A\r\ntext"}}, number: -1, want: []choices.Decision{{Key: "a|", Seen: 2, Verdict: accepted}}},
		"a text of no field": {form: url.Values{"seen.2": {"0"}, "was.2": {"x"}, "text.2": {"shown"}}, number: -1},
		"all that are wise":  {do: "all", number: -1, want: []choices.Decision{{Key: "a|", Verdict: accepted}, {Key: "c|", Verdict: accepted}}},
		"all that are open":  {stored: map[string]choices.Choice{"a|": {Verdict: choices.Rejected, Revision: 1}}, written: map[string]string{"c|": "hidden"}, do: "all", number: -1},
		"a written one":      {written: map[string]string{"a|": "A"}, form: url.Values{"seen.1": {"0"}, "was.1": {"x"}, "text.1": {"own"}}, do: "reject", number: 1},
		"keeps the own text": {stored: map[string]choices.Choice{"a|": {Verdict: choices.Open, Text: own, Revision: 3}}, form: url.Values{"seen.1": {"3"}}, do: "reject", number: 1, want: []choices.Decision{{Key: "a|", Seen: 3, Verdict: choices.Rejected, Text: own}}},
	} {
		if diff := cmp.Diff(row.want, review.Decisions(preview, row.stored, row.written, row.form, row.do, row.number)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
