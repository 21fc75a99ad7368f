package modelnotes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/modelnotes"
)

var (
	model    = uuid.UUID{15: 1}
	ana, bob = item.PersonID("ana"), item.PersonID("bob")
)

func id(n int) uuid.UUID { return uuid.UUID{14: byte(n / 256), 15: byte(n)} }

func add(n int, by item.PersonID, text string) modelnotes.Add {
	return modelnotes.Add{Added: modelnotes.Added{ModelID: model, NoteID: id(n), By: by, Text: text}}
}

func change(n int, by item.PersonID, text string) modelnotes.Change {
	return modelnotes.Change{Changed: modelnotes.Changed{ModelID: model, NoteID: id(n), Text: text}, By: by}
}

func remove(n int, by item.PersonID, admin bool) modelnotes.Remove {
	return modelnotes.Remove{Removed: modelnotes.Removed{ModelID: model, NoteID: id(n)}, By: by, Admin: admin}
}

func own(by item.PersonID) modelnotes.SetOwner { return modelnotes.SetOwner{ModelID: model, Owner: by} }

type command = domain.Command[modelnotes.Notes]

func made(t *testing.T, all ...command) (s modelnotes.Notes) {
	t.Helper()
	for _, c := range all {
		events, err := c.Decide(s)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		for _, e := range events {
			s = modelnotes.Evolve(s, e)
		}
	}
	return s
}

func TestDecide(t *testing.T) {
	t.Parallel()
	full := make([]command, modelnotes.MaxNotes)
	for i := range full {
		full[i] = add(i, ana, "a")
	}
	longest := strings.Repeat("ü", modelnotes.MaxText)
	one := []command{add(1, ana, "one")}
	for name, c := range map[string]struct {
		given []command
		when  command
		want  string // the type of the event; "" if there is none
		code  domain.Code
	}{
		"an owner":                        {nil, own(ana), "modelnotes.owner-set", ""},
		"another owner":                   {[]command{own(ana)}, own(bob), "modelnotes.owner-set", ""},
		"the same owner":                  {[]command{own(ana)}, own(ana), "", ""},
		"nobody":                          {[]command{own(ana)}, own(""), "modelnotes.owner-removed", ""},
		"nobody again":                    {nil, own(""), "", ""},
		"a note":                          {nil, add(1, ana, "one"), "modelnotes.added", ""},
		"the longest note":                {nil, add(1, ana, longest), "modelnotes.added", ""},
		"a longer note":                   {nil, add(1, ana, longest+"u"), "", domain.InvalidRequest},
		"an empty note":                   {nil, add(1, ana, ""), "", domain.InvalidRequest},
		"white space alone":               {nil, add(1, ana, " \n\u2003"), "", domain.InvalidRequest},
		"the last note":                   {full[1:], add(0, ana, "a"), "modelnotes.added", ""},
		"one more":                        {full, add(100, ana, "a"), "", domain.InvalidRequest},
		"one more, after one was removed": {append(full[:len(full):len(full)], remove(7, ana, false)), add(100, ana, "a"), "modelnotes.added", ""},
		"another text":                    {one, change(1, ana, "two"), "modelnotes.changed", ""},
		"the same text":                   {one, change(1, ana, "one"), "", ""},
		"a text that is empty":            {one, change(1, ana, " "), "", domain.InvalidRequest},
		"a text that is too long":         {one, change(1, ana, longest+"u"), "", domain.InvalidRequest},
		"a text of another person":        {one, change(1, bob, "two"), "", domain.InvalidRequest},
		"a text of no note":               {one, change(2, ana, "two"), "", domain.NoteNotFound},
		"remove":                          {one, remove(1, ana, false), "modelnotes.removed", ""},
		"remove another person's":         {one, remove(1, bob, false), "", domain.AdminRoleRequired},
		"remove it as an administrator":   {one, remove(1, bob, true), "modelnotes.removed", ""},
		"remove no note":                  {one, remove(2, ana, true), "", domain.NoteNotFound},
		"remove again":                    {append(one[:1:1], remove(1, ana, false)), remove(1, ana, false), "", domain.NoteNotFound},
	} {
		events, err := c.when.Decide(made(t, c.given...))
		if c.code != "" {
			if !domain.IsRefused(err, c.code) || len(events) > 0 {
				t.Errorf("%s: got %v, %v, want %s", name, events, err, c.code)
			}
			continue
		}
		got := ""
		if len(events) == 1 {
			got = events[0].EventType()
		}
		if err != nil || got != c.want || len(events) > 1 {
			t.Errorf("%s: got %v, %v, want %q", name, events, err, c.want)
		}
	}
}

func TestMember(t *testing.T) {
	t.Parallel()
	in := func(members ...item.PersonID) func(item.PersonID) bool {
		return func(p item.PersonID) bool { return slices.Contains(members, p) }
	}
	if got, err := modelnotes.Member("a", []item.PersonID{bob, ana}, in(ana)); got != ana || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for name, members := range map[string]func(item.PersonID) bool{"none": in("eve"), "two": in(ana, bob)} {
		if got, err := modelnotes.Member("a", []item.PersonID{ana, bob}, members); !domain.IsRefused(err, domain.InvalidRequest) || got != "" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// No event changes the state that it was folded from, and no command of a person without the role changes a note of another.
func TestNotesStayTheirAuthors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s modelnotes.Notes
		next := 10
		for range rapid.IntRange(0, 30).Draw(t, "commands") {
			n, text := rapid.IntRange(0, 5).Draw(t, "note"), rapid.SampledFrom([]string{"a", "b", " "}).Draw(t, "text")
			by := rapid.SampledFrom([]item.PersonID{ana, bob}).Draw(t, "by")
			c := rapid.SampledFrom([]command{add(next, by, text), change(10+n, by, text), remove(10+n, by, false), own(by), own("")}).Draw(t, "command")
			next++
			events, err := c.Decide(s)
			if err != nil && len(events) > 0 {
				t.Fatalf("%+v: refused with events", c)
			}
			before := slices.Clone(s.Notes)
			for _, e := range events {
				after := modelnotes.Evolve(s, e)
				if d := cmp.Diff(before, s.Notes); d != "" {
					t.Fatalf("%+v changed the state before it: %s", c, d)
				}
				for _, note := range before {
					if note.By != by && !slices.Contains(after.Notes, note) {
						t.Fatalf("%s lost %+v", by, note)
					}
				}
				s = after
			}
		}
	})
}
