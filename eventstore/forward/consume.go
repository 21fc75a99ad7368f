package forward

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"readiness/eventstore"
)

const (
	// fetchWait is how long a consumer waits for messages before it uses those that it has.
	fetchWait = time.Second
	// fetchBytes bounds the messages that are used together, unless one alone may be larger.
	fetchBytes = 8 << 20
	// idleFetches is how many fetches without messages end a session although the stream has more: its consumer was lost with its server.
	idleFetches = 3
)

// Message is an event from the stream.
type Message struct {
	Place
	Sequence uint64 // in the stream
	Event    eventstore.Recorded
	Cut      bool // its data are left out
}

// Sink uses messages and keeps the place of the last one in the same transaction.
type Sink interface {
	// Reached returns the place and the sequence number of the last message used. The number is 0 before the first.
	Reached(ctx context.Context) (Place, uint64, error)
	// Use uses the messages after its place. It fails if messages between its place and these are missing, because it was set back since
	// they were requested.
	Use(ctx context.Context, messages []Message) error
}

// ConsumerOptions configure a Consumer.
type ConsumerOptions struct {
	Target // without System
	Sink   Sink
	Now    func() time.Time
	Log    *slog.Logger
}

// Consumer passes the events of the stream to a sink, from the place that the sink keeps (docs/forwarding.md, A consumer). Make one with
// NewConsumer.
type Consumer struct {
	o     ConsumerOptions
	fresh atomic.Int64 // when the sink was last known to have everything, in Unix nanoseconds
}

// NewConsumer returns a consumer.
func NewConsumer(o ConsumerOptions) *Consumer {
	c := &Consumer{o: o}
	c.fresh.Store(o.Now().UnixNano())
	return c
}

// Lag returns how long ago the sink was last known to have everything that the stream has. Before that it returns the consumer's age.
func (c *Consumer) Lag() time.Duration { return c.o.Now().Sub(time.Unix(0, c.fresh.Load())) }

// KeepOrFail consumes until ctx ends. Failures are logged and retried, with growing pauses; an *Unfit is returned.
func (c *Consumer) KeepOrFail(ctx context.Context) error {
	return Repeat(ctx, c.o.Log, "reading the forwarded log failed", c.session, true)
}

// session connects, finds where to continue, and consumes until something fails.
func (c *Consumer) session(ctx context.Context) error {
	b, err := Dial(c.o.Target, c.o.Log)
	if err != nil {
		return err
	}
	defer b.Close()
	bounded, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	stream, err := b.JS.Stream(bounded, c.o.Stream)
	if err != nil {
		return fmt.Errorf("forward: open the stream %q: %w", c.o.Stream, err)
	}
	at, sequence, err := c.o.Sink.Reached(ctx)
	if err != nil {
		return err
	}
	s := &session{Consumer: c, stream: stream, at: at}
	if s.sequence, err = s.resume(bounded, sequence); err != nil {
		return err
	}
	s.met = s.sequence > 0 || sequence == 0
	consumer, err := stream.CreateConsumer(bounded, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: s.sequence + 1, AckPolicy: jetstream.AckNonePolicy,
		InactiveThreshold: time.Minute, MemoryStorage: true, Replicas: 1,
	})
	if err != nil {
		return fmt.Errorf("forward: read the stream: %w", err)
	}
	most := max(fetchBytes, 2*int(b.nats.MaxPayload()))
	for idle := 0; ; {
		found, err := s.fetch(ctx, consumer, most)
		if err != nil {
			return err
		}
		if idle++; found {
			idle = 0
		}
		ended, err := s.ended(ctx)
		if err != nil {
			return err
		}
		if _, reached, err := c.o.Sink.Reached(ctx); err != nil || reached < s.sequence {
			return errors.Join(err, fmt.Errorf("forward: the reader had message %d of the stream and was set back to message %d",
				s.sequence, reached))
		}
		if !ended && idle == idleFetches {
			return errors.New("forward: the stream has more messages, but the servers deliver none")
		}
	}
}

// session is what a consumer has read over one connection.
type session struct {
	*Consumer
	stream   jetstream.Stream
	at       Place
	sequence uint64 // of the last message
	// met says that the stream was found to have the event at the place, so the sink's events are from the same log.
	met bool
}

// resume returns the sequence number of the message that the sink used last, 0 if the stream was built again and has another one there.
func (s *session) resume(ctx context.Context, sequence uint64) (uint64, error) {
	info, err := s.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("forward: read the stream's state: %w", err)
	}
	if info.State.FirstSeq > 1 {
		return 0, &Unfit{fmt.Sprintf("the stream %s begins with its message %d, so earlier events are missing", s.o.Stream,
			info.State.FirstSeq),
			"Run: readinessd forward rebuild"}
	}
	if sequence == 0 || sequence > info.State.LastSeq {
		return 0, nil
	}
	msg, err := s.stream.GetMsg(ctx, sequence)
	if err != nil {
		return 0, fmt.Errorf("forward: read message %d of the stream, the last one used: %w", sequence, err)
	}
	p, err := PlaceOf(msg.Header)
	if err != nil || p.Epoch != s.at.Epoch || p.Position != s.at.Position || string(p.Hash) != string(s.at.Hash) {
		return 0, err
	}
	return sequence, nil
}

// fetch reads messages and has the sink use them.
func (s *session) fetch(ctx context.Context, from jetstream.Consumer, most int) (found bool, err error) {
	fetched, err := from.FetchBytes(most, jetstream.FetchMaxWait(fetchWait))
	if err != nil {
		return false, fmt.Errorf("forward: read the stream: %w", err)
	}
	var messages []Message
	for msg := range fetched.Messages() {
		if err == nil {
			var m Message
			if m, err = s.message(msg); err == nil {
				messages = append(messages, m)
			}
		}
	}
	if fetched.Error() != nil && !errors.Is(fetched.Error(), nats.ErrTimeout) {
		s.o.Log.DebugContext(ctx, "reading the stream ended early", "error", fetched.Error())
	}
	if len(messages) > 0 {
		if used := s.o.Sink.Use(ctx, messages); used != nil {
			return true, used
		}
	}
	return len(messages) > 0, errors.Join(err, ctx.Err())
}

// message reads the message that must come next.
func (s *session) message(msg jetstream.Msg) (m Message, err error) {
	meta, err := msg.Metadata()
	if err != nil {
		return m, fmt.Errorf("forward: read a message of the stream: %w", err)
	}
	if meta.Sequence.Stream != s.sequence+1 {
		return m, fmt.Errorf("forward: message %d of the stream was followed by message %d", s.sequence, meta.Sequence.Stream)
	}
	m = Message{Sequence: meta.Sequence.Stream, Cut: msg.Headers().Get(HeaderCut) != ""}
	if m.Place, err = PlaceOf(msg.Headers()); err != nil {
		return m, err
	}
	if err = m.Event.FromCloudEvent(msg.Data()); err == nil &&
		(m.Event.Position != m.Position || string(m.Event.Hash) != string(m.Hash)) {
		err = fmt.Errorf("forward: message %d of the stream is damaged: its headers and its body name different events", m.Sequence)
	}
	if err != nil {
		return m, err
	}
	if m.Epoch == s.at.Epoch && m.Position == s.at.Position {
		s.met = string(m.Hash) == string(s.at.Hash)
	}
	if m.Epoch == s.at.Epoch && m.After(s.at) && !s.met {
		return m, &Unfit{fmt.Sprintf("the stream lacks the event at position %d, the last one that was read before, so it has another log",
			s.at.Position), "Name the stream of the same log, or run: readinessd views rebuild"}
	}
	s.sequence = m.Sequence
	return m, nil
}

// ended reports whether the last message was read, and notes that the sink has everything then.
func (s *session) ended(ctx context.Context) (bool, error) {
	bounded, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	asked := s.o.Now()
	info, err := s.stream.Info(bounded)
	switch {
	case err != nil:
		return false, fmt.Errorf("forward: read the stream's state: %w", err)
	case info.State.LastSeq < s.sequence:
		return false, errors.New("forward: the stream was built again")
	case info.State.LastSeq == s.sequence:
		s.fresh.Store(asked.UnixNano())
	}
	return info.State.LastSeq == s.sequence, nil
}
