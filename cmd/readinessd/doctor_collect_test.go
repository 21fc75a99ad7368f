package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"readiness/cmd/cli"
	"readiness/eventstore/forward"
	"readiness/http/collector/pageviews"
	"readiness/test/natstest"
	"readiness/test/pgtest"
)

// The doctor says of the servers of collected views what is wrong with them, and how many messages wait.
func TestDoctorOfCollectedViews(t *testing.T) {
	t.Parallel()
	cluster := natstest.Start(t, 1, "always")
	args := []string{"--database-url", pgtest.URL(t), "--data", t.TempDir(), "--platform", "folder:../../samples/workspaces", "--collect-replicas", "1"}
	says := func(verdict, url, says string) {
		t.Helper()
		all := examined(t, cli.ExitDamaged, append(args[:len(args):len(args)], "--collect", url, "--collect-system", cluster.System())...)
		if found := all["collect "+verdict]; len(found) != 1 || !strings.Contains(found[0].Says, says) {
			t.Errorf("got %+v, want %s: %s", all, verdict, says)
		}
	}
	says("failing", "nats://127.0.0.1:1", "no servers available")
	says("failing", cluster.URL(), "stream not found")

	conn, err := nats.Connect(cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	made := jetstream.StreamConfig{Name: "readiness-views", Subjects: []string{"views"}, Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, MaxBytes: 1 << 20}
	if _, err := js.CreateStream(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	says("ok", cluster.URL(), "0 messages with page views wait")
	publisher, err := pageviews.Dial(forward.Target{URL: cluster.URL(), Stream: made.Name}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(publisher.Close)
	if err := publisher.Publish(t.Context(), 1, nil); err != nil {
		t.Fatal(err)
	}
	says("ok", cluster.URL(), "1 messages with page views wait")

	made.Discard = jetstream.DiscardOld // the oldest views would be lost
	if _, err := js.UpdateStream(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	says("failing", cluster.URL(), "readiness-views")
	made.Discard = jetstream.DiscardNew
	if _, err := js.UpdateStream(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	cluster.Stop(0)
	cluster.Sync = "30s"
	cluster.Again(0)
	says("failing", cluster.URL(), "confirms writes before they are on disk")
}
