// Package bucket opens a bucket of object storage: a folder, S3, Azure Blob Storage or Google Cloud Storage. It does not retry, and it
// bounds no call: that is for its callers, who know how long an answer may take.
package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/fileblob"  // file://
	"gocloud.dev/gcerrors"

	"readiness/internal/durable"
)

// Usage describes the addresses that Open takes.
const Usage = "file:///DIRECTORY, s3://NAME, azblob://NAME or gs://NAME, with the options in docs/operating.md#documents-in-a-bucket"

var (
	// ErrExists reports that there is an object with the key.
	ErrExists = errors.New("bucket: the object exists")
	// ErrMissing reports that there is no object with the key.
	ErrMissing = errors.New("bucket: there is no such object")
)

// Bucket is an open bucket. It is safe for concurrent use.
type Bucket struct {
	b      *blob.Bucket
	folder string // of a bucket that is one
	prefix string // of the keys in the folder
}

// Open opens the bucket at an address (see Usage). It makes no call.
func Open(ctx context.Context, address string) (*Bucket, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	b := &Bucket{}
	if u.Scheme == "file" { // an object is one file without metadata, written atomically
		b.folder, b.prefix = filepath.FromSlash(u.Path), u.Query().Get("prefix")
		q := u.Query()
		q.Set("no_tmp_dir", "true")
		q.Set("metadata", "skip")
		u.RawQuery = q.Encode()
	}
	opener := blob.DefaultURLMux()
	if clouds.ValidBucketScheme(u.Scheme) {
		opener = clouds
	}
	if b.b, err = opener.OpenBucketURL(ctx, u); err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	return b, nil
}

// Close closes the bucket.
func (b *Bucket) Close() error { return b.b.Close() }

// There returns an error unless the bucket exists. A missing folder, whose disk is not mounted, looks like an empty bucket
// to gocloud.dev.
func (b *Bucket) There(ctx context.Context) error {
	if b.folder != "" {
		_, err := os.ReadDir(b.folder)
		return err
	}
	there, err := b.b.IsAccessible(ctx)
	if err == nil && !there {
		err = errors.New("it does not exist, or may not be read")
	}
	return err
}

// Put writes an object, or returns ErrExists and changes nothing. In a folder the object is on the disk when Put returns.
func (b *Bucket) Put(ctx context.Context, key string, body []byte, contentType string) error {
	if b.folder != "" {
		if _, err := os.Stat(b.folder); err != nil {
			return err
		}
	}
	// Not WriteAll: its writer for Azure panics if the call fails (gocloud.dev v0.47).
	err := b.b.Upload(ctx, key, bytes.NewReader(body), &blob.WriterOptions{IfNotExist: true, ContentType: contentType})
	if gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return ErrExists
	}
	if err == nil && b.folder != "" {
		err = b.sync(key)
	}
	return err
}

// sync makes the file of an object, and its entry in the folders above it, last through a crash of the machine.
func (b *Bucket) sync(key string) error {
	path := filepath.Join(b.folder, filepath.FromSlash(b.prefix+key))
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // the key is the caller's
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	for top := filepath.Clean(b.folder); path != top; {
		path = filepath.Dir(path)
		if f, err = os.Open(path); err != nil { //nolint:gosec // the key is the caller's
			return err
		}
		if err := durable.CloseFolder(f); err != nil {
			return err
		}
	}
	return nil
}

// Get returns an object of at most most bytes, or ErrMissing. Of a larger one it returns the beginning.
func (b *Bucket) Get(ctx context.Context, key string, most int64) ([]byte, error) {
	r, err := b.b.NewReader(ctx, key, nil)
	if err != nil {
		return nil, b.missing(err)
	}
	defer func() { _ = r.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(r, most))
}

// Exists returns ErrMissing unless there is an object with the key.
func (b *Bucket) Exists(ctx context.Context, key string) error {
	_, err := b.b.Attributes(ctx, key)
	return b.missing(err)
}

// Delete deletes an object, if there is one, and in a folder what a process that was killed while it put the object left.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if err := b.missing(b.b.Delete(ctx, key)); err != nil && !errors.Is(err, ErrMissing) {
		return err
	}
	if b.folder == "" {
		return nil
	}
	path := filepath.Join(b.folder, filepath.FromSlash(b.prefix+key))
	files, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) { // no object was ever put there
		return nil
	}
	for _, f := range files { // gocloud.dev writes KEY.NANOSECONDS.tmp, and renames it
		if strings.HasPrefix(f.Name(), filepath.Base(path)+".") && strings.HasSuffix(f.Name(), ".tmp") {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), f.Name())))
		}
	}
	return err
}

// missing returns err, or ErrMissing if that is its reason. A folder that is not mounted has no objects, and is another error.
func (b *Bucket) missing(err error) error {
	if gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	if b.folder != "" {
		if _, err := os.Stat(b.folder); err != nil {
			return err
		}
	}
	return ErrMissing
}

// FirstPage is the place before the first page of a list; the place after the last one is empty.
var FirstPage = blob.FirstPageToken

// Entry is an object in a list, or with a delimiter all objects whose keys continue with one.
type Entry struct {
	Key     string
	Folder  bool
	Written time.Time // zero for a folder
}

// List returns a page of the objects below a prefix, in order of their keys, and the place of the next page.
func (b *Bucket) List(ctx context.Context, place []byte, most int, prefix, delimiter string) (entries []Entry, next []byte, err error) {
	found, next, err := b.b.ListPage(ctx, place, most, &blob.ListOptions{Prefix: prefix, Delimiter: delimiter})
	for _, o := range found {
		entries = append(entries, Entry{o.Key, o.IsDir, o.ModTime})
	}
	return entries, next, err
}
