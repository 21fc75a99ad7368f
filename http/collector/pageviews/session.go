package pageviews

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"readiness/eventstore/forward"
	"readiness/http/collector"
)

const (
	// One transaction counts at most maxMessages messages, and about maxViews different views.
	maxMessages, maxViews = 256, 20_000
	// bytesOfViews is about how long collector.Views is as JSON.
	bytesOfViews = 90
	// idle is how long to wait for a message before the stream's state is read.
	idle = time.Second
	// maxStalls is how often in a row no message may arrive although the stream has some.
	maxStalls = 3
)

// session reads the stream over one connection, and its counter counts what was read.
type session struct {
	*Counter
	broker       *forward.Broker
	stream       jetstream.Stream
	places       *collector.Places
	counted      uint64    // sequence number of the last message that was counted
	removed      uint64    // sequence number of the last message that was removed from the stream
	stalls       int       // how often in a row no message arrived although the stream has some
	flushChecked time.Time // when the servers last reported that they flush every write
}

// read reads the stream from its first message until ctx ends or something fails. Counted messages are removed, so the first message
// is the first that may not be counted.
func (c *Counter) read(ctx context.Context) error {
	now := c.Now()
	c.upTo.CompareAndSwap(nil, &now)
	b, err := forward.Connect(c.Target, c.Log)
	if err != nil {
		return err
	}
	defer b.Close()
	stream, err := openStream(ctx, b, c.Target)
	if err != nil {
		return err
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return fmt.Errorf("collect: read the stream: %w", err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(maxMessages))
	if err != nil {
		return fmt.Errorf("collect: read the stream: %w", err)
	}
	defer messages.Stop()
	s := session{Counter: c, broker: b, stream: stream, places: collector.NewPlaces(c.Resolve, c.Now)}
	for ctx.Err() == nil {
		if err := s.batch(ctx, messages); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// batch counts the next messages. If there are fewer than maxMessages, it removes the counted ones.
func (s *session) batch(ctx context.Context, messages jetstream.MessagesContext) error {
	if time.Since(s.flushChecked) > forward.LookAgain {
		if err := s.broker.Flushes(ctx, s.stream); err != nil {
			return err
		}
		s.flushChecked = time.Now()
	}
	some, err := next(ctx, messages)
	if err != nil {
		return err
	}
	if len(some) > 0 {
		if s.counted, err = s.count(ctx, s.places, some); err != nil {
			return err
		}
	}
	if len(some) == maxMessages {
		return nil
	}
	if err := s.remove(ctx); err != nil {
		return err
	}
	more, err := s.hasMore(ctx)
	if err != nil {
		return err
	}
	if !more || len(some) > 0 {
		s.stalls = 0
		return nil
	}
	if s.stalls++; s.stalls == maxStalls { // as after the server of the subscription was lost
		return errors.New("collect: the stream has messages, but the servers deliver none")
	}
	return nil
}

// next returns the next messages, at most maxMessages. It returns none if none arrives within idle.
func next(ctx context.Context, messages jetstream.MessagesContext) (some []jetstream.Msg, err error) {
	wait := idle
	for size := 0; len(some) < maxMessages && size < maxViews*bytesOfViews && ctx.Err() == nil; wait = 10 * time.Millisecond {
		msg, err := messages.Next(jetstream.NextMaxWait(wait))
		if errors.Is(err, nats.ErrTimeout) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("collect: read the stream: %w", err)
		}
		some = append(some, msg)
		size += len(msg.Data())
	}
	return some, ctx.Err()
}

// remove removes the counted messages from the stream.
func (s *session) remove(ctx context.Context) error {
	if s.removed == s.counted {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, forward.CallLimit)
	defer cancel()
	if err := s.stream.Purge(ctx, jetstream.WithPurgeSequence(s.counted+1)); err != nil {
		return fmt.Errorf("collect: remove counted views from the stream: %w", err)
	}
	s.removed = s.counted
	return nil
}

// hasMore reports whether the stream has messages after the last counted one. If not, everything published before the call is counted.
func (s *session) hasMore(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, forward.CallLimit)
	defer cancel()
	now := s.Now()
	info, err := s.stream.Info(ctx)
	if err != nil {
		return false, fmt.Errorf("collect: read the stream's state: %w", err)
	}
	if info.State.LastSeq > s.counted && info.State.Msgs > 0 {
		return true, nil
	}
	s.upTo.Store(&now)
	return false, nil
}
