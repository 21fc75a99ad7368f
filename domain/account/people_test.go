package account_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/domain/account"
	"readiness/domain/item"
)

// The people of an account are those saved last and not removed since. An account that
// was returned never changes, however many changes follow.
func TestPeopleNeverChange(t *testing.T) {
	t.Parallel()
	type past struct {
		account account.Account
		want    map[item.PersonID]account.SavedPerson
	}
	rapid.Check(t, func(t *rapid.T) {
		now := past{want: map[item.PersonID]account.SavedPerson{}}
		pasts := []past{now}
		for n := range rapid.IntRange(1, 300).Draw(t, "events") {
			who := item.PersonID(fmt.Sprint(rapid.IntRange(0, 80).Draw(t, "person")))
			want := maps.Clone(now.want)
			// Continue from any earlier account, so that two continue from the same
			// one.
			if rapid.IntRange(0, 9).Draw(t, "back") == 0 {
				now = rapid.SampledFrom(pasts).Draw(t, "past")
				want = maps.Clone(now.want)
			}
			if rapid.IntRange(0, 3).Draw(t, "removes") == 0 {
				delete(want, who)
				now = past{account.Evolve(now.account, account.PersonRemoved{Person: who}), want}
			} else {
				person := account.SavedPerson{Person: who, License: fmt.Sprint(n)}
				want[who] = person
				now = past{account.Evolve(now.account, account.PersonSaved{Person: person}), want}
			}
			pasts = append(pasts, now)
		}
		for n, p := range pasts {
			if diff := cmp.Diff(p.want, maps.Collect(p.account.People.All())); diff != "" {
				t.Fatalf("after %d events (-want +got):\n%s", n, diff)
			}
			for i := range 81 {
				who := item.PersonID(fmt.Sprint(i))
				got, ok := p.account.People.Get(who)
				if want, known := p.want[who]; ok != known || !cmp.Equal(got, want) {
					t.Fatalf("%s: got %v, %v, want %v, %v", who, got, ok, want, known)
				}
			}
		}
	})
}

// BenchmarkEvolve folds an account with many people.
func BenchmarkEvolve(b *testing.B) {
	for _, people := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("%d people", people), func(b *testing.B) {
			events := make([]account.PersonSaved, people)
			for i := range events {
				events[i].Person = account.SavedPerson{Person: item.PersonID(fmt.Sprint(i)), Role: account.Member}
			}
			for b.Loop() {
				var a account.Account
				for _, e := range events {
					a = account.Evolve(a, e)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*people), "ns/event")
		})
	}
}
