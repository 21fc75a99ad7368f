package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

// The quotas of each person at the emulator. They are so low that the demo's own work uses them up.
const (
	quotaCalls      = 15
	quotaOperations = 12
	quotaWindow     = 5 * time.Second
)

// platformCall is a call in the emulator's log.
type platformCall struct {
	Time, Arrived time.Time // when it was answered, and when it arrived
	Message       string    `json:"msg"`
	Path, Person  string
	Status        int
	RetryAfter    string
}

// quota names the quota in which the platform counts the call.
func (c platformCall) quota() string {
	switch {
	case strings.HasPrefix(c.Path, "/v1/operations/"):
		return "long-running operations"
	case strings.HasSuffix(c.Path, "Queries"):
		return "queries"
	}
	return "calls"
}

// note keeps a line of the emulator's log, if it is a call.
func (e *emulator) note(line []byte) bool {
	var c platformCall
	if json.Unmarshal(line, &c) != nil || c.Message != "answered a call" {
		return false
	}
	e.mu.Lock()
	e.calls = append(e.calls, c)
	e.mu.Unlock()
	select {
	case e.logged <- struct{}{}:
	default: // storm sees all
	}
	return true
}

// block is a time for which the platform refused the calls of a person in a quota.
type block struct {
	person, quota string
	refused       int           // calls
	asked, waited time.Duration // from the first refused call: the Retry-After, and until a call was answered; 0 if none was yet
	began         time.Time
}

// storm returns how many calls the emulator has answered or refused, and its blocks.
func (e *emulator) storm() (calls, refused int, blocks []*block) {
	e.mu.Lock()
	defer e.mu.Unlock()
	current := map[[2]string]*block{}
	for _, c := range e.calls {
		of := [2]string{c.Person, c.quota()}
		b := current[of]
		switch {
		case b != nil && c.Status == http.StatusTooManyRequests:
			b.refused++
		case b != nil && c.Arrived.After(b.began): // others had arrived before the quota was used up
			b.waited = c.Arrived.Sub(b.began)
			delete(current, of)
		case c.Status == http.StatusTooManyRequests:
			seconds, _ := strconv.Atoi(c.RetryAfter) // the service checks it
			b = &block{person: c.Person, quota: c.quota(), refused: 1, asked: time.Duration(seconds) * time.Second, began: c.Time}
			current[of], blocks = b, append(blocks, b)
		}
	}
	for _, b := range blocks {
		refused += b.refused
	}
	return len(e.calls), refused, blocks
}

// showStorm shows which calls the platform refused because the demo's work had used up a quota. Every earlier part has checked that
// its work succeeded. A machine may have been too slow to use up a quota; then more and more work is started at once until it does.
func (d *demo) showStorm(ctx context.Context) error {
	d.screen.step("The 429 storm on the way, by the emulator's log")
	for round := 1; ; round++ {
		if _, refused, _ := d.emulator.storm(); refused > 0 {
			break
		}
		d.screen.say("This machine was too slow to use up a quota of %s.", quotaWindow)
		if err := d.hurry(ctx, round); err != nil {
			return err
		}
	}
	holds, err := d.holds(ctx)
	if err != nil {
		return err
	}
	calls, refused, blocks := d.emulator.stormOf(ctx, holds)
	if holds != refused {
		return fmt.Errorf("the service counted %d refused calls, the emulator %d", holds, refused)
	}
	var rows []table.Row
	var asked, waited time.Duration
	for _, b := range blocks {
		asked, waited = asked+b.asked, waited+b.waited
		rows = append(rows, table.Row{b.person, b.quota, b.refused, b.asked, b.waited.Round(100 * time.Millisecond)})
	}
	d.screen.table(table.Row{"Person", "Quota of", "Refused calls", "Retry-After", "Next call after"}, rows, "Refused calls", "Retry-After",
		"Next call after")
	d.screen.say("Fabric refused %d of %d calls with 429, because a quota was used up %d times, and asked the service to wait %s in all.",
		refused, calls, len(blocks), asked)
	d.screen.say("The service waited %s, then did the rest. Nothing failed or was lost by that. It counted the same %d (GET /metrics).",
		waited.Round(100*time.Millisecond), holds)
	return nil
}

// stormOf returns what storm does once the log has as many refused calls, which is at once unless it is read late.
func (e *emulator) stormOf(ctx context.Context, refused int) (calls, logged int, blocks []*block) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		calls, logged, blocks = e.storm()
		if logged >= refused {
			return calls, logged, blocks
		}
		select {
		case <-e.logged:
		case <-ctx.Done():
			return calls, logged, blocks
		}
	}
}

// hurry assesses a workspace several times at once.
func (d *demo) hurry(ctx context.Context, times int) error {
	const workspace = "Retail Analytics"
	models, err := d.models(ctx, workspace)
	if err != nil {
		return err
	}
	var running []started
	for range times {
		for _, m := range models {
			s, err := d.ada.start(ctx, "/v1/workspaces/"+d.workspaces[workspace]+"/semanticModels/"+m.ID+"/aiReadiness/assess", nil)
			if err != nil {
				return err
			}
			running = append(running, s)
		}
	}
	for _, s := range running {
		if _, err := d.ada.follow(ctx, s, func(int) {}); err != nil {
			return err
		}
	}
	return nil
}

// holds returns how many calls the service counted as refused.
func (d *demo) holds(ctx context.Context) (holds int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 16<<20))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "readiness_quota_holds_total") {
			fields := strings.Fields(line)
			n, failed := strconv.Atoi(fields[len(fields)-1])
			holds, err = holds+n, errors.Join(err, failed)
		}
	}
	return holds, err
}
