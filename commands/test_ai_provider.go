package commands

import (
	"context"
	"fmt"
	"time"

	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/eventstore"
)

// ProviderTester makes test calls to language models. A provider's failure is part
// of the observation; an error means that the call could not be made.
type ProviderTester interface {
	Test(ctx context.Context, settings aiprovider.Settings) (aiprovider.Observation, error)
}

// Test makes a test call to an AI provider of the caller's account,
// records its outcome and returns the provider (docs/decisions.md 7).
func (s *Providers) Test(ctx context.Context, caller Caller, providerID string) (aiprovider.Provider, error) {
	past := eventstore.FoldCached(aiprovider.Stream(caller.Account), aiprovider.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return aiprovider.Provider{}, err
	}
	p, err := past.State.Testable(providerID)
	if err != nil {
		return p, err
	}
	settings, err := s.settings(ctx, caller.Account, p)
	if err != nil {
		return p, err
	}
	observed, err := s.testCall(ctx, caller, p, settings.Key)
	if err != nil {
		return p, err
	}
	record := aiprovider.RecordTest{ProviderID: p.ProviderID, Observed: observed, Of: p.Connection()}
	err = s.changeAsMember(ctx, caller, caller.providerMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, record)
	})
	p, _ = past.State.Find(p.ProviderID)
	return p, err
}

// testCall asks the provider, outside any transaction, and returns what it
// observed. A data agent is only looked up, as the caller.
func (s *Providers) testCall(ctx context.Context, caller Caller, p aiprovider.Provider, key aiprovider.Key) (o aiprovider.Observation,
	err error) {
	switch {
	case !p.Askable():
		return s.failedTest(aiprovider.KeyMissing(p.Name, p.ProviderID))
	case p.Kind == aiprovider.DataAgent:
		began := s.Now()
		if _, err := s.Platform.Item(ctx, caller.Caller, p.WorkspaceID, item.DataAgent, p.DataAgentID); err != nil {
			return s.failedTest(err)
		}
		o.OK, o.LatencyMs, o.Message = true, s.Now().Sub(began).Milliseconds(),
			"The data agent is there and you can see it; it was not asked."
	default:
		if o, err = s.Tester.Test(ctx, p.Configuration.Settings(key)); err != nil {
			return s.failedTest(err)
		}
	}
	o.At = instant(s.Now)
	return o, nil
}

// failedTest returns the observation for a refused test call. A fault is returned
// as an error.
func (s *Providers) failedTest(err error) (aiprovider.Observation, error) {
	refusal, ok := domain.Refused(err)
	if !ok {
		return aiprovider.Observation{}, fmt.Errorf("commands: test an AI provider: %w", err)
	}
	return aiprovider.Observation{Test: aiprovider.Test{At: instant(s.Now), ErrorCode: aiprovider.TestError(refusal.Code),
		Message: refusal.Message}}, nil
}

// instant returns the current time at the log's resolution of one microsecond.
func instant(now func() time.Time) time.Time { return now().UTC().Truncate(time.Microsecond) }

// providerMetadata returns the origin that the events of a call on an AI provider
// record.
func (caller Caller) providerMetadata() eventstore.Metadata {
	return eventstore.Metadata{Account: caller.Account, Person: string(caller.PersonID), RequestID: caller.RequestID,
		Causation: "AI provider", Trace: caller.Trace}
}
