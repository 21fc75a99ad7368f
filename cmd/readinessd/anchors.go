package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/publish"
	"readiness/internal/bucket"
	"readiness/work"
)

// anchorFlags say where signed heads of the log are kept outside of the database.
type anchorFlags struct {
	bucket    string
	witnesses []string
	needed    int
}

const bucketUsage = bucket.Usage

func (f *anchorFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.bucket, "checkpoint-to", "", "bucket to which signed heads of the log are published, where none is overwritten: "+
		bucketUsage)
	flags.StringArrayVar(&f.witnesses, "witness", nil, "witness that must sign heads before they are published (C2SP tlog-witness), as "+
		"NAME+HASH+KEY=URL; can be repeated")
	flags.IntVar(&f.needed, "witnesses-needed", 0, "how many of the witnesses must sign; 0 is all of them")
}

// parsed returns the witnesses, and how many of them must sign.
func (f *anchorFlags) parsed() (witnesses []*publish.Witness, needed int, err error) {
	var names []string
	for _, text := range f.witnesses {
		w, err := publish.ParseWitness(text)
		if err != nil {
			return nil, 0, cli.Usage("--witness: %w", err)
		}
		if slices.Contains(names, w.Name()) {
			return nil, 0, cli.Usage("--witness: %s is named twice", w.Name())
		}
		names, witnesses = append(names, w.Name()), append(witnesses, w)
	}
	switch {
	case len(witnesses) > 0 && f.bucket == "":
		return nil, 0, cli.Usage("--witness needs --checkpoint-to")
	case f.needed < 0 || f.needed > len(witnesses):
		return nil, 0, cli.Usage("--witnesses-needed must be from 0 to the number of witnesses, %d", len(witnesses))
	case f.needed == 0:
		return witnesses, len(witnesses), nil
	}
	return witnesses, f.needed, nil
}

// anchors are the known heads outside of the database.
type anchors struct {
	kept    func(context.Context) ([][]byte, error) // the file in the data directory
	options publish.Options
	publish *publish.Publisher // nil without a bucket, and before start
}

// open opens the bucket.
func (f *anchorFlags) open(ctx context.Context, life *lifetime, s secrets) (*anchors, error) {
	a := &anchors{kept: audit.Kept(s.keptHead())}
	witnesses, needed, err := f.parsed()
	if err != nil || f.bucket == "" {
		return a, err
	}
	heads, err := publish.Open(ctx, f.bucket)
	if err != nil {
		return nil, err
	}
	life.then("bucket of signed heads", func(context.Context) error { return heads.Close() })
	a.options = publish.Options{Bucket: heads, Witnesses: witnesses, Needed: needed, Now: time.Now}
	return a, nil
}

// Published is for audit.Options.
func (a *anchors) Published(ctx context.Context) ([][]byte, error) {
	notes, err := a.kept(ctx)
	if err != nil || a.publish == nil {
		return notes, err
	}
	published, err := a.publish.Published(ctx)
	return append(notes, published...), err
}

// start makes the publisher, which runs in processes that work.
func (a *anchors) start(r *root, log *audit.Log, queue *work.Queue, registry *prometheus.Registry) {
	if a.options.Bucket == nil {
		return
	}
	a.options.Log, a.options.Leads, a.options.Logger = log, queue.Leads, r.Log
	a.publish = publish.New(a.options)
	registry.MustRegister(a.publish)
}

// published reads the newest head of each tree from a bucket, for commands.
func published(ctx context.Context, log *audit.Log, address string) (notes [][]byte, err error) {
	if address == "" {
		return nil, nil
	}
	base, err := log.Base(ctx)
	if err != nil {
		return nil, err
	}
	bucket, err := publish.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bucket.Close()) }()
	return bucket.Newest(ctx, base, true)
}
