// Package heavy lets calls that read or make megabytes take turns, so that no account takes the memory and the processors of a process.
package heavy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/domain"
	"readiness/internal/fairqueue"
)

// Bounds of the calls in progress in a process: of all accounts and of one, and how many of one may wait. A call is in progress until its
// response is written, so these also bound the bytes of responses.
const (
	most          = 8
	mostOfAccount = 2
	mostWaiting   = 16
)

// Calls are the heavy calls of a process. It is safe for concurrent use.
type Calls struct {
	turns *fairqueue.Turns
	ping  func(context.Context) error
	pace  pace
	// waits is how many calls wait for their turn or for the response of an equal call.
	waits atomic.Int64

	mu sync.Mutex
	// waiting are the reads that wait for their turn, by what they ask. A read leaves it when its turn comes, so no call gets what was
	// read before the call.
	waiting map[string]*read
}

// read is one read for all calls that share it.
type read struct {
	calls   int // that still use it; the last one releases the turn
	release func()
	done    chan struct{} // closed when response is set, or will not be
	// response is what every call answers; nil if each must read for itself.
	response *held
}

// New returns no calls. ping asks whether the database, for which calls in progress may wait, answers.
func New(now func() time.Time, ping func(context.Context) error) *Calls {
	return &Calls{ping: ping, pace: pace{perSecond: bytesOfProcessor * runtime.GOMAXPROCS(0)}, waiting: map[string]*read{},
		turns: fairqueue.New(fairqueue.Limits{Size: most, Share: mostOfAccount, MaxWaiting: mostWaiting, Room: mostWaiting}, now)}
}

// Metrics returns the metrics of the calls.
func (c *Calls) Metrics() (all []prometheus.Collector) {
	for state, count := range map[string]func() float64{
		"running": func() float64 { held, _ := c.turns.Now(); return float64(held) },
		"waiting": func() float64 { return float64(c.waits.Load()) },
	} {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "readiness_http_heavy_calls",
			Help:        "Calls of heavy routes that have their turn (running), or wait for it or for an equal call (waiting).",
			ConstLabels: prometheus.Labels{"state": state}}, count))
	}
	return all
}

// Call is a heavy call.
type Call struct {
	Account, Person string
	// Asks is what a read asks, and as whom: reads that ask the same at the same time share a response. It is "" for a call that changes
	// something.
	Asks string
	// Limit bounds the wait for a turn.
	Limit time.Duration
}

// Serve handles a call by next when it has its turn. An error is why it was not handled: RequestBlocked, or that of ping or the context.
func (c *Calls) Serve(w http.ResponseWriter, r *http.Request, call Call, next http.Handler) error {
	if call.Asks != "" {
		if served, err := c.serveRead(w, r, call, next); served || err != nil {
			return err
		}
	}
	release, err := c.turn(r.Context(), call)
	if err != nil {
		return err
	}
	defer release()
	next.ServeHTTP(w, r)
	return nil
}

// serveRead handles a read, alone or with equal ones. served is false if the read that the call joined has no response for it.
func (c *Calls) serveRead(w http.ResponseWriter, r *http.Request, call Call, next http.Handler) (served bool, err error) {
	shared, first := c.join(call.Asks)
	defer c.leave(shared)
	if !first {
		c.waits.Add(1)
		defer c.waits.Add(-1)
		select {
		case <-shared.done:
		case <-r.Context().Done():
			return false, r.Context().Err()
		}
		if shared.response != nil {
			shared.response.writeTo(r.Context(), w, &c.pace)
		}
		return shared.response != nil, nil
	}
	release, err := c.turn(r.Context(), call)
	c.begin(call.Asks, shared, release)
	defer close(shared.done)
	if err != nil {
		return false, err
	}
	made := &held{header: http.Header{}}
	next.ServeHTTP(made, r)
	if made.status == http.StatusOK {
		shared.response = made
	}
	made.writeTo(r.Context(), w, &c.pace)
	return true, nil
}

// turn waits for the call's turn.
func (c *Calls) turn(ctx context.Context, call Call) (release func(), err error) {
	waits, cancel := context.WithTimeout(ctx, call.Limit*4/5) // the rest is for ping
	defer cancel()
	c.waits.Add(1)
	defer c.waits.Add(-1)
	release, err = c.turns.Take(waits, fairqueue.Key{Account: call.Account, Person: call.Person})
	pause := time.Second
	later, full := errors.AsType[*fairqueue.Later](err)
	switch {
	case err == nil:
		return release, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case full:
		pause = max(pause, later.After)
	default:
		asks, cancel := context.WithTimeout(ctx, call.Limit/5)
		defer cancel()
		if err := c.ping(asks); err != nil {
			return nil, err
		}
	}
	return nil, domain.Refuse(domain.RequestBlocked, "%d large calls of this account are in progress, and this one waited too long or "+
		"behind too many; make fewer of them at the same time", mostOfAccount).After(pause)
}

// join returns the waiting read that asks the same; first says that there was none, so the caller must begin and make the new one.
func (c *Calls) join(asks string) (shared *read, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if shared = c.waiting[asks]; shared == nil {
		shared, first = &read{done: make(chan struct{})}, true
		c.waiting[asks] = shared
	}
	shared.calls++
	return shared, first
}

// begin lets no further call join the read. release returns its turn; nil if it got none.
func (c *Calls) begin(asks string, shared *read, release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, asks)
	shared.release = release
}

// leave says that a call no longer uses the read.
func (c *Calls) leave(shared *read) {
	c.mu.Lock()
	shared.calls--
	last := shared.calls == 0 && shared.release != nil
	c.mu.Unlock()
	if last {
		shared.release()
	}
}

// held holds a response until it is written to each call.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *held) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(status int) {
	h.status = cmp.Or(h.status, status)
}

// Write implements http.ResponseWriter.
func (h *held) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(b)
}

// writeTo writes the response in pieces, at the pace, until ctx ends.
func (h *held) writeTo(ctx context.Context, w http.ResponseWriter, p *pace) {
	maps.Copy(w.Header(), h.header)
	if h.body.Len() > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(h.body.Len()))
	}
	w.WriteHeader(h.status)
	for part := range slices.Chunk(h.body.Bytes(), pieceSize) {
		if wait := p.wait(time.Now(), len(part)); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		}
		if _, err := w.Write(part); err != nil {
			return // the client is gone
		}
	}
}
