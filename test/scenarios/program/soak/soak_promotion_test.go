//go:build hard

package soak_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// TestHardPromotion has many accounts do everything at once, as TestHardSoak, on a primary with a synchronous standby. At random moments
// the primary is killed and the standby promoted, and a new standby is made of it; in every second round the standby was frozen before,
// so that calls wait for it. At the end everything is compared as there. Besides, what a standby ever had is in the log at the same
// position, every signed head that it had belongs to the log in the first epoch, and after each promotion every process answered again.
//
// proves: decisions/9/standby
func TestHardPromotion(t *testing.T) {
	t.Parallel()
	s := newSoak(t, true)
	p := &promotions{soak: s, primary: "one", standby: "two", events: map[int64]string{}, heads: map[int64]signedHead{}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var observing sync.WaitGroup
	observing.Go(func() { p.observe(ctx) })
	s.run(p.disturb)
	stop()
	observing.Wait()
	p.verifyObserved()
	s.end()
}

// promotions promotes standbys of a soak.
type promotions struct {
	*soak
	took []time.Duration // from the return of each promotion until all processes accepted a call again

	mu               sync.Mutex
	primary, standby string               // servers
	events           map[int64]string     // id and hash of each event that a standby had, by position
	heads            map[int64]signedHead // of all events, that a standby had, by size
}

// signedHead is a signed head of the tree of all events.
type signedHead struct {
	epoch, size int64
	root, note  string
}

// disturb kills processes and promotes standbys until the load is about to end, at least twice.
func (p *promotions) disturb() {
	p.T.Helper()
	for round := 0; round < 2 || time.Now().Before(p.ends); round++ {
		p.Wait(p.T.Context(), p.between(time.Second, 6*time.Second))
		if p.Random.IntN(2) == 0 {
			p.killProcesses()
		}
		p.promote(round)
		for i := range p.slots {
			if slot := &p.slots[i]; slot.now.Over() {
				p.T.Fatalf("a process ended by itself: %v\n%s", slot.now.Cmd.ProcessState, slot.now.Stderr)
			}
		}
	}
	var longest time.Duration
	if len(p.took) > 0 {
		longest = slices.Max(p.took)
	}
	p.T.Logf("%d promotions; accepted again after %v, at most %s", len(p.took), p.took, longest)
}

// promote kills the primary, promotes the standby, waits until every process accepts calls, and makes the next standby.
func (p *promotions) promote(round int) {
	p.T.Helper()
	r, frozen := p.servers, round%2 == 1
	old, next := p.primary, p.standby
	if frozen {
		r.signal(next, syscall.SIGSTOP)
		p.Wait(p.T.Context(), p.between(0, 12*time.Second)) // some waits for it reach their limit
	}
	r.kill(old)
	if frozen { // it loses what it had received but not read
		r.kill(next)
		r.run(next)
	}
	r.AsServer("pg_ctl", "-D", r.data(next), "-w", "promote")
	r.sql(next, "ALTER SYSTEM RESET synchronous_standby_names")
	r.sql(next, "SELECT pg_reload_conf()")
	began := time.Now()
	p.databaseKills++
	for i := range p.slots {
		p.accepts(fmt.Sprintf("promotion-%d-%d", round, i), *p.slots[i].base.Load())
	}
	p.took = append(p.took, time.Since(began).Round(time.Millisecond))
	p.mu.Lock()
	p.primary, p.standby = next, old
	p.mu.Unlock()
	r.follow(old, next)
}

// accepts waits until a process accepts a call that changes something. The call is repeated under its key, as a client does.
func (p *promotions) accepts(key, base string) {
	p.T.Helper()
	who := p.people[0]
	path := who.inModel(who.tenant.models[0], "assess")
	p.Await("a call is accepted after a promotion", func() bool {
		status, got, err := program.Exchange(p.T.Context(), base, who.token, http.MethodPost, path, nil, "Idempotency-Key", key)
		p.Last = got
		if err != nil || status != http.StatusAccepted {
			return err == nil && status == http.StatusTooManyRequests // the person has made too many calls, which the process counted
		}
		who.tenant.mu.Lock()
		defer who.tenant.mu.Unlock()
		who.tenant.answered[key] = uuid.MustParse(got["operationId"].(string))
		return true
	})
}

// observe reads what the standby has. A primary shows nothing that the standby lacks, unless its wait for the standby was ended, so what
// the standby has is the least that may be read or acknowledged.
func (p *promotions) observe(ctx context.Context) {
	for ctx.Err() == nil {
		p.look(ctx)
		p.soak.Wait(ctx, 200*time.Millisecond)
	}
}

// look reads what the present standby has; nothing while it is frozen or not there, nor once it was promoted: what a primary has that was
// not yet replicated says nothing about the next standby.
func (p *promotions) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	p.mu.Lock()
	at, last := p.standby, int64(0)
	for position := range p.events {
		last = max(last, position)
	}
	p.mu.Unlock()
	conn, err := pgx.Connect(ctx, p.servers.url(at))
	if err != nil {
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var position int64
	var event string
	found := map[int64]string{}
	rows, _ := conn.Query(ctx, `SELECT position, event_id || ' ' || encode(hash, 'hex') FROM events WHERE position > $1 AND pg_is_in_recovery()`, last-200)
	if _, err := pgx.ForEachRow(rows, []any{&position, &event}, func() error { found[position] = event; return nil }); err != nil {
		return
	}
	var h signedHead
	err = conn.QueryRow(ctx, `SELECT epoch, size, encode(root, 'hex'), note FROM audit_trees WHERE tree = '' AND note IS NOT NULL AND pg_is_in_recovery() ORDER BY epoch DESC LIMIT 1`).
		Scan(&h.epoch, &h.size, &h.root, &h.note)
	p.mu.Lock()
	defer p.mu.Unlock()
	for position, event := range found {
		if before, known := p.events[position]; known && before != event {
			p.T.Errorf("position %d has %s, and had %s", position, event, before)
		}
		p.events[position] = event
	}
	if err != nil {
		return
	}
	if h.epoch != 1 { // its size may fall: a standby that was killed answers before it has read again all that it had
		p.T.Errorf("a head has epoch %d", h.epoch)
	}
	if before, known := p.heads[h.size]; known && before.root != h.root {
		p.T.Errorf("two heads of %d events have the roots %s and %s", h.size, before.root, h.root)
	}
	p.heads[h.size] = h
}

// verifyObserved compares the log and its heads with what standbys had.
func (p *promotions) verifyObserved() {
	p.T.Helper()
	now, ok := program.Query[map[int64]string](p.Program, `SELECT json_object_agg(position, event_id || ' ' || encode(hash, 'hex')) FROM events`)
	if !ok || len(p.events) == 0 || len(p.heads) == 0 {
		p.T.Fatalf("%t: %d events and %d heads were seen on standbys", ok, len(p.events), len(p.heads))
	}
	for position, event := range p.events {
		if now[position] != event {
			p.T.Errorf("a standby had %s at position %d, and the log has %q", event, position, now[position])
		}
	}
	p.Await("everything is sealed in the first epoch", func() bool {
		all, ok := program.Query[bool](p.Program, `SELECT EXISTS (SELECT FROM audit_trees WHERE tree = '' AND epoch = 1 AND size = (SELECT count(*) FROM events))`)
		return ok && all
	})
	sizes := slices.Sorted(maps.Keys(p.heads))
	for n := range min(5, len(sizes)) { // the first, the last, and some between them
		size := sizes[n*(len(sizes)-1)/max(1, min(5, len(sizes))-1)]
		file := filepath.Join(p.T.TempDir(), "head")
		testworld.Check(p.T, os.WriteFile(file, []byte(p.heads[size].note), 0o600))
		p.Operate("audit", "verify", "--checkpoint", file)
	}
	p.T.Logf("%d events and %d heads that standbys had are in the log of %d; sizes %s", len(p.events), len(p.heads), len(now),
		strings.Trim(fmt.Sprint(sizes), "[]"))
}
