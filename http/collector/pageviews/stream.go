package pageviews

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"readiness/eventstore/forward"
)

// subject is the subject of all messages. A message is views as JSON, a []collector.Views.
const subject = "views"

// openStream returns the stream, which it creates if it is missing. It refuses one that would lose views.
func openStream(ctx context.Context, b *forward.Broker, t forward.Target) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, forward.CallLimit)
	defer cancel()
	s, err := b.JS.Stream(ctx, t.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = b.JS.CreateStream(ctx, jetstream.StreamConfig{
			Name: t.Stream, Description: "Views of Pixies until they are counted. Only readinessd collect publishes here.",
			Subjects: []string{subject}, Storage: jetstream.FileStorage, Replicas: t.Replicas, Retention: jetstream.LimitsPolicy,
			Discard: jetstream.DiscardNew, MaxBytes: 1 << 30,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("collect: open the stream %q: %w", t.Stream, err)
	}
	return s, checkStream(s.CachedInfo().Config, t.Replicas)
}

// checkStream refuses a stream that would lose views.
func checkStream(f jetstream.StreamConfig, replicas int) error {
	const do = "Correct the stream, or delete it once it is empty"
	switch {
	case f.Storage != jetstream.FileStorage:
		return &forward.Unfit{What: "the stream " + f.Name + " is kept in memory and would be lost with its servers", Do: do}
	case f.Retention != jetstream.LimitsPolicy || f.Discard != jetstream.DiscardNew || f.MaxMsgs > 0 || f.MaxAge > 0 ||
		f.MaxMsgsPerSubject > 0:
		return &forward.Unfit{What: "the stream " + f.Name + " removes views that are not counted yet: its limits or its retention " +
			"allow it", Do: do}
	case len(f.Subjects) != 1 || f.Subjects[0] != subject:
		return &forward.Unfit{What: fmt.Sprintf("the stream %s has the subjects %q, not %q alone", f.Name, f.Subjects, subject), Do: do}
	case f.Replicas < replicas:
		return &forward.Unfit{What: fmt.Sprintf("the stream %s has %d replicas, not %d", f.Name, f.Replicas, replicas), Do: do}
	}
	return nil
}

// Waiting connects to the servers, checks them and the stream as a Counter does, and returns how many messages wait and when the oldest
// was published. It changes nothing.
func Waiting(ctx context.Context, t forward.Target, log *slog.Logger) (messages uint64, oldest time.Time, err error) {
	b, err := forward.Connect(t, log)
	if err != nil {
		return 0, oldest, err
	}
	defer b.Close()
	s, err := b.JS.Stream(ctx, t.Stream)
	if err != nil {
		return 0, oldest, fmt.Errorf("collect: open the stream %q: %w", t.Stream, err)
	}
	state := s.CachedInfo().State
	return state.Msgs, state.FirstTime, errors.Join(checkStream(s.CachedInfo().Config, t.Replicas), b.Flushes(ctx, s))
}
