//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"readiness/http/token"
)

const (
	// tick is how often the calls that are due are determined.
	tick = 5 * time.Millisecond
	// callLimit bounds one call.
	callLimit = 30 * time.Second
)

// senders is how many calls of each kind are in flight at most, and waiting how many that are due wait for one of them to end; further
// ones are shed.
var (
	senders = [kinds]int{views: 256, reads: 64, portfolios: 16, assessments: 64}
	waiting = [kinds]int{views: 4096, reads: 1024, portfolios: 256, assessments: 1024}
)

// load sends the calls of a tenant's people and counts the outcomes.
type load struct {
	options
	system *system
	client *http.Client
	tokens []string // of those who make calls
	counts [kinds]measures

	// Of each Pixie: views that were answered, and that may have been counted or not.
	seen, unsure []atomic.Int64

	mu       sync.Mutex
	accepted []operation
	causes   map[string]int // of refused and failed calls
}

// operation is one that was acknowledged, and who started it.
type operation struct {
	id     uuid.UUID
	caller int
}

func newLoad(o options, s *system) (*load, error) {
	l := &load{options: o, system: s, causes: map[string]int{}, client: &http.Client{
		Timeout:   callLimit,
		Transport: &http.Transport{MaxIdleConnsPerHost: 256},
	}}
	for n := range o.tenant.callers() {
		signed, err := s.issuer.Mint(account, personName(n), []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), day)
		if err != nil {
			return nil, err
		}
		l.tokens = append(l.tokens, signed)
	}
	l.seen, l.unsure = make([]atomic.Int64, o.tenant.reports()*pages), make([]atomic.Int64, o.tenant.reports()*pages)
	return l, nil
}

// run sends the load and returns the rows of the table.
func (l *load) run(ctx context.Context) ([]row, error) {
	var all sync.WaitGroup
	began := time.Now()
	for k := range kinds {
		due := make(chan time.Time, waiting[k])
		for range senders[k] {
			all.Go(func() { l.send(ctx, k, due) })
		}
		all.Go(func() {
			defer close(due)
			l.pace(ctx, k, began, due)
		})
	}
	rows, err := l.watch(ctx, began)
	all.Wait()
	l.client.CloseIdleConnections()
	return rows, err
}

// at returns the factor of a moment of the load, and which part of its day has passed.
func (o options) at(passed time.Duration) (factor, part float64) {
	each := o.lasts / time.Duration(len(o.factors))
	i := min(len(o.factors)-1, int(passed/each))
	return o.factors[i], float64(passed-time.Duration(i)*each) / float64(each)
}

// pace says when each call of the kind is due.
func (l *load) pace(ctx context.Context, k kind, began time.Time, due chan<- time.Time) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	owed := 0.0
	for last := time.Duration(0); last < l.lasts; {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		for now := min(time.Since(began), l.lasts); last < now; {
			step := min(now-last, tick) // after a pause, what was due meanwhile
			factor, part := l.at(last)
			owed += factor * l.tenant.rate(k, part) * step.Seconds()
			n := int(owed)
			owed -= float64(n)
			for i := range n {
				l.counts[k].asked.Add(1)
				select {
				case due <- began.Add(last + step*time.Duration(i)/time.Duration(n)):
				default:
					l.counts[k].shed.Add(1)
				}
			}
			last += step
		}
	}
}

// send makes the calls of a kind, one at a time, as they become due.
func (l *load) send(ctx context.Context, k kind, due <-chan time.Time) {
	one := map[kind]func(context.Context, *rand.Rand) (int, error){reads: l.read, portfolios: l.portfolio, assessments: l.assess}[k]
	if k == views {
		v := viewer{load: l, address: strings.TrimPrefix(l.system.base, "http://")}
		defer v.close()
		one = v.view
	}
	random, m := rand.New(rand.NewPCG(rand.Uint64(), 0)), &l.counts[k] //nolint:gosec // not a secret
	for at := range due {
		switch status, err := one(ctx, random); {
		case err != nil:
			m.failed.Add(1)
			l.cause(k, fmt.Sprintf("no answer, %T", errors.Unwrap(err)))
		case status >= http.StatusInternalServerError:
			m.failed.Add(1)
			l.cause(k, strconv.Itoa(status))
		case status >= http.StatusBadRequest:
			m.refused.Add(1)
			l.cause(k, strconv.Itoa(status))
		default:
			m.answered.Add(1)
			m.took.add(time.Since(at))
		}
	}
}

// cause counts why a call was refused or failed.
func (l *load) cause(k kind, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.causes[kindNames[k]+" "+why]++
}

// viewer requests images over one connection. It does as little as possible, because it shares the processors with what it measures.
type viewer struct {
	*load
	address    string
	connection net.Conn
	answers    *bufio.Reader
}

func (v *viewer) close() {
	if v.connection != nil {
		_ = v.connection.Close() // it was only read
		v.connection = nil
	}
}

// view requests the image of a Pixie.
func (v *viewer) view(ctx context.Context, random *rand.Rand) (status int, err error) {
	n := random.IntN(len(v.seen))
	sent := false
	defer func() {
		if err == nil && status == http.StatusOK {
			v.seen[n].Add(1)
			return
		}
		if sent {
			v.unsure[n].Add(1)
		}
		v.close()
	}()
	if v.connection == nil {
		if v.connection, err = (&net.Dialer{Timeout: callLimit}).DialContext(ctx, "tcp", v.address); err != nil {
			return 0, err
		}
		v.answers = bufio.NewReader(v.connection)
	}
	if err := v.connection.SetDeadline(time.Now().Add(callLimit)); err != nil {
		return 0, err
	}
	sent = true
	if _, err := v.connection.Write([]byte("GET /p/" + pixie(n) + ".gif HTTP/1.1\r\nHost: " + v.address + "\r\n\r\n")); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(v.answers, nil)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// read polls an operation of the caller or, one time in four, lists the assessments of a model.
func (l *load) read(ctx context.Context, random *rand.Rand) (int, error) {
	l.mu.Lock()
	var of *operation
	if n := len(l.accepted); n > 0 && random.IntN(4) > 0 {
		of = &l.accepted[n-1-random.IntN(min(n, 1000))]
	}
	l.mu.Unlock()
	if of != nil {
		status, _, err := l.call(ctx, of.caller, http.MethodGet, "/v1/operations/"+of.id.String())
		return status, err
	}
	status, _, err := l.call(ctx, random.IntN(len(l.tokens)), http.MethodGet, l.model(random)+"/assessments")
	return status, err
}

func (l *load) portfolio(ctx context.Context, random *rand.Rand) (int, error) {
	status, _, err := l.call(ctx, random.IntN(len(l.tokens)), http.MethodGet, "/v1/aiReadiness/portfolio")
	return status, err
}

// assess starts an assessment of a model that the folder has.
func (l *load) assess(ctx context.Context, random *rand.Rand) (int, error) {
	caller := random.IntN(len(l.tokens))
	status, text, err := l.call(ctx, caller, http.MethodPost, l.model(random)+"/assess")
	if err != nil || status != http.StatusAccepted {
		return status, err
	}
	var got struct{ OperationID uuid.UUID }
	if err := json.Unmarshal(text, &got); err != nil {
		return 0, fmt.Errorf("an accepted assessment: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, operation{got.OperationID, caller})
	return status, nil
}

func (l *load) model(random *rand.Rand) string {
	n := random.IntN(l.tenant.onDisk())
	return fmt.Sprintf("/v1/workspaces/%s/semanticModels/%s/aiReadiness", idOf("workspace", l.tenant.workspaceOf(n)), idOf("model", n))
}

// call makes a call as a person. A call that is repeated counts as another one, so none is repeated.
func (l *load) call(ctx context.Context, caller int, method, path string) (status int, text []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, l.system.base+path, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+l.tokens[caller])
	res, err := l.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	var body bytes.Buffer
	_, err = io.Copy(&body, io.LimitReader(res.Body, 16<<20))
	return res.StatusCode, body.Bytes(), err
}
