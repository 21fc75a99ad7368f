package http_test

import (
	"bytes"
	"context"
	"image/gif"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/http/collector"
	"readiness/projections"
)

// sights records the ids that the collector received.
type sights struct {
	mu  sync.Mutex
	ids []string
}

// See implements readinesshttp.Collector.
func (s *sights) See(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = append(s.ids, id)
}

// A Pixie's image needs no token and is the same for every id. A GET counts as a view, a HEAD does not, and nothing
// about the viewer is stored.
func TestImageOfAPixie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := &sights{}
	w.collector = seen
	w.base, w.client = w.serve(w.limiter(w.url))
	said := len(w.log.String())
	id := strings.Repeat("0123456789abcdef", 2)
	ids := []string{id, "x", "..", "%00", strings.Repeat("a", 5000)}
	for _, asked := range ids {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := w.send(method, "/p/"+asked+".gif?t=1", "", "", "User-Agent", "browser of eve", "Referer", "https://reports.example/eve", "Cookie", "eve", "X-Forwarded-For", "192.0.2.7").ok(200)
			if got.header.Get("Content-Type") != "image/gif" || got.header.Get("Cache-Control") != "no-store" || got.header.Get("Content-Length") != "43" || got.header.Get("Set-Cookie") != "" {
				t.Errorf("%s %.40s: got %v", method, asked, got.header)
			}
			if method == http.MethodHead {
				continue
			}
			picture, err := gif.Decode(bytes.NewReader(got.text))
			if err != nil || len(got.text) != 43 || picture.Bounds().Dx() != 1 || picture.Bounds().Dy() != 1 {
				t.Fatalf("%.40s: got %d bytes, %v (%v)", asked, len(got.text), picture, err)
			}
			if _, _, _, alpha := picture.At(0, 0).RGBA(); alpha != 0 {
				t.Errorf("the pixel is not transparent")
			}
		}
	}
	if diff := cmp.Diff([]string{id, "x", "..", "\x00", strings.Repeat("a", 5000)}, seen.ids); diff != "" {
		t.Errorf("recorded views (-want +got):\n%s", diff)
	}
	w.post("/p/"+id+".gif", "", "").refused(405, domain.InvalidRequest)
	w.get("/p/"+id+".png", "").refused(404, domain.InvalidRequest)
	for _, secret := range []string{"eve", "192.0.2.7", "127.0.0.1", id + ".gif\""} {
		for line := range strings.Lines(w.log.String()[said:]) {
			if strings.Contains(line, secret) && !strings.Contains(line, `"status":40`) {
				t.Errorf("the log contains %q: %s", secret, line)
			}
		}
	}
}

var pixieAddress = regexp.MustCompile(`http://[^"'\s]+/p/[0-9a-f]{32}\.gif`)

// A thousand views through the addresses in a report are a thousand views of its pages on that day once the log has
// been followed. A rebuild counts the same.
func TestThousandViews(t *testing.T) {
	t.Parallel()
	w := newReporting(t)
	c, err := collector.New(collector.Options{
		Resolve: w.Views.PixieIDs, Count: w.Pixies.CountViews, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: w.Now,
	})
	check(t, err)
	w.collector = c
	w.base, w.client = w.serve(w.limiter(w.url))
	w.Pixies.CollectorURL = w.base
	w.done("ada", reportPath(reportA)+"/addPixies", "")
	addresses := map[string]string{} // by page
	for path, text := range w.files() {
		if found := pixieAddress.FindString(text); found != "" {
			addresses[strings.Split(path, "/")[4]] = found
		}
	}
	if len(addresses) != 2 || addresses["p0"] == addresses["p1"] {
		t.Fatalf("the report has the addresses %v", addresses)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running, viewers sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	var made atomic.Int32
	for range 8 {
		viewers.Go(func() {
			for n := made.Add(1); n <= 1000; n = made.Add(1) {
				page := "p0"
				if n%4 == 0 {
					page = "p1"
				}
				answer, err := http.Get(addresses[page])
				if err != nil {
					t.Error(err)
					return
				}
				if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != 200 || len(text) != 43 {
					t.Errorf("got %d, %d bytes (%v)", answer.StatusCode, len(text), err)
				}
				_ = answer.Body.Close()
			}
		})
	}
	viewers.Wait()
	stop()
	running.Wait()
	today := w.Now()
	w.Clock.Advance(2 * time.Hour) // the hour has ended
	check(t, w.Pixies.RecordViews(t.Context()))

	engine := projections.NewEngine(w.Pool, projections.All()...)
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	check(t, err)
	check(t, engine.Follow(w.Store, router))
	var following sync.WaitGroup
	following.Go(func() { _ = router.Run(context.WithoutCancel(t.Context())) })
	t.Cleanup(func() {
		_ = router.Close()
		following.Wait()
	})
	want := map[uuid.UUID]map[string]int64{reportA: {"p0": 750, "p1": 250}}
	views := func() map[uuid.UUID]map[string]int64 {
		t.Helper()
		got, err := w.Views.PageViews(t.Context(), "acme", []uuid.UUID{reportA, reportB}, today.AddDate(0, 0, -1), today)
		check(t, err)
		return got
	}
	recorded, err := w.Store.Watermark(t.Context())
	check(t, err)
	// PageViews also counts what its view has not reached, so only the follower's position shows that there are rows to compare.
	w.eventually("the views are followed", func() bool {
		followers, err := w.Store.Followers(t.Context())
		check(t, err)
		return slices.ContainsFunc(followers, func(f eventstore.Follower) bool {
			return strings.HasPrefix(f.Name, projections.PageViews.Name+"_v") && f.Position >= recorded
		})
	})
	if diff := cmp.Diff(want, views()); diff != "" {
		t.Errorf("views (-want +got):\n%s", diff)
	}
	r, err := engine.Rebuild(t.Context(), w.Store, projections.PageViews.Name, projections.RebuildOptions{Diff: true})
	if err != nil || r.Diff == nil || !r.Diff.None() || r.Diff.Same == 0 {
		t.Errorf("a rebuild differs: %+v (%v)", r.Diff, err)
	}
	if diff := cmp.Diff(want, views()); diff != "" {
		t.Errorf("after a rebuild (-want +got):\n%s", diff)
	}
}

// patience bounds each wait. A timeout means that something never happens, not that it was slow.
const patience = 5 * time.Minute

// eventually waits until happened returns true.
func (w *world) eventually(what string, happened func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-ctx.Done():
			w.t.Fatalf("not within %s: %s", patience, what)
		case <-tick.C:
		}
	}
}
