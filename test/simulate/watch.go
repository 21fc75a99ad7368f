//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// row is what happened in a few seconds.
type row struct {
	at     time.Duration // its end, since the load began
	lasted time.Duration
	factor float64
	calls  [kinds]counts

	// Views that the collector counted, and that it dropped.
	recorded, dropped int64
	assessed          int64 // assessments that ended with a result
	state
	usage
}

// state is how far behind the program is at one moment.
type state struct {
	steps    int64         // in the queue
	oldest   time.Duration // age of the oldest of them
	lag      int64         // positions that the last of the views is behind
	position int64         // of the log
	bytes    int64         // of the database
	counters int64         // rows that count views of hours
}

// usage is what processes use: processors, in a row on average, and memory in bytes.
type usage struct {
	program, database, sender float64
	memory                    int64 // of the program
}

// watch returns the rows of the load, and of the time after it, until the queue is empty or as much time again has passed.
func (l *load) watch(ctx context.Context, began time.Time) (rows []row, err error) {
	before, err := l.look(ctx, began)
	if err != nil {
		return nil, err
	}
	for {
		select {
		case <-ctx.Done():
			return rows, ctx.Err()
		case <-l.system.ended:
			return rows, fmt.Errorf("the program ended: %s\n%s", l.system.server.ProcessState, l.system.output())
		case <-time.After(time.Until(began.Add(before.at + l.every))):
		}
		now, err := l.look(ctx, began)
		if err != nil {
			return rows, err
		}
		rows = append(rows, now.since(before))
		before = now
		if now.at >= l.lasts && (now.steps == 0 || now.at >= 2*l.lasts) {
			return rows, nil
		}
	}
}

// since makes a row of two looks.
func (r row) since(b row) row {
	r.lasted = r.at - b.at
	for k := range r.calls {
		r.calls[k] = r.calls[k].since(b.calls[k])
	}
	r.recorded, r.dropped, r.assessed = r.recorded-b.recorded, r.dropped-b.dropped, r.assessed-b.assessed
	s := r.lasted.Seconds()
	r.program, r.database, r.sender = (r.program-b.program)/s, (r.database-b.database)/s, (r.sender-b.sender)/s
	return r
}

// look reads everything; counts and processor time are those since the start.
func (l *load) look(ctx context.Context, began time.Time) (r row, err error) {
	r.at = time.Since(began)
	if r.factor, _ = l.at(r.at); r.at >= l.lasts {
		r.factor = 0
	}
	for k := range r.calls {
		r.calls[k] = l.counts[k].now()
	}
	r.usage = l.system.usage()
	outcomes, err := l.system.outcomes(ctx)
	if err != nil {
		return r, err
	}
	r.recorded = outcomes["recorded"]
	for _, n := range outcomes {
		r.dropped += n
	}
	r.dropped -= r.recorded
	appended, err := l.system.metrics(ctx, `readiness_events_appended_total{type="assessment.recorded"}`)
	if err != nil {
		return r, err
	}
	for _, n := range appended {
		r.assessed = int64(n)
	}
	r.state, err = l.system.state(ctx)
	return r, err
}

// outcomes is how many views the collector has counted and dropped, by outcome.
func (s *system) outcomes(ctx context.Context) (map[string]int64, error) {
	const name = "readiness_collector_views_total{outcome="
	found, err := s.metrics(ctx, name)
	by := map[string]int64{}
	for series, n := range found {
		by[strings.Trim(strings.TrimPrefix(series, name), `"}`)] = int64(n)
	}
	return by, err
}

// unended are the jobs that have work to do; those of the service's own housekeeping are always there.
const unended = `FROM river_job WHERE state IN ('available', 'retryable', 'running', 'scheduled') AND args ? 'operationId'`

func (s *system) state(ctx context.Context) (at state, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var oldest float64
	b := &pgx.Batch{}
	b.Queue(`SELECT count(*), coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 ` + unended).
		QueryRow(func(row pgx.Row) error { return row.Scan(&at.steps, &oldest) })
	b.Queue(`SELECT coalesce(max(position), 0) FROM events`).QueryRow(func(row pgx.Row) error { return row.Scan(&at.position) })
	b.Queue(`SELECT coalesce(min(position), 0) FROM followers`).QueryRow(func(row pgx.Row) error { return row.Scan(&at.lag) })
	b.Queue(`SELECT pg_database_size(current_database())`).QueryRow(func(row pgx.Row) error { return row.Scan(&at.bytes) })
	b.Queue(`SELECT count(*) FROM page_view_hours`).QueryRow(func(row pgx.Row) error { return row.Scan(&at.counters) })
	err = s.pool.SendBatch(ctx, b).Close()
	at.oldest, at.lag = time.Duration(oldest*float64(time.Second)), max(0, at.position-at.lag)
	return at, err
}

// usage is the processor time of the processes in seconds; nothing on a system without /proc.
func (s *system) usage() (u usage) {
	u.program, u.sender = processorTime(s.server.Process.Pid), processorTime(os.Getpid())
	text, _ := os.ReadFile(filepath.Join(s.cluster, "postmaster.pid")) //nolint:gosec // in the run's own folder
	first, _, _ := strings.Cut(string(text), "\n")
	if pid, err := strconv.Atoi(first); err == nil {
		u.database = processorTime(pid)
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		for child := range strings.FieldsSeq(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				u.database += processorTime(pid)
			}
		}
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.Process.Pid))
	for line := range strings.Lines(string(status)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			u.memory = kib << 10
		}
	}
	return u
}

// processorTime is that of a process and of its children that have ended, in seconds.
func processorTime(pid int) (seconds float64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name in parentheses may have spaces; the times are the 12th to the 15th field after it, in hundredths of a second.
	fields := strings.Fields(string(text[max(0, strings.LastIndexByte(string(text), ')')):]))
	for i := 12; i < 16 && i < len(fields); i++ {
		n, err := strconv.ParseFloat(fields[i], 64)
		if err == nil {
			seconds += n / 100
		}
	}
	return seconds
}
