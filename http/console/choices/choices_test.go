package choices_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/http/console/choices"
	"readiness/test/pgtest"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func preview(account string) choices.Preview {
	return choices.Preview{Account: account, ID: uuid.New(), Expires: now.Add(24 * time.Hour)}
}

// TestDecide stores each decision once, keeps the first one when two people saw the same revision, and returns the late one.
func TestDecide(t *testing.T) {
	t.Parallel()
	s := choices.NewStore(pgtest.Pool(t))
	p := preview("contoso")
	own := new("own <b> text\nof two lines")
	for _, step := range []struct {
		name, person string
		at           time.Duration
		given        choices.Decision
		late         bool
		want         choices.Choice
	}{
		{"the first", "ada", 0, choices.Decision{Key: "a|b", Verdict: choices.Accepted}, false, choices.Choice{Verdict: choices.Accepted, Person: "ada", At: now, Revision: 1}},
		{"the same again", "ada", 1, choices.Decision{Key: "a|b", Verdict: choices.Accepted}, false, choices.Choice{Verdict: choices.Accepted, Person: "ada", At: now, Revision: 1}},
		{"the same of another person", "grace", 1, choices.Decision{Key: "a|b", Verdict: choices.Accepted}, false, choices.Choice{Verdict: choices.Accepted, Person: "ada", At: now, Revision: 1}},
		{"another one, late", "grace", 1, choices.Decision{Key: "a|b", Verdict: choices.Rejected}, true, choices.Choice{Verdict: choices.Accepted, Person: "ada", At: now, Revision: 1}},
		{"after a look", "grace", 2, choices.Decision{Key: "a|b", Seen: 1, Verdict: choices.Rejected}, false, choices.Choice{Verdict: choices.Rejected, Person: "grace", At: now.Add(2), Revision: 2}},
		{"a text", "ada", 3000, choices.Decision{Key: "a|b", Seen: 2, Verdict: choices.Open, Text: own}, false, choices.Choice{Verdict: choices.Open, Text: own, Person: "ada", At: now.Add(3000), Revision: 3}},
		{"another text, late", "grace", 3000, choices.Decision{Key: "a|b", Seen: 2, Verdict: choices.Open, Text: new("x")}, true, choices.Choice{Verdict: choices.Open, Text: own, Person: "ada", At: now.Add(3000), Revision: 3}},
		{"of the future", "grace", 3000, choices.Decision{Key: "a|b", Seen: 4, Verdict: choices.Rejected}, true, choices.Choice{Verdict: choices.Open, Text: own, Person: "ada", At: now.Add(3000), Revision: 3}},
	} {
		late, err := s.Decide(t.Context(), p, step.person, now.Add(step.at), []choices.Decision{step.given})
		if err != nil || (len(late) == 1) != step.late {
			t.Fatalf("%s: got %v, %v", step.name, late, err)
		}
		got, err := s.Read(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]choices.Choice{"a|b": step.want}, got, cmp.Transformer("UTC", func(at time.Time) int64 { return at.UnixMicro() })); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", step.name, diff)
		}
	}
	for name, other := range map[string]choices.Preview{"another account": {Account: "fabrikam", ID: p.ID}, "another preview": preview("contoso")} {
		if got, err := s.Read(t.Context(), other); err != nil || len(got) > 0 {
			t.Errorf("%s reads %v, %v", name, got, err)
		}
	}
	if _, err := s.Decide(t.Context(), p, "ada", now, make([]choices.Decision, choices.MaxDecisions+1)); err == nil || !strings.Contains(err.Error(), "at most 1000") {
		t.Errorf("got %v", err)
	}
}

// TestDecideTogether lets many people decide about one change at once: the choice is one of theirs, and all others are late.
func TestDecideTogether(t *testing.T) {
	t.Parallel()
	s := choices.NewStore(pgtest.Pool(t))
	p := preview("contoso")
	var deciding sync.WaitGroup
	kept := make(chan string, 8)
	for _, person := range strings.Fields("a b c d e f g h") {
		deciding.Go(func() {
			late, err := s.Decide(t.Context(), p, person, now, []choices.Decision{{Key: "x", Verdict: choices.Open, Text: &person}})
			if err != nil {
				t.Error(err)
			}
			if len(late) == 0 {
				kept <- person
			}
		})
	}
	deciding.Wait()
	close(kept)
	got, err := s.Read(t.Context(), p)
	if err != nil || len(kept) != 1 || got["x"].Person != <-kept || got["x"].Revision != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestApplies counts each started apply once.
func TestApplies(t *testing.T) {
	t.Parallel()
	s := choices.NewStore(pgtest.Pool(t))
	p := preview("contoso")
	var want []choices.Apply
	for n := range 7 {
		a := choices.Apply{OperationID: uuid.New(), Person: "ada", At: now.Add(time.Duration(n) * time.Minute).Local()}
		for range 2 {
			if err := s.Applied(t.Context(), p, a); err != nil {
				t.Fatal(err)
			}
		}
		want = append([]choices.Apply{a}, want...)
	}
	count, newest, err := s.Applies(t.Context(), p)
	if err != nil || count != 7 || len(newest) != 5 {
		t.Fatalf("got %d, %v, %v", count, newest, err)
	}
	for i, a := range newest {
		if a.OperationID != want[i].OperationID || !a.At.Equal(want[i].At) {
			t.Errorf("got %v at %d, want %v", a, i, want[i])
		}
	}
	if count, _, err := s.Applies(t.Context(), choices.Preview{Account: "fabrikam", ID: p.ID}); err != nil || count != 0 {
		t.Errorf("another account sees %d applies, %v", count, err)
	}
}

// TestSweep deletes everything about a preview when it expires, and nothing before.
func TestSweep(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s := choices.NewStore(pool)
	p := preview("contoso")
	if _, err := s.Decide(t.Context(), p, "ada", now, []choices.Decision{{Key: "x", Verdict: choices.Accepted}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Applied(t.Context(), p, choices.Apply{OperationID: uuid.New(), Person: "ada", At: now}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		at   time.Time
		want int
	}{{p.Expires.Add(-time.Second), 2}, {p.Expires, 0}} {
		var left int
		if err := s.Sweep(t.Context(), row.at); err != nil {
			t.Fatal(err)
		}
		if err := pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM console_choices) + (SELECT count(*) FROM console_applies)`).Scan(&left); err != nil || left != row.want {
			t.Errorf("at %s %d rows are left, %v, want %d", row.at, left, err, row.want)
		}
	}
}
