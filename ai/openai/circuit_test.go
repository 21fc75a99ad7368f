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

// Requests are let through while a provider answers, five in a row that it does not
// answer in time end that, and half a minute later one finds out.
//
// proves: decisions/9/4
func TestCircuit(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	const yes, no = "yes", "no" // asked, and let through or not
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
		"left by who asked":          append(append(silent[:8:8], step{0, yes}, step{0, "left"}), step{0, yes}, step{0, "left"}, step{0, yes}),
		"one finds out":              append(silent[:10:10], step{30 * time.Second, yes}, step{0, no}, step{time.Minute, no}),
		"and it answers":             append(silent[:10:10], step{30 * time.Second, yes}, step{0, "back"}, step{0, yes}, step{0, yes}),
		"and it does not":            append(silent[:10:10], step{30 * time.Second, yes}, step{time.Minute, "late"}, step{0, no}, step{29 * time.Second, no}, step{time.Second, yes}, step{0, no}),
		"and who finds out leaves":   append(silent[:10:10], step{30 * time.Second, yes}, step{0, "left"}, step{0, yes}, step{0, no}),
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
						t.Errorf("step %d: let through is %v, want %s", i+1, f == nil, s.what)
					}
				case "back":
					c.CameBack()
				case "late":
					c.TimedOut(now)
				case "left":
					c.GaveUp()
				}
			}
		})
	}
}

// ending is a context whose time is over when a test says so.
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

// A provider that answers nothing in time is not asked any more, the answer to who
// wants a text of it stays what it was, and once it answers it is asked again.
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
	late(limit/2 - 1) // it had little time, and is not held against the provider
	if c.Silent() {
		t.Error("a provider is not asked that had no time to answer")
	}
	late(limit)
	if !c.Silent() {
		t.Fatal("a provider that answered nothing in time is still asked")
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
