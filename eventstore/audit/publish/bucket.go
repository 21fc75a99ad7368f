package publish

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"readiness/eventstore/audit"
	"readiness/internal/bucket"
	"readiness/internal/pace"
)

const (
	// callLimit bounds a call to the bucket, tries how often one is made.
	callLimit = 20 * time.Second
	tries     = 3
	// maxNote bounds a note in bytes, and page a list.
	maxNote = 64 << 10
	page    = 1000
)

// Bucket holds notes, each below its tree's name and its size: ORIGIN/checkpoint/000/000/001/234 is the head of 1,234 entries. The digits
// are in groups, so that the newest is found by lists of at most a thousand. No note is overwritten.
type Bucket struct {
	b       *bucket.Bucket
	pause   time.Duration // before a call is made again
	writing func()        // is called before each write
}

// Open opens the bucket at an address (see bucket.Usage).
func Open(ctx context.Context, address string) (*Bucket, error) {
	b, err := bucket.Open(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	return &Bucket{b, time.Second, func() {}}, nil
}

// Close closes the bucket.
func (b *Bucket) Close() error { return b.b.Close() }

// Key returns the name of a note.
func Key(origin string, size int64) string {
	const k = 1000
	return fmt.Sprintf("%s/checkpoint/%03d/%03d/%03d/%03d", origin, size/k/k/k, size/k/k%k, size/k%k, size%k)
}

// Put stores a note unless the bucket has one of the same head; another head of the same size is an error.
func (b *Bucket) Put(ctx context.Context, note []byte) error {
	origin, head, err := audit.ParseBody(note)
	if err != nil {
		return err
	}
	key := Key(origin, head.Size)
	return b.try(ctx, "publish "+key, func(ctx context.Context) error {
		b.writing()
		err := b.b.Put(ctx, key, note, "text/plain; charset=utf-8")
		if !errors.Is(err, bucket.ErrExists) {
			return err
		}
		there, err := b.b.Get(ctx, key, maxNote)
		if err != nil {
			return err
		}
		if named, other, err := audit.ParseBody(there); err != nil || named != origin || other != head {
			return &Contradicted{key}
		}
		return nil
	})
}

// Contradicted is the error of a bucket that has another head of the size.
type Contradicted struct{ Key string }

// Error implements error.
func (e *Contradicted) Error() string {
	return "the bucket has another head as " + e.Key + ": two histories were signed, or the bucket is another service's"
}

// try makes a call, and again if it fails: tries times in all.
func (b *Bucket) try(ctx context.Context, what string, call func(context.Context) error) error {
	for n := 1; ; n++ {
		bounded, cancel := context.WithTimeout(ctx, callLimit)
		err := call(bounded)
		cancel()
		if err == nil {
			return nil
		}
		if _, final := errors.AsType[*Contradicted](err); final || n == tries || ctx.Err() != nil {
			return fmt.Errorf("publish: %s: %w", what, err)
		}
		_ = pace.Wait(ctx, b.pause*time.Duration(n))
	}
}

var (
	epochFolder = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
	group       = regexp.MustCompile(`^[0-9]{3}$`)
)

// Newest returns the newest head of the service's tree in each epoch, and with accounts of each account's tree too. base is the name of
// the service's tree in the first epoch.
func (b *Bucket) Newest(ctx context.Context, base string, accounts bool) (notes [][]byte, err error) {
	if err := b.try(ctx, "look for the bucket", b.b.There); err != nil {
		return nil, err
	}
	trees := []string{base}
	for i := 0; i < len(trees); i++ {
		err := b.folders(ctx, trees[i]+"/", func(name string) error {
			switch {
			case name == "checkpoint":
				note, err := b.last(ctx, trees[i]+"/checkpoint/")
				notes = append(notes, note)
				return err
			case epochFolder.MatchString(name):
				trees = append(trees, trees[i]+"/"+name)
			case name == "accounts" && accounts && trees[i] == base:
				return b.folders(ctx, base+"/accounts/", func(id string) error {
					trees = append(trees, base+"/accounts/"+id)
					return nil
				})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return notes, nil
}

// last returns the note with the largest number below a folder.
func (b *Bucket) last(ctx context.Context, folder string) (note []byte, err error) {
	for {
		largest := ""
		find := func(name string) error {
			if group.MatchString(name) {
				largest = name // names come in order
			}
			return nil
		}
		if err := b.list(ctx, folder, true, find); err != nil {
			return nil, err
		}
		if largest == "" {
			return nil, fmt.Errorf("publish: the bucket has no note below %s", folder)
		}
		if strings.Count(strings.TrimPrefix(folder[strings.LastIndex(folder, "/checkpoint/"):], "/checkpoint/"), "/") == 3 {
			err := b.try(ctx, "read "+folder+largest, func(ctx context.Context) (err error) {
				note, err = b.b.Get(ctx, folder+largest, maxNote)
				return err
			})
			return note, err
		}
		folder += largest + "/"
	}
}

// folders passes the names of the folders in a folder to do.
func (b *Bucket) folders(ctx context.Context, prefix string, do func(name string) error) error {
	return b.list(ctx, prefix, false, do)
}

// list passes the names in a folder to do, in order; with objects also those that are no folders.
func (b *Bucket) list(ctx context.Context, prefix string, objects bool, do func(name string) error) error {
	place := bucket.FirstPage
	for len(place) > 0 {
		var found []bucket.Entry
		err := b.try(ctx, "list "+prefix, func(ctx context.Context) (err error) {
			var next []byte
			if found, next, err = b.b.List(ctx, place, page, prefix, "/"); err == nil {
				place = next
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, o := range found {
			if o.Folder || objects {
				if err := do(strings.TrimSuffix(strings.TrimPrefix(o.Key, prefix), "/")); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
