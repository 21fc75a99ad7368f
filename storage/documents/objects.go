package documents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"readiness/internal/bucket"
	"readiness/internal/database"
	"readiness/internal/pace"
)

// limits are the times of calls to a bucket.
type limits struct {
	// call bounds one call, and within all tries of it together. Each is longer by perMB for every MiB of the body.
	// within is shorter than the longest call of the interface (30 seconds), so that the call can still be refused with the reason.
	call, within time.Duration
	// slot is how long a call waits while atOnce others are in flight.
	slot time.Duration
	// silence is how long calls fail at once, after maxTimeouts in a row took too long. Then one call probes the bucket.
	silence time.Duration
}

var usual = limits{call: 12 * time.Second, within: 20 * time.Second, slot: 5 * time.Second, silence: 10 * time.Second}

const (
	perMB       = time.Second / 2
	tries       = 3
	pause       = 200 * time.Millisecond
	atOnce      = 32 // of each kind of call
	maxTimeouts = 3
	// namedWithin is how long after its put an object may be named. The step or call that puts it ends much earlier.
	namedWithin = time.Hour
)

var (
	errSilent = errors.New("the bucket did not answer several calls in a row; it is tried again within seconds")
	errBusy   = errors.New("too many calls to the bucket are waiting")
)

// objects are the bodies in a bucket. The zero value of everything but bucket is ready.
type objects struct {
	bucket *bucket.Bucket
	slots  map[call]chan struct{}
	*metrics
	limits limits

	mu       sync.Mutex
	timeouts int // in a row
	until    time.Time
}

// call is a kind of call to a bucket; it labels metrics.
type call string

const (
	puts    call = "put"
	gets    call = "get"
	deletes call = "delete"
	lists   call = "list"
)

func newObjects(b *bucket.Bucket, m *metrics) *objects {
	o := &objects{bucket: b, slots: map[call]chan struct{}{}, metrics: m, limits: usual}
	for _, c := range []call{puts, gets, deletes, lists} {
		o.slots[c] = make(chan struct{}, atOnce)
	}
	return o
}

// keyOf returns a new key for a document's object. No two puts have the same.
func keyOf(hash string) string {
	digest := strings.TrimPrefix(hash, "sha256:")
	return prefix + digest[:2] + "/" + digest + "-" + uuid.NewString()
}

const prefix = "documents/"

// admit reports whether the bucket may be called. While it is silent, one call is admitted every silence.
func (o *objects) admit(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timeouts < maxTimeouts {
		return true
	}
	if now.Before(o.until) {
		return false
	}
	o.until = now.Add(o.limits.call + o.limits.silence)
	return true
}

// answered records whether a call was answered in time.
func (o *objects) answered(in bool, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if in {
		o.timeouts = 0
		return
	}
	if o.timeouts++; o.timeouts >= maxTimeouts {
		o.until = now.Add(o.limits.silence)
	}
}

// silent reports whether calls fail at once.
func (o *objects) silent(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.timeouts >= maxTimeouts && now.Before(o.until)
}

// try makes a call and repeats it, as long as the limits allow. The error is ErrUnavailable, unless the caller is gone or the bucket
// answered that there is no such object. The cause of ErrUnavailable is not wrapped: the bucket's timeout is not the caller's.
func (o *objects) try(ctx context.Context, c call, key string, size int, do func(context.Context) ([]byte, error)) ([]byte, error) {
	more := time.Duration(size>>20) * perMB
	bounded, cancel := context.WithTimeout(ctx, o.limits.within+more)
	defer cancel()
	for n := 1; ; n++ {
		began := time.Now()
		body, err := o.once(bounded, c, o.limits.call+more, do)
		o.observe(c, began, size+len(body), err)
		switch {
		case err == nil, errors.Is(err, bucket.ErrMissing), errors.Is(err, bucket.ErrExists):
			return body, err
		case errors.Is(ctx.Err(), context.Canceled):
			return nil, fmt.Errorf("documents: %s %s: %w", c, key, ctx.Err())
		case n == tries || bounded.Err() != nil || errors.Is(err, errSilent):
			return nil, fmt.Errorf("%w: %s %s: %v", ErrUnavailable, c, key, err) //nolint:errorlint // see above
		}
		_ = pace.Wait(bounded, pause*time.Duration(n))
	}
}

// once makes a call when a slot is free. A call that does not return when its context ends, such as one to a file system that does not
// answer, keeps its slot.
func (o *objects) once(ctx context.Context, c call, limit time.Duration, do func(context.Context) ([]byte, error)) ([]byte, error) {
	if o.silent(time.Now()) {
		return nil, errSilent
	}
	slot := o.slots[c]
	waits := time.NewTimer(o.limits.slot)
	defer waits.Stop()
	select {
	case slot <- struct{}{}:
	case <-waits.C:
		return nil, errBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !o.admit(time.Now()) {
		<-slot
		return nil, errSilent
	}
	type answer struct {
		body []byte
		err  error
	}
	answers := make(chan answer, 1)
	calling, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	go func() {
		defer func() { <-slot }()
		body, err := do(calling)
		answers <- answer{body, err}
	}()
	var a answer
	select {
	case a = <-answers:
	case <-calling.Done():
		a.err = calling.Err()
	}
	if a.err == nil || calling.Err() == nil {
		o.answered(true, time.Now())
	} else if !errors.Is(ctx.Err(), context.Canceled) {
		o.answered(false, time.Now())
	}
	return a.body, a.err
}

func (o *objects) put(ctx context.Context, key string, packed []byte) error {
	_, err := o.try(ctx, puts, key, len(packed), func(ctx context.Context) ([]byte, error) {
		return nil, o.bucket.Put(ctx, key, packed, "application/zstd")
	})
	if errors.Is(err, bucket.ErrExists) { // an earlier try wrote it: no other put has the key
		return nil
	}
	return err
}

func (o *objects) get(ctx context.Context, key string) ([]byte, error) {
	return o.try(ctx, gets, key, 0, func(ctx context.Context) ([]byte, error) { return o.bucket.Get(ctx, key, maxPacked) })
}

func (o *objects) delete(ctx context.Context, key string) error {
	_, err := o.try(ctx, deletes, key, 0, func(ctx context.Context) ([]byte, error) { return nil, o.bucket.Delete(ctx, key) })
	return err
}

// putNew puts a body under a new key, which is registered before, so that the object is removed if nothing names it.
func (s *Store) putNew(ctx context.Context, hash string, packed []byte) (key string, err error) {
	key = keyOf(hash)
	if _, err := s.pool.Exec(ctx, `INSERT INTO document_objects (key, due) VALUES ($1, now() + $2::interval)`, key,
		namedWithin.String()); err != nil {
		return "", fmt.Errorf("documents: register %s: %w", key, err)
	}
	return key, s.objects.put(ctx, key, packed)
}

// namedSQL stores a row that names the object $2. If the object was condemned meanwhile, or is not registered, the row has neither body
// nor object, which its constraint refuses, and the transaction fails. A row that was there gets the new object, so a damaged one is
// repaired, and its earlier object is released.
const namedSQL = `WITH stored AS (
	INSERT INTO documents AS d (hash, body, object, expires_at)
	VALUES ($1, '', (SELECT key FROM document_objects WHERE key = $2 AND NOT condemned FOR UPDATE), $3)
	ON CONFLICT (hash) DO UPDATE SET body = CASE WHEN EXCLUDED.object IS NULL THEN d.body ELSE '' END,
		object = coalesce(EXCLUDED.object, d.object), expires_at = ` + latest + ` RETURNING d.object)
	DELETE FROM document_objects o USING stored WHERE o.key = stored.object AND o.key = $2`

// name returns the statement that stores a document by the key of its object.
func name(hash, key string, expires *time.Time) database.Statement {
	return database.Statement{SQL: namedSQL, Args: []any{hash, key, expires}}
}

// has returns an error if the bucket answers that it does not have the object.
func (o *objects) has(ctx context.Context, key string) error {
	_, err := o.try(ctx, gets, key, 0, func(ctx context.Context) ([]byte, error) { return nil, o.bucket.Exists(ctx, key) })
	if errors.Is(err, bucket.ErrMissing) {
		return fmt.Errorf("documents: the bucket of --documents lacks the object %s, which a document names: --documents names another "+
			"bucket, or the object must be restored from a backup", key)
	}
	return nil
}

// Reach returns an error if there is a bucket that cannot be reached.
func (s *Store) Reach(ctx context.Context) error {
	if s.objects == nil {
		return nil
	}
	_, err := s.objects.try(ctx, gets, "the bucket", 0, func(ctx context.Context) ([]byte, error) {
		return nil, s.objects.bucket.There(ctx)
	})
	return err
}
