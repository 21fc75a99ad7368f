package forward

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Broker is a connection to the servers of NATS.
type Broker struct {
	nats, system *nats.Conn // system is nil after Dial
	JS           jetstream.JetStream
}

// Connect connects to the servers, and to their system account.
func Connect(t Target, log *slog.Logger) (*Broker, error) {
	if t.System == "" {
		return nil, &Unfit{"it cannot be checked whether the NATS servers flush every write", "Give the address of their system account"}
	}
	system, err := nats.Connect(t.System, options(log)...)
	if err != nil {
		return nil, fmt.Errorf("forward: connect to the system account: %w", err)
	}
	b, err := Dial(t, log)
	if err != nil {
		system.Close()
		return nil, err
	}
	b.system = system
	return b, nil
}

// Dial connects to the servers without their system account.
func Dial(t Target, log *slog.Logger, more ...nats.Option) (*Broker, error) {
	all := append(options(log), more...)
	if t.Credentials != "" {
		all = append(all, nats.UserCredentials(t.Credentials))
	}
	conn, err := nats.Connect(t.URL, all...)
	if err != nil {
		return nil, fmt.Errorf("forward: connect: %w", err)
	}
	b := &Broker{nats: conn}
	if b.JS, err = jetstream.New(conn); err != nil {
		b.Close()
		return nil, fmt.Errorf("forward: %w", err)
	}
	return b, nil
}

func options(log *slog.Logger) []nats.Option {
	return []nats.Option{nats.Name("readiness"), nats.Timeout(CallLimit), nats.MaxReconnects(-1),
		nats.ReconnectWait(firstRetry), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Warn("the connection to NATS reports an error", "error", err)
		})}
}

// Close ends the connection.
func (b *Broker) Close() {
	for _, c := range []*nats.Conn{b.nats, b.system} {
		if c != nil {
			c.Close()
		}
	}
}

// window is how long the broker remembers the ids of messages.
const window = 10 * time.Minute

// stream returns the stream, and creates it if there is none. It refuses a stream that would lose events.
func (b *Broker) stream(ctx context.Context, t Target) (jetstream.Stream, error) {
	bounded, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	s, err := b.JS.Stream(bounded, t.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = b.JS.CreateStream(bounded, jetstream.StreamConfig{
			Name: t.Stream, Description: "The event log of Readiness. Only readinessd forward publishes here.",
			Subjects: []string{"events.>"},
			Storage:  jetstream.FileStorage, Replicas: t.Replicas, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
			Duplicates: window, DenyDelete: true,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("forward: open the stream %q: %w", t.Stream, err)
	}
	c := s.CachedInfo().Config
	const do = "Correct the stream, or delete it with readinessd forward rebuild"
	switch {
	case c.Storage != jetstream.FileStorage:
		return nil, &Unfit{"the stream " + t.Stream + " is kept in memory and would be lost with its servers", do}
	case c.Retention != jetstream.LimitsPolicy || c.MaxMsgs > 0 || c.MaxBytes > 0 || c.MaxAge > 0 || c.MaxMsgsPerSubject > 0:
		return nil, &Unfit{"the stream " + t.Stream + " removes events: it has limits, or another retention than limits", do}
	case !slices.Contains(c.Subjects, "events.>"):
		return nil, &Unfit{fmt.Sprintf("the stream %s has the subjects %q, not events.>", t.Stream, c.Subjects), do}
	case c.Replicas < t.Replicas:
		return nil, &Unfit{fmt.Sprintf("the stream %s has %d replicas, not %d", t.Stream, c.Replicas, t.Replicas), do}
	}
	return s, nil
}

// lastOf returns the place of the last message and its sequence number, which is 0 if the stream is empty.
func lastOf(ctx context.Context, s jetstream.Stream) (Place, uint64, error) {
	bounded, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	info, err := s.Info(bounded)
	if err != nil {
		return Place{}, 0, fmt.Errorf("forward: read the stream's state: %w", err)
	}
	if info.State.LastSeq == 0 {
		return Place{}, 0, nil
	}
	last, err := s.GetMsg(bounded, info.State.LastSeq)
	if err != nil {
		return Place{}, 0, fmt.Errorf("forward: read the stream's last message: %w", err)
	}
	p, err := PlaceOf(last.Header)
	return p, info.State.LastSeq, err
}

// server is the state that a server reports.
type server struct {
	Server struct {
		Name string `json:"name"`
	} `json:"server"`
	Data struct {
		JetStream struct {
			Config struct {
				SyncAlways   bool          `json:"sync_always"`
				SyncInterval time.Duration `json:"sync_interval"`
			} `json:"config"`
		} `json:"jetstream"`
	} `json:"data"`
}

// Flushes returns an error unless the servers that keep the stream flush every write before they confirm it (sync_interval: always).
// It skips servers that cannot be reached, until they answer again.
func (b *Broker) Flushes(ctx context.Context, s jetstream.Stream) error {
	bounded, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	info, err := s.Info(bounded)
	if err != nil {
		return fmt.Errorf("forward: read which servers keep the stream: %w", err)
	}
	keep := map[string]bool{} // by name: whether it must answer
	if info.Cluster != nil {
		keep[info.Cluster.Leader] = true
		for _, r := range info.Cluster.Replicas {
			keep[r.Name] = !r.Offline && r.Current
		}
	}
	inbox := nats.NewInbox()
	answers, err := b.system.SubscribeSync(inbox)
	if err != nil {
		return fmt.Errorf("forward: ask the servers: %w", err)
	}
	defer func() { _ = answers.Unsubscribe() }()
	if err := b.system.PublishRequest("$SYS.REQ.SERVER.PING.VARZ", inbox, nil); err != nil {
		return fmt.Errorf("forward: ask the servers: %w", err)
	}
	for answered := false; ; answered = true {
		if waits := slices.Collect(missing(keep)); len(waits) == 0 && answered {
			return nil
		}
		msg, err := answers.NextMsgWithContext(bounded)
		if err != nil {
			return fmt.Errorf("forward: the servers %q did not report how they flush; check the address and the user of the system "+
				"account: %w",
				slices.Sorted(missing(keep)), err)
		}
		var said server
		if err := json.Unmarshal(msg.Data, &said); err != nil {
			return fmt.Errorf("forward: read the state of a server: %w", err)
		}
		keeps, known := keep[said.Server.Name]
		if c := said.Data.JetStream.Config; !c.SyncAlways && (known || len(keep) == 0) {
			return &Unfit{fmt.Sprintf("the server %s confirms writes before they are on disk, and flushes them every %s", said.Server.Name,
				c.SyncInterval), "Set sync_interval: always in its jetstream block"}
		}
		if known && keeps {
			keep[said.Server.Name] = false
		}
	}
}

// missing yields the servers that must still answer.
func missing(keep map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name, waits := range keep {
			if waits && !yield(name) {
				return
			}
		}
	}
}
