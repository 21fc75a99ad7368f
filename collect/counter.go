package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/commands"
	"readiness/domain/pixies"
	"readiness/forward"
	"readiness/http/collector"
	"readiness/projections"
)

const (
	// alone is the key of the advisory lock of the one process that counts.
	alone = int64(0x636f6c6c656374)
	// lookForTurn is how often another process looks whether it must take over.
	lookForTurn = 5 * time.Second
	// One transaction counts at most maxMessages messages, and about maxViews different views.
	maxMessages, maxViews = 256, 20_000
	// idle is how long to wait for a message before the stream's state is read.
	idle = time.Second
	// patience is how often in a row no message may arrive although there are some.
	patience = 3
	// countLimit bounds the look-ups and the transaction of one batch.
	countLimit = 30 * time.Second
	// A message with more views of a Pixie, or of an hour that far ahead, is damaged.
	mostViews = 1_000_000_000
	ahead     = 24 * time.Hour
)

// CounterOptions configures a Counter.
type CounterOptions struct {
	forward.Target
	Pool *pgxpool.Pool
	// Resolve returns where the Pixies with the ids are. Unknown ids are absent from the result.
	Resolve func(ctx context.Context, ids []string) (map[string]projections.PixieID, error)
	// Count counts all messages or none; those that it has counted before add nothing.
	Count    func(ctx context.Context, messages []commands.CollectedViews) ([]bool, error)
	Registry prometheus.Registerer
	Log      *slog.Logger
	Now      func() time.Time
}

// Counter adds up the views in the stream. Of all counters of a database one works. Make one with NewCounter.
type Counter struct {
	CounterOptions
	views *prometheus.CounterVec
	// upTo is a time before which all views that were published are counted; nil while another process counts.
	upTo atomic.Pointer[time.Time]
}

// Outcomes of views: the values of the metric's label outcome.
const (
	recorded   = "recorded"   // counted
	unknown    = "unknown"    // no Pixie has the id
	repeated   = "repeated"   // counted before
	unreadable = "unreadable" // a message that is not views
)

var lag = prometheus.NewDesc("readiness_collected_lag_seconds",
	"Age of the oldest view that was published and not counted, of the process that counts.", nil, nil)

// Describe implements prometheus.Collector.
func (c *Counter) Describe(to chan<- *prometheus.Desc) { to <- lag }

// Collect implements prometheus.Collector.
func (c *Counter) Collect(to chan<- prometheus.Metric) {
	if upTo := c.upTo.Load(); upTo != nil {
		to <- prometheus.MustNewConstMetric(lag, prometheus.GaugeValue, max(0, c.Now().Sub(*upTo).Seconds()))
	}
}

// NewCounter returns a counter and registers its metrics.
func NewCounter(o CounterOptions) (*Counter, error) {
	c := &Counter{CounterOptions: o, views: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "readiness_collected_views_total",
		Help: "Views that other processes collected, by outcome; for unreadable, messages.",
	}, []string{"outcome"})}
	for _, outcome := range []string{recorded, unknown, repeated, unreadable} {
		c.views.WithLabelValues(outcome)
	}
	for _, m := range []prometheus.Collector{c, c.views} {
		if err := o.Registry.Register(m); err != nil {
			return nil, fmt.Errorf("collect: metrics: %w", err)
		}
	}
	return c, nil
}

// Keep counts until ctx ends. Failures are logged and retried, with growing pauses.
func (c *Counter) Keep(ctx context.Context) {
	_ = forward.Repeat(ctx, c.Log, "counting collected views failed", c.run, false)
}

// run counts until ctx ends or something fails, once no other process counts.
func (c *Counter) run(ctx context.Context) error {
	for {
		err := forward.Alone(ctx, c.Pool, alone, false, c.session)
		if !errors.Is(err, forward.ErrBusy) {
			return err
		}
		c.upTo.Store(nil)
		select {
		case <-time.After(lookForTurn):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// session reads the stream from its first message, which is the first that was not removed as counted.
func (c *Counter) session(ctx context.Context) error {
	now := c.Now()
	c.upTo.CompareAndSwap(nil, &now)
	b, err := forward.Connect(c.Target, c.Log)
	if err != nil {
		return err
	}
	defer b.Close()
	stream, err := c.stream(ctx, b)
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
	places := collector.NewPlaces(c.Resolve, c.Now)
	var looked time.Time
	var last, removed uint64 // sequence numbers of the stream
	stalled := 0
	for ctx.Err() == nil {
		if time.Since(looked) > forward.LookAgain {
			if err := b.Flushes(ctx, stream); err != nil {
				return err
			}
			looked = time.Now()
		}
		some, err := next(ctx, messages)
		if err != nil {
			return err
		}
		if len(some) > 0 {
			if last, err = c.count(ctx, places, some); err != nil {
				return err
			}
		}
		if len(some) < maxMessages { // the others are not there yet
			if last > removed {
				if err := remove(ctx, stream, last); err != nil {
					return err
				}
				removed = last
			}
			behind, err := c.behind(ctx, stream, last)
			if err != nil {
				return err
			}
			if stalled++; !behind || len(some) > 0 {
				stalled = 0
			}
			if stalled == patience { // as after the server of the subscription was lost
				return errors.New("collect: the stream has messages that do not arrive")
			}
		}
	}
	return ctx.Err()
}

// stream returns the stream, a new one if there is none. One that would lose views is refused.
func (c *Counter) stream(ctx context.Context, b *forward.Broker) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, forward.CallLimit)
	defer cancel()
	s, err := b.JS.Stream(ctx, c.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = b.JS.CreateStream(ctx, jetstream.StreamConfig{
			Name: c.Stream, Description: "Views of Pixies until they are counted. Only readiness collect publishes here.",
			Subjects: []string{subject}, Storage: jetstream.FileStorage, Replicas: c.Replicas, Retention: jetstream.LimitsPolicy,
			Discard: jetstream.DiscardNew, MaxBytes: 1 << 30,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("collect: the stream %s: %w", c.Stream, err)
	}
	return s, fit(s.CachedInfo().Config, c.Replicas)
}

// fit refuses a stream that would lose views.
func fit(f jetstream.StreamConfig, replicas int) error {
	const do = "Correct the stream, or delete it once it is empty"
	switch {
	case f.Storage != jetstream.FileStorage:
		return &forward.Unfit{What: "the stream " + f.Name + " is kept in memory and lost with its servers", Do: do}
	case f.Retention != jetstream.LimitsPolicy || f.Discard != jetstream.DiscardNew || f.MaxMsgs > 0 || f.MaxAge > 0 ||
		f.MaxMsgsPerSubject > 0:
		return &forward.Unfit{What: "the stream " + f.Name + " removes views that are not counted yet", Do: do}
	case len(f.Subjects) != 1 || f.Subjects[0] != subject:
		return &forward.Unfit{What: fmt.Sprintf("the stream %s has the subjects %q, not %q alone", f.Name, f.Subjects, subject), Do: do}
	case f.Replicas < replicas:
		return &forward.Unfit{What: fmt.Sprintf("the stream %s has %d replicas, not %d", f.Name, f.Replicas, replicas), Do: do}
	}
	return nil
}

// Waiting connects to the servers, checks them and the stream as a Counter does, and returns how many messages wait and when the oldest was
// published. It changes nothing.
func Waiting(ctx context.Context, t forward.Target, log *slog.Logger) (messages uint64, oldest time.Time, err error) {
	b, err := forward.Connect(t, log)
	if err != nil {
		return 0, oldest, err
	}
	defer b.Close()
	s, err := b.JS.Stream(ctx, t.Stream)
	if err != nil {
		return 0, oldest, fmt.Errorf("collect: the stream %s: %w", t.Stream, err)
	}
	state := s.CachedInfo().State
	return state.Msgs, state.FirstTime, errors.Join(fit(s.CachedInfo().Config, t.Replicas), b.Flushes(ctx, s))
}

// next returns the next messages, at most maxMessages; none if there was none for a moment.
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

// bytesOfViews is about how long collector.Views is as JSON.
const bytesOfViews = 90

// message is what the stream has.
type message struct {
	collector uuid.UUID
	number    int64
	views     []collector.Views
}

// parse returns what a message says, or what is wrong with it.
func parse(msg jetstream.Msg, now time.Time) (m message, err error) {
	if m.collector, err = uuid.Parse(msg.Headers().Get(headerCollector)); err != nil {
		return m, err
	}
	if m.number, err = strconv.ParseInt(msg.Headers().Get(headerNumber), 10, 64); err != nil {
		return m, err
	}
	if err := json.Unmarshal(msg.Data(), &m.views); err != nil {
		return m, err
	}
	for _, v := range m.views {
		if v.N < 1 || v.N > mostViews || v.Hour.After(now.Add(ahead)) || !v.Hour.Equal(v.Hour.Truncate(time.Hour)) {
			return m, fmt.Errorf("%d views in the hour %s", v.N, v.Hour.Format(time.RFC3339))
		}
	}
	if m.number < 1 {
		return m, fmt.Errorf("the number %d", m.number)
	}
	return m, nil
}

// count counts messages and returns the sequence number of the last.
func (c *Counter) count(ctx context.Context, places *collector.Places, some []jetstream.Msg) (last uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	var all []message
	var ids []collector.ID
	var at time.Time
	for _, msg := range some {
		meta, err := msg.Metadata()
		if err != nil {
			return 0, fmt.Errorf("collect: read the stream: %w", err)
		}
		last, at = meta.Sequence.Stream, meta.Timestamp
		m, err := parse(msg, c.Now())
		if err != nil {
			c.views.WithLabelValues(unreadable).Inc()
			c.Log.WarnContext(ctx, "a message of the stream is not views, and is skipped", "sequence", last, "error", err)
			continue
		}
		all = append(all, m)
		for _, v := range m.views {
			ids = append(ids, v.ID)
		}
	}
	if err := places.Find(ctx, ids); err != nil {
		return 0, err
	}
	collected, outcomes := placed(places, all)
	counted, err := c.Count(ctx, collected)
	if err != nil {
		return 0, err
	}
	for i, o := range outcomes {
		if !counted[i] {
			c.views.WithLabelValues(repeated).Add(float64(o.known + o.unknown))
			continue
		}
		c.views.WithLabelValues(recorded).Add(float64(o.known))
		c.views.WithLabelValues(unknown).Add(float64(o.unknown))
	}
	c.upTo.Store(&at)
	return last, nil
}

// sums are how many views of known and of unknown Pixies a message has.
type sums struct{ known, unknown int }

// placed returns the views of messages by page. Those of unknown Pixies are left out.
func placed(places *collector.Places, all []message) (collected []commands.CollectedViews, outcomes []sums) {
	for _, m := range all {
		c, o := commands.CollectedViews{Collector: m.collector, Number: m.number}, sums{}
		for _, v := range m.views {
			place, is := places.Of(v.ID)
			if !is {
				o.unknown += v.N
				continue
			}
			o.known += v.N
			c.Views = append(c.Views, pixies.Viewed{
				AccountID: place.AccountID, ReportID: place.ReportID, Hour: v.Hour, Page: place.Page, Views: v.N,
			})
		}
		collected, outcomes = append(collected, c), append(outcomes, o)
	}
	return collected, outcomes
}

// remove removes the messages up to a sequence number from the stream.
func remove(ctx context.Context, s jetstream.Stream, upTo uint64) error {
	ctx, cancel := context.WithTimeout(ctx, forward.CallLimit)
	defer cancel()
	if err := s.Purge(ctx, jetstream.WithPurgeSequence(upTo+1)); err != nil {
		return fmt.Errorf("collect: remove counted views from the stream: %w", err)
	}
	return nil
}

// behind reports whether the stream has messages after the one that was counted last. If not, nothing is late.
func (c *Counter) behind(ctx context.Context, s jetstream.Stream, last uint64) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, forward.CallLimit)
	defer cancel()
	now := c.Now()
	info, err := s.Info(ctx)
	if err != nil {
		return false, fmt.Errorf("collect: the stream's state: %w", err)
	}
	if info.State.LastSeq > last && info.State.Msgs > 0 {
		return true, nil
	}
	c.upTo.Store(&now)
	return false, nil
}
