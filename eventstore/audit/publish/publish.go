// Package publish stores the signed heads of the log's trees where the operator of the database cannot change them: in a bucket in which no
// object is overwritten, and with witnesses, which sign only heads that continue those they signed before. It reads heads after they were
// committed and signs none.
package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"readiness/eventstore/audit"
)

const (
	// every is how often a Publisher looks for heads.
	every = 10 * time.Second
	// roundLimit bounds a round; the next one continues where it ended.
	roundLimit = 5 * time.Minute
	// readLimit bounds how long sealing waits for the newest published head when the process starts.
	readLimit = 10 * time.Second
	// atOnce is how many heads are written at once.
	atOnce = 8
)

// Options are what a Publisher depends on.
type Options struct {
	Log    *audit.Log
	Bucket *Bucket
	// Witnesses are asked to sign each head of the service's tree. It is published when Needed of them have.
	Witnesses []*Witness
	Needed    int
	// Leads reports whether this process publishes; the others only know what was published.
	Leads  func(context.Context) (bool, error)
	Now    func() time.Time
	Logger *slog.Logger
}

// Publisher publishes heads. It is safe for concurrent use.
type Publisher struct {
	o Options

	mu     sync.Mutex
	known  bool // whether newest was read
	newest [][]byte
	done   time.Time // when everything signed was last published; zero while this process does not lead
}

// New returns a Publisher that has read nothing yet.
func New(o Options) *Publisher { return &Publisher{o: o} }

// Published returns the newest published head of the service's tree in each epoch, for audit.Options.Published. The bucket is read when
// the process starts, and then by Run alone, so that a bucket that does not answer cannot delay sealing. Until it has answered once
// nothing is signed.
func (p *Publisher) Published(ctx context.Context) ([][]byte, error) {
	p.mu.Lock()
	known, newest := p.known, p.newest
	p.mu.Unlock()
	if known {
		return newest, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return p.read(ctx)
}

// read reads the newest published heads.
func (p *Publisher) read(ctx context.Context) ([][]byte, error) {
	base, err := p.o.Log.Base(ctx)
	if errors.Is(err, audit.ErrUnnamed) {
		return nil, nil // nothing is signed either
	}
	if err != nil {
		return nil, err
	}
	newest, err := p.o.Bucket.Newest(ctx, base, false)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known, p.newest = true, newest
	return newest, nil
}

// Run publishes until ctx ends.
func (p *Publisher) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := p.Round(ctx); err != nil && ctx.Err() == nil {
			p.o.Logger.Warn("signed heads of the log were not published; it is tried again in 10 seconds", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Round reads what was published and, if this process leads, publishes what was signed since.
func (p *Publisher) Round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	newest, err := p.read(ctx)
	if err != nil {
		return err
	}
	leads, err := p.o.Leads(ctx)
	if err != nil || !leads {
		p.finished(time.Time{})
		return err
	}
	if err := p.o.Log.Continues(ctx, newest); err != nil {
		return err
	}
	epoch, size, err := p.last(ctx, newest)
	if err != nil {
		return err
	}
	for {
		head, err := p.o.Log.SignedAfter(ctx, epoch, size)
		if errors.Is(err, audit.ErrNotSealed) {
			p.finished(p.o.Now())
			return nil
		}
		if err != nil {
			return err
		}
		before := int64(0)
		if head.Epoch == epoch {
			before = size
		}
		if head, err = p.publish(ctx, before, head); err != nil {
			return err
		}
		newest = replaced(newest, head.Note)
		p.mu.Lock()
		p.newest = newest
		p.mu.Unlock()
		epoch, size = head.Epoch, head.Size
	}
}

// replaced returns the notes with a newer one instead of that of the same tree and epoch.
func replaced(notes [][]byte, note []byte) [][]byte {
	origin, _, _ := bytes.Cut(note, []byte("\n"))
	others := slices.DeleteFunc(slices.Clone(notes), func(other []byte) bool {
		of, _, _ := bytes.Cut(other, []byte("\n"))
		return bytes.Equal(of, origin)
	})
	return append(others, note)
}

// last returns the place of the last published head of the service's tree.
func (p *Publisher) last(ctx context.Context, newest [][]byte) (epoch int, size int64, err error) {
	base, err := p.o.Log.Base(ctx)
	if err != nil {
		if errors.Is(err, audit.ErrUnnamed) {
			err = nil
		}
		return 0, 0, err
	}
	for _, note := range newest {
		origin, head, err := audit.ParseBody(note)
		if err != nil {
			return 0, 0, err
		}
		if of, ours := audit.EpochOf(base, origin); ours && of >= epoch {
			epoch, size = of, head.Size
		}
	}
	return epoch, size, nil
}

// publish publishes the head of the service's tree, after the heads of accounts' trees that were signed with it or since the one before.
// So a published head of the service's tree implies that all heads before it are published. With witnesses only the last signed head is
// published, because they sign no head that is older than one that they have signed.
func (p *Publisher) publish(ctx context.Context, before int64, head audit.Head) (audit.Head, error) {
	if len(p.o.Witnesses) > 0 {
		last, err := p.o.Log.LastSigned(ctx, head)
		if err == nil {
			head, err = p.cosigned(ctx, last)
		}
		if err != nil {
			return head, err
		}
	}
	err := p.o.Log.AccountsSigned(ctx, before, head, func(heads []audit.Head) error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for _, h := range heads {
			group.Go(func() error { return p.o.Bucket.Put(ctx, h.Note) })
		}
		return group.Wait()
	})
	if err == nil {
		err = p.o.Bucket.Put(ctx, head.Note)
	}
	return head, err
}

// cosigned returns the head with the signatures of witnesses, which the database keeps too.
func (p *Publisher) cosigned(ctx context.Context, head audit.Head) (audit.Head, error) {
	lines := make([][]byte, len(p.o.Witnesses))
	failed := make([]error, len(p.o.Witnesses))
	var all sync.WaitGroup
	for i, w := range p.o.Witnesses {
		all.Go(func() { lines[i], failed[i] = w.sign(ctx, p.o.Log, head) })
	}
	all.Wait()
	signed := 0
	for _, line := range lines {
		if line != nil {
			head.Note, signed = append(head.Note[:len(head.Note):len(head.Note)], line...), signed+1
		}
	}
	if signed < p.o.Needed {
		return head, fmt.Errorf("publish: %d of %d witnesses signed the head of %d entries, and %d must: %w", signed, len(lines), head.Size,
			p.o.Needed, errors.Join(failed...))
	}
	if err := errors.Join(failed...); err != nil {
		p.o.Logger.Warn("a witness did not sign the newest head of the log; enough others did", "error", err)
	}
	return head, p.o.Log.Cosigned(ctx, head)
}

func (p *Publisher) finished(at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = at
}

var age = prometheus.NewDesc("readiness_checkpoint_published_age_seconds",
	"Time since every signed head of the log was published, in the process that publishes.", nil, nil)

// Describe implements prometheus.Collector.
func (p *Publisher) Describe(to chan<- *prometheus.Desc) { to <- age }

// Collect implements prometheus.Collector.
func (p *Publisher) Collect(to chan<- prometheus.Metric) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.done.IsZero() {
		to <- prometheus.MustNewConstMetric(age, prometheus.GaugeValue, max(0, p.o.Now().Sub(p.done).Seconds()))
	}
}
