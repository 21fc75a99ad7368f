package pageviews_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"readiness/eventstore/forward"
	"readiness/test/natstest"
)

// used counts messages of the forwarded log.
type used struct {
	at       forward.Place
	sequence uint64
	n        atomic.Int64
}

func (u *used) Reached(context.Context) (forward.Place, uint64, error) { return u.at, u.sequence, nil }

func (u *used) Use(_ context.Context, messages []forward.Message) error {
	last := messages[len(messages)-1]
	u.at, u.sequence = last.Place, last.Sequence
	u.n.Add(int64(len(messages)))
	return nil
}

// The users of deploy/nats have the rights that they need, and no others: collectors publish views, readers of the forwarded log read it.
func TestDeployedUsers(t *testing.T) {
	for _, user := range []string{"SERVICE", "COLLECTOR", "VIEWS", "SYSTEM"} {
		t.Setenv("NATS_"+user+"_PASSWORD", strings.ToLower(user)+"-secret")
	}
	options, err := server.ProcessConfigFile("../../../deploy/nats/nats.conf")
	check(t, err)
	if !options.SyncAlways || !options.JetStream || options.SystemAccount != "SYS" {
		t.Errorf("nats.conf: flushes always %t, JetStream %t, system account %q", options.SyncAlways, options.JetStream, options.SystemAccount)
	}
	accounts, err := os.ReadFile("../../../deploy/nats/accounts.conf")
	check(t, err)
	cluster := natstest.StartWith(t, 1, "always", string(accounts))
	w := newWorldOn(t, cluster, "service:service-secret", "system:system-secret")
	w.collector = forward.Target{URL: cluster.URLs("collector:collector-secret"), Stream: "views"}
	log := slog.New(slog.DiscardHandler)

	w.counting("counter", nil)
	c, _ := w.collecting("collector")
	c.See(id(1))
	w.became(map[string]int{"page 1 12": 1})

	forwarding := w.target
	forwarding.Stream = "readiness"
	w.running(func(ctx context.Context) {
		_ = forward.New(forward.Options{Target: forwarding, Pool: w.Pool, Store: w.Store, Log: log,
			Epoch: func(context.Context) (int, error) { return 1, nil }}).KeepOrFail(ctx)
	})
	reading := forward.Target{URL: cluster.URLs("views:views-secret"), Stream: "readiness"}
	var sink used
	w.running(func(ctx context.Context) {
		_ = forward.NewConsumer(forward.ConsumerOptions{Target: reading, Sink: &sink, Now: time.Now, Log: log}).KeepOrFail(ctx)
	})
	w.until("the log is read", func() bool { return sink.n.Load() >= 2 })

	for user, tries := range map[string]map[string]string{
		"collector:collector-secret": {"events.acme.x": "{}", "$JS.API.STREAM.INFO.views": "", "$JS.API.STREAM.PURGE.views": "", "$JS.API.STREAM.NAMES": ""},
		"views:views-secret": {"events.acme.x": "{}", "views": "[]", "$JS.API.STREAM.DELETE.readiness": "", "$JS.API.STREAM.PURGE.readiness": "",
			"$JS.API.STREAM.MSG.DELETE.readiness": `{"seq":1}`, "$JS.API.STREAM.INFO.views": "", "$JS.API.STREAM.CREATE.mine": `{"name":"mine"}`},
	} {
		denied := make(chan error, 1)
		conn, err := nats.Connect(cluster.URLs(user), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
		check(t, err)
		for subject, body := range tries {
			check(t, conn.PublishRequest(subject, nats.NewInbox(), []byte(body)))
			if err := <-denied; !strings.Contains(err.Error(), fmt.Sprintf("Permissions Violation for Publish to %q", subject)) {
				t.Errorf("%s publishes to %s: %v", user, subject, err)
			}
		}
		_, err = conn.Subscribe("events.>", func(*nats.Msg) {})
		check(t, err)
		if err := <-denied; !strings.Contains(err.Error(), "Permissions Violation for Subscription") {
			t.Errorf("%s subscribes: %v", user, err)
		}
		conn.Close()
	}
	if s, err := w.js.Stream(t.Context(), "readiness"); err != nil || s.CachedInfo().State.Msgs != uint64(sink.n.Load()) || s.CachedInfo().State.NumDeleted > 0 {
		t.Errorf("the stream changed: %v", err)
	}
}
