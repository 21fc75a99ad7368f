package person_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/person"
)

// Erasing records one event, however often it is repeated.
func TestErase(t *testing.T) {
	t.Parallel()
	var s person.State
	for n, want := range [][]domain.Event{{person.Erased{PersonID: "7f"}}, nil, nil} {
		events, err := person.Erase{PersonID: "7f"}.Decide(s)
		if err != nil || !cmp.Equal(events, want) {
			t.Fatalf("time %d: %v, %v, want %v", n+1, events, err, want)
		}
		for _, e := range events {
			s = person.Evolve(s, e)
		}
	}
}
