package openai_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"readiness/ai/openai"
	"readiness/domain"
	"readiness/domain/aiprovider"
)

// Requests are admitted while a provider answers. Five consecutive timeouts stop that, and half a
// minute later one request probes the provider.
//
// proves: decisions/9/4
func TestCircuit(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	const yes, no = "yes", "no" // asked, and admitted or not
	type step struct {
		after time.Duration
		what  string
	}
	silent := []step{{0, yes}, {0, "late"}, {0, yes}, {0, "late"}, {0, yes}, {0, "late"}, {0, yes}, {0, "late"}, {0, yes}, {0, "late"}}
	for name, steps := range map[string][]step{
		"answers":                    {{0, yes}, {0, "back"}, {0, yes}, {0, "back"}, {0, yes}},
		"four are late":              append(silent[:8:8], step{0, yes}),
		"five are late":              append(silent[:10:10], step{0, no}, step{29999 * time.Millisecond, no}),
		"four, an answer, four":      append(append(silent[:8:8], step{0, yes}, step{0, "back"}), append(silent[:8:8], step{0, yes})...),
		"the caller leaves":          append(append(silent[:8:8], step{0, yes}, step{0, "left"}), step{0, yes}, step{0, "left"}, step{0, yes}),
		"one request probes":         append(silent[:10:10], step{30 * time.Second, yes}, step{0, no}, step{time.Minute, no}),
		"the probe is answered":      append(silent[:10:10], step{30 * time.Second, yes}, step{0, "back"}, step{0, yes}, step{0, yes}),
		"the probe times out":        append(silent[:10:10], step{30 * time.Second, yes}, step{time.Minute, "late"}, step{0, no}, step{29 * time.Second, no}, step{time.Second, yes}, step{0, no}),
		"the probe's caller leaves":  append(silent[:10:10], step{30 * time.Second, yes}, step{0, "left"}, step{0, yes}, step{0, no}),
		"asked before, late at last": append(silent[:10:10], step{20 * time.Second, "late"}, step{10 * time.Second, no}, step{20 * time.Second, yes}),
		"asked before, and answers":  append(silent[:10:10], step{time.Second, "back"}, step{0, yes}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c openai.Circuit
			now := noon
			for i, s := range steps {
				now = now.Add(s.after)
				switch s.what {
				case yes, no:
					if f := openai.Admit(&c, now); (f == nil) != (s.what == yes) {
						t.Errorf("step %d: admitted is %v, want %s", i+1, f == nil, s.what)
					}
				case "back":
					c.Responded()
				case "late":
					c.TimedOut(now)
				case "left":
					c.Abandoned()
				}
			}
		})
	}
}

// ending is a context whose deadline passes when the test closes over.
type ending struct {
	context.Context
	over chan struct{}
}

func (e ending) Done() <-chan struct{} { return e.over }

func (e ending) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A provider that times out repeatedly is no longer asked; callers get the same failure as before, and
// it is asked again once it answers.
//
// proves: decisions/9/4
func TestSilentProviderIsNotAsked(t *testing.T) {
	t.Parallel()
	var answers atomic.Bool
	var seconds atomic.Int64
	asked := make(chan struct{}, 10)
	s := serve(t, func(_ int, r request) reply {
		if answers.Load() {
			return obey(r)
		}
		asked <- struct{}{}
		return reply{hang: true}
	})
	const limit = 60 // seconds
	c := s.client(t, func(of *openai.Settings, o *openai.Options) {
		of.Limits = aiprovider.Limits{MaxConcurrency: 1, TimeoutMs: limit * 1000, MaxRetries: 0, MaxOutputTokens: 100}
		o.Now = func() time.Time { return time.Unix(seconds.Load(), 0) }
	})
	late := func(after int64) {
		t.Helper()
		ctx := ending{t.Context(), make(chan struct{})}
		failed := make(chan error, 1)
		go func() {
			_, _, err := c.Describe(ctx, sales("a"), measures("a"))
			failed <- err
		}()
		select {
		case <-asked:
		case err := <-failed:
			t.Fatalf("the provider was not asked: %v", err)
		}
		seconds.Add(after)
		close(ctx.over)
		if err := <-failed; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	}
	for range maxTimeouts - 1 {
		late(limit)
	}
	late(limit/2 - 1) // there was too little time, so it does not count
	if c.Silent() {
		t.Error("a provider that had no time to answer is not asked")
	}
	late(limit)
	if !c.Silent() {
		t.Fatal("a provider that timed out is still asked")
	}
	answers.Store(true)
	before := len(s.asked())
	for range 3 {
		_, _, err := c.Describe(t.Context(), sales("a"), measures("a"))
		if refusal, refused := domain.Refused(err); !refused || refusal.Code != domain.OptimizationFailed || !strings.Contains(refusal.Message, "Test texts did not answer: it took too long") || refusal.RetryAfter != 30*time.Second {
			t.Errorf("got %v", err)
		}
		_, e, err := c.AnswerQuestion(t.Context(), openai.Material{}, "How much?")
		if none, ok := errors.AsType[*openai.NoAnswer](err); !ok || none.Code != aiprovider.TimedOut || none.Lasting || e.Attempts != 1 {
			t.Errorf("a question got %+v after %d attempts, %v", none, e.Attempts, err)
		}
	}
	if n := len(s.asked()); n != before {
		t.Errorf("a silent provider was asked %d times", n-before)
	}
	seconds.Add(30)
	if _, _, err := c.Describe(t.Context(), sales("a"), measures("a")); err != nil || c.Silent() {
		t.Errorf("after half a minute: %v, silent %v", err, c.Silent())
	}
	s.secrecy(t)
}

const maxTimeouts = 5
