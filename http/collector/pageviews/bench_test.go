package pageviews_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/eventstore/forward"
	readinesshttp "readiness/http"
	"readiness/http/collector"
	"readiness/http/collector/pageviews"
	"readiness/test/bench"
	"readiness/test/natstest"
)

// turn is how many images the collector and the bare handler serve in turns.
const turn = 4_000

const bareImage = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// viewer asks for images over one connection, with as little work as possible, since it shares the processors with the server.
type viewer struct {
	net.Conn
	*bufio.Reader
}

func (v *viewer) ask(id string) error {
	if _, err := io.WriteString(v.Conn, "GET /p/"+id+".gif HTTP/1.1\r\nHost: collector.example.com\r\nAccept: image/*\r\nReferer: https://reports.example.com/\r\n"+
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\n\r\n"); err != nil {
		return err
	}
	for status := true; ; status = false {
		line, err := v.ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case status && string(line) != "HTTP/1.1 200 OK\r\n":
			return fmt.Errorf("got %q", line)
		case len(line) == 2:
			_, err := v.Discard(len(bareImage))
			return err
		}
	}
}

// confirmed is a Collector that lets a request wait until its view is stored. It publishes what waits, together.
type confirmed struct {
	mu      sync.Mutex
	waiting []chan struct{}
	views   map[collector.ID]int
	publish func(ctx context.Context, number int64, views []collector.Views) error
	number  int64
	news    chan struct{}
}

func (c *confirmed) See(text string) {
	var id collector.ID
	_ = id.UnmarshalText([]byte(text))
	done := make(chan struct{})
	c.mu.Lock()
	c.waiting = append(c.waiting, done)
	c.views[id]++
	c.mu.Unlock()
	select {
	case c.news <- struct{}{}:
	default:
	}
	<-done
}

func (c *confirmed) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.news:
		}
		c.mu.Lock()
		waiting, views := c.waiting, c.views
		c.waiting, c.views = nil, map[collector.ID]int{}
		c.mu.Unlock()
		var batch []collector.Views
		for id, n := range views {
			batch = append(batch, collector.Views{ID: id, Hour: time.Now().Truncate(time.Hour), N: n})
		}
		c.number++
		if err := c.publish(ctx, c.number, batch); err != nil {
			return err
		}
		for _, w := range waiting {
			close(w)
		}
	}
}

// BenchmarkImages asks a collector for images of 2,000 Pixies, whose views are published to three servers that flush every write. For
// comparison, the same viewers ask a net/http handler of the same image. READINESS_VIEWERS is how many ask at once.
func BenchmarkImages(b *testing.B) {
	viewers := 64
	if set := os.Getenv("READINESS_VIEWERS"); set != "" {
		viewers, _ = strconv.Atoi(set)
	}
	cluster := natstest.Start(b, 3, "always")
	conn, err := nats.Connect(cluster.URL())
	check(b, err)
	b.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	check(b, err)
	ctx, stop := context.WithCancel(b.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for _, name := range []string{"answered at once", "answered when stored"} {
		stream := strings.ReplaceAll(name, " ", "-")
		_, err = js.CreateStream(b.Context(), jetstream.StreamConfig{Name: stream, Subjects: []string{"views"}, Replicas: 3})
		check(b, err)
		publisher, err := pageviews.Dial(forward.Target{URL: cluster.URL(), Stream: stream}, slog.New(slog.DiscardHandler))
		check(b, err)
		defer publisher.Close()
		registry := prometheus.NewRegistry()
		var to readinesshttp.Collector
		if name == "answered at once" {
			c, err := collector.NewPublishing(collector.PublishingOptions{Publish: publisher.Publish, Registry: registry,
				Log: slog.New(slog.DiscardHandler), Now: time.Now})
			check(b, err)
			running.Go(func() { c.Run(ctx) })
			to = c
		} else {
			c := &confirmed{views: map[collector.ID]int{}, publish: publisher.Publish, news: make(chan struct{}, 1)}
			running.Go(func() {
				if err := c.run(ctx); err != nil && ctx.Err() == nil {
					b.Error(err)
				}
			})
			to = c
		}
		images, err := readinesshttp.NewImages(readinesshttp.ImagesOptions{Collector: to, Registry: registry, Log: slog.New(slog.DiscardHandler)})
		check(b, err)
		ours := serving(b, images.Serve, viewers)
		bare := serving(b, func(ctx context.Context, l net.Listener) error {
			server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "image/gif")
				_, _ = io.WriteString(w, bareImage)
			})}
			context.AfterFunc(ctx, func() { _ = server.Close() })
			return server.Serve(l)
		}, viewers)
		b.Run(name, func(b *testing.B) {
			ask := func(of []*viewer, n int) (bench.Calls, error) {
				return bench.Together(viewers, n, func(viewer, made int) error {
					return of[viewer].ask(fmt.Sprintf("%032x", (viewer*7919+made)%2000))
				})
			}
			var ourCalls, bareCalls bench.Calls
			for left := b.N; left > 0; left -= turn { // many short turns, so that other work on the machine affects both
				n := min(left, turn)
				made, err := ask(ours, n)
				check(b, err)
				alone, err := ask(bare, n)
				check(b, err)
				ourCalls, bareCalls = ourCalls.And(made), bareCalls.And(alone)
			}
			calls, ratio := ourCalls, ourCalls.PerSecond()/bareCalls.PerSecond()
			b.ReportMetric(calls.PerSecond(), "images/s")
			b.ReportMetric(float64(calls.Quantile(0.5).Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(calls.Quantile(0.99).Microseconds())/1000, "p99-ms")
			b.ReportMetric(ratio, "of-bare")
		})
		check(b, js.DeleteStream(b.Context(), stream))
	}
}

// serving serves until the benchmark ends, and returns viewers with a connection each.
func serving(b *testing.B, serve func(context.Context, net.Listener) error, n int) []*viewer {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(b, err)
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l) }()
	viewers := make([]*viewer, n)
	for i := range viewers {
		conn, err := net.Dial("tcp", l.Addr().String())
		check(b, err)
		viewers[i] = &viewer{conn, bufio.NewReader(conn)}
	}
	b.Cleanup(func() {
		for _, v := range viewers {
			_ = v.Conn.Close()
		}
		stop()
		if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
			b.Error(err)
		}
	})
	return viewers
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
