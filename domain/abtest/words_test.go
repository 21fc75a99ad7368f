package abtest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/abtest"
)

// proves: 4.6/create/name 4.6/create/hypothesis
func TestWordsHaveLimits(t *testing.T) {
	t.Parallel()
	long := func(n int) *string { return new(strings.Repeat("ü", n)) } // two bytes each
	named := func(change func(*abtest.Words)) abtest.Words {
		w := abtest.Words{Name: "Before and after"}
		change(&w)
		return w
	}
	for name, test := range map[string]struct {
		words  abtest.Words
		naming string // the text that a refusal contains; "" for words that are accepted
	}{
		"a name alone":        {named(func(*abtest.Words) {}), ""},
		"no name":             {named(func(w *abtest.Words) { w.Name = "" }), "name"},
		"the longest name":    {named(func(w *abtest.Words) { w.Name = *long(200) }), ""},
		"a longer name":       {named(func(w *abtest.Words) { w.Name = *long(201) }), "name has 201 characters; it may have 200"},
		"the longest labels":  {named(func(w *abtest.Words) { w.LabelA, w.LabelB = long(100), long(100) }), ""},
		"a longer label of a": {named(func(w *abtest.Words) { w.LabelA = long(101) }), "sideA.label has 101"},
		"a longer label of b": {named(func(w *abtest.Words) { w.LabelB = long(101) }), "sideB.label has 101"},
		"the longest descriptions": {named(func(w *abtest.Words) {
			w.Description, w.SideADescription, w.SideBDescription = long(2000), long(2000), long(2000)
		}), ""},
		"a longer description":    {named(func(w *abtest.Words) { w.Description = long(2001) }), "description has 2001"},
		"a longer one of a":       {named(func(w *abtest.Words) { w.SideADescription = long(2001) }), "sideA.description has 2001"},
		"a longer one of b":       {named(func(w *abtest.Words) { w.SideBDescription = long(2001) }), "sideB.description has 2001"},
		"the longest hypothesis":  {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: *long(2000)} }), ""},
		"a longer hypothesis":     {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: *long(2001)} }), "hypothesis.text has 2001"},
		"a hypothesis of nothing": {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{} }), "hypothesis.text"},
		"a hypothesis of spaces":  {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: " \t\n "} }), "hypothesis.text"},
		"side A is suggested":     {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: "A", Kind: new("A")} }), ""},
		"side B is suggested":     {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: "B", Kind: new("B")} }), ""},
		"no difference":           {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: "Same", Kind: new("Same")} }), ""},
		"another kind":            {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: "B", Kind: new("same")} }), "hypothesis.kind"},
		"a kind of nothing":       {named(func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: "B", Kind: new("")} }), "hypothesis.kind"},
	} {
		refusedAs(t, name, test.words.Check(), test.naming)
	}
}

// refusedAs fails unless err refuses the form of a request and contains naming, or
// unless there is no error when naming is "".
func refusedAs(t *testing.T, name string, err error, naming string) {
	t.Helper()
	switch {
	case naming == "" && err != nil:
		t.Errorf("%s: %v", name, err)
	case naming != "" && (!domain.IsRefused(err, domain.InvalidRequest) || !strings.Contains(err.Error(), naming)):
		t.Errorf("%s: %v, want an InvalidRequest that says %q", name, err, naming)
	}
}

// proves: 4.6/patch/members
func TestEmptyWordsAreNone(t *testing.T) {
	t.Parallel()
	given := abtest.Words{
		Name: " \tSmaller model\n", Description: new("  "), LabelA: new(""), LabelB: new(" new "), SideADescription: new("\n"), SideBDescription: new("kept"),
		Hypothesis: &abtest.Hypothesis{Text: "B wins"},
	}
	got := given.Trimmed()
	want := abtest.Words{Name: "Smaller model", LabelB: new("new"), SideBDescription: new("kept"), Hypothesis: &abtest.Hypothesis{Text: "B wins"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if *given.LabelB != " new " || *given.Description != "  " {
		t.Error("the words that were given have changed")
	}
}

// proves: 4.6/patch/members 4.6/patch/spends-nothing
func TestRewordRecordsOnlyChanges(t *testing.T) {
	t.Parallel()
	full := abtest.Words{
		Name: "One", Description: new("two"), Hypothesis: &abtest.Hypothesis{Text: "three", Kind: new("B")},
		LabelA: new("four"), LabelB: new("five"), SideADescription: new("six"), SideBDescription: new("seven"),
	}
	for name, test := range map[string]struct {
		change func(*abtest.Words)
		tells  bool
	}{
		"nothing": {func(*abtest.Words) {}, false},
		"equal words": {func(w *abtest.Words) {
			w.LabelA, w.Hypothesis = new("four"), &abtest.Hypothesis{Text: "three", Kind: new("B")}
		}, false},
		"the name":                {func(w *abtest.Words) { w.Name = "Two" }, true},
		"no description":          {func(w *abtest.Words) { w.Description = nil }, true},
		"no hypothesis":           {func(w *abtest.Words) { w.Hypothesis = nil }, true},
		"the hypothesis' text":    {func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: "3", Kind: new("B")} }, true},
		"the hypothesis' kind":    {func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: "three", Kind: new("A")} }, true},
		"own words":               {func(w *abtest.Words) { w.Hypothesis = &abtest.Hypothesis{Text: "three"} }, true},
		"no label of a":           {func(w *abtest.Words) { w.LabelA = nil }, true},
		"the label of b":          {func(w *abtest.Words) { w.LabelB = new("5") }, true},
		"the description of a":    {func(w *abtest.Words) { w.SideADescription = new("6") }, true},
		"no description of b":     {func(w *abtest.Words) { w.SideBDescription = nil }, true},
		"a label for its text":    {func(w *abtest.Words) { w.LabelA, w.SideADescription = w.SideADescription, w.LabelA }, true},
		"words that were swapped": {func(w *abtest.Words) { w.LabelA, w.LabelB = w.LabelB, w.LabelA }, true},
	} {
		before := abtest.Evolve(abtest.Test{}, abtest.Created{AbTestID: test1, Words: full})
		words := full
		test.change(&words)
		events, err := abtest.Reword{Words: words}.Decide(before)
		var want []domain.Event
		if test.tells {
			want = []domain.Event{abtest.Reworded{Words: words}}
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, events); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, e := range events {
			if diff := cmp.Diff(words, abtest.Evolve(before, e).Words); diff != "" {
				t.Errorf("%s: afterwards %s", name, diff)
			}
		}
	}
}
