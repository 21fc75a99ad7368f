//go:build unix

// Command simulate replays a day of a large tenant against the program, faster than it happens. It starts PostgreSQL and the program,
// makes the tenant's past (a folder of workspaces, people, assessed models, reports with Pixies), and then sends views of pages, reads and
// assessments as they would arrive: a call that is late delays no other call, and its latency counts from when it was due. Every few
// seconds it records calls, answers and the use of the processors. At the end it compares everything acknowledged with the log. It
// exits 0 only if nothing is missing and nothing is there twice. docs/performance.md explains a run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are what a run simulates.
type options struct {
	tenant  tenant
	lasts   time.Duration // of all days together
	factors []float64     // of one day after the other; each gets the same part of the time
	every   time.Duration // between two rows of the table
	table   string        // the file that gets the table; "" for none
	graph   string        // the file that gets the graph; "" for none
	say     io.Writer
}

func main() {
	o := options{say: os.Stdout}
	flag.DurationVar(&o.lasts, "for", 20*time.Minute, "how long the load lasts")
	factors := flag.String("factor", "", "how many times as fast as in reality calls arrive; several, separated by commas, follow each "+
		"other. By default, so that one complete day happens")
	flag.IntVar(&o.tenant.models, "models", 100_000, "how many semantic models the tenant has")
	flag.IntVar(&o.tenant.people, "people", 50_000, "how many people the tenant has")
	flag.DurationVar(&o.every, "every", 5*time.Second, "how much time each row of the table covers")
	flag.StringVar(&o.table, "table", "simulation.tsv", "file that gets the table")
	flag.StringVar(&o.graph, "graph", "simulation.svg", "file that gets the graph")
	flag.Parse()
	var err error
	if o.factors, err = parseFactors(*factors, o.lasts); err == nil && flag.NArg() > 0 {
		err = errors.New("there are no arguments")
	}
	if err = errors.Join(err, o.check()); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

// parseFactors returns the factors in text, or the one by which a day lasts that long.
func parseFactors(text string, lasts time.Duration) (factors []float64, err error) {
	if text == "" {
		return []float64{day.Seconds() / lasts.Seconds()}, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil || !(f > 0 && f <= 1e6) {
			return nil, fmt.Errorf("-factor: %q is no number above 0 and at most 1000000", part)
		}
		factors = append(factors, f)
	}
	return factors, nil
}

func (o options) check() error {
	if o.lasts <= 0 || o.every <= 0 || o.tenant.models < onDisk/20 || o.tenant.people < 20 {
		return fmt.Errorf("-for and -every must be above 0, -models at least %d and -people at least 20", onDisk/20)
	}
	return nil
}

// run simulates. Only the files of o remain.
func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "readiness-simulate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// When root starts this, PostgreSQL runs as another user, who must traverse this directory.
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // nothing in it may be listed or read
		return err
	}
	s, err := start(ctx, o, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	_, _, err = s.simulate(ctx, o)
	return err
}

// simulate sends the load, writes the results, and compares them with the log.
func (s *system) simulate(ctx context.Context, o options) (l *load, rows []row, err error) {
	if l, err = newLoad(o, s); err != nil {
		return nil, nil, err
	}
	if rows, err = l.run(ctx); err != nil {
		return l, rows, err
	}
	done, err := s.settled(ctx, l)
	if err != nil {
		return l, rows, err
	}
	fmt.Fprint(o.say, l.summary(rows, done))
	if err := errors.Join(write(o.table, tableOf(rows)), write(o.graph, graphOf(rows))); err != nil {
		return l, rows, err
	}
	return l, rows, s.verify(ctx, l)
}

func write(file, text string) error {
	if file == "" {
		return nil
	}
	return os.WriteFile(file, []byte(text), 0o644) //nolint:gosec // a result for everyone to read
}
