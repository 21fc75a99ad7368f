package bucket

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
)

// clouds opens the addresses for which this package has drivers of its own.
var clouds = new(blob.URLMux)

// unused is what gocloud.dev offers and this package does not use.
type unused struct{}

var errUnused = errors.New("bucket: objects are put, read, listed and deleted, and nothing else")

// Copy implements driver.Bucket.
func (unused) Copy(context.Context, string, string, *driver.CopyOptions) error { return errUnused }

// SignedURL implements driver.Bucket.
func (unused) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errUnused
}

// Close implements driver.Bucket.
func (unused) Close() error { return nil }

// As implements driver.Bucket.
func (unused) As(any) bool { return false }

// ErrorAs implements driver.Bucket.
func (unused) ErrorAs(error, any) bool { return false }

// reader reads an object.
type reader struct {
	io.ReadCloser
	about driver.ReaderAttributes
}

// Attributes implements driver.Reader.
func (r reader) Attributes() *driver.ReaderAttributes { return &r.about }

// As implements driver.Reader.
func (reader) As(any) bool { return false }

// writer collects an object, and puts it in one call when it is closed.
type writer struct {
	bytes.Buffer
	ctx context.Context // of the one call
	put func(body *bytes.Buffer) error
}

// Close implements driver.Writer. It puts nothing if the context has ended.
func (w *writer) Close() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	return w.put(&w.Buffer)
}

// byKey sorts objects and folders by key.
func byKey(objects []*driver.ListObject) {
	slices.SortFunc(objects, func(a, b *driver.ListObject) int { return cmp.Compare(a.Key, b.Key) })
}
