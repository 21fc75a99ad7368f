package testworld

import (
	"context"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
)

// Record decides commands on a stream of an account, appends their events and returns the state after them. A test uses it for a
// thing that it needs and that calls alone would make slowly, such as an A/B test that has ended. A refusal fails the test.
func Record[S any](t testing.TB, w *World, accountID string, past *eventstore.Stream[S], commands ...domain.Command[S]) S {
	t.Helper()
	Check(t, w.Store.Change(context.Background(), eventstore.Metadata{Account: accountID}, []eventstore.Loadable{past},
		func(c *eventstore.Change) error {
			for _, command := range commands {
				if err := eventstore.Decide(c, past, command); err != nil {
					return err
				}
			}
			return nil
		}))
	return past.State
}
