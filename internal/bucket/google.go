package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/storage/v1"
)

// gs:// is opened here by Google's client of the JSON API: the one that gocloud.dev uses adds Envoy and 20 MB to the program.
func init() { clouds.RegisterBucket("gs", googleOpener{}) }

// googleOpener opens gs://NAME. It makes no call to the bucket.
type googleOpener struct{}

// OpenBucketURL implements blob.BucketURLOpener.
func (googleOpener) OpenBucketURL(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	if u.Host == "" {
		return nil, errors.New("gs: the address names no bucket")
	}
	with := []option.ClientOption{option.WithScopes(storage.DevstorageReadWriteScope)}
	for _, name := range slices.Sorted(maps.Keys(u.Query())) { // without prefix, which gocloud.dev takes
		anonymous, err := strconv.ParseBool(u.Query().Get(name))
		if name != "anonymous" || err != nil {
			return nil, fmt.Errorf("gs: %s=%s is no option; there are prefix=FOLDER/ and anonymous=true", name, u.Query().Get(name))
		}
		if anonymous {
			with = []option.ClientOption{option.WithoutAuthentication()}
		}
	}
	if host := os.Getenv("STORAGE_EMULATOR_HOST"); host != "" { // as all of Google's clients do
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
		with = []option.ClientOption{option.WithoutAuthentication(), option.WithEndpoint(host + "/storage/v1/")}
	}
	service, err := storage.NewService(ctx, with...)
	if err != nil {
		return nil, fmt.Errorf("gs: %w", err)
	}
	return blob.NewBucket(&googleBucket{objects: service.Objects, name: u.Host}), nil
}

// googleBucket is a bucket of Google Cloud Storage, with what this package uses.
type googleBucket struct {
	unused
	objects *storage.ObjectsService
	name    string
}

// Attributes implements driver.Bucket.
func (b *googleBucket) Attributes(ctx context.Context, key string) (*driver.Attributes, error) {
	o, err := b.objects.Get(b.name, key).Context(ctx).Do()
	if err != nil {
		return nil, err
	}
	return &driver.Attributes{ContentType: o.ContentType, ModTime: updated(o), Size: int64(o.Size)}, nil //nolint:gosec // below 5 TiB
}

// updated returns when an object was written; the zero time if Google says no time.
func updated(o *storage.Object) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, o.Updated)
	return at
}

// ListPaged implements driver.Bucket.
func (b *googleBucket) ListPaged(ctx context.Context, o *driver.ListOptions) (*driver.ListPage, error) {
	list := b.objects.List(b.name).Context(ctx).Prefix(o.Prefix).Delimiter(o.Delimiter).PageToken(string(o.PageToken))
	if o.PageSize > 0 {
		list.MaxResults(int64(o.PageSize))
	}
	found, err := list.Do()
	if err != nil {
		return nil, err
	}
	page := &driver.ListPage{NextPageToken: []byte(found.NextPageToken)}
	for _, o := range found.Items {
		page.Objects = append(page.Objects, &driver.ListObject{Key: o.Name, ModTime: updated(o), Size: int64(o.Size)}) //nolint:gosec // below 5 TiB
	}
	for _, prefix := range found.Prefixes {
		page.Objects = append(page.Objects, &driver.ListObject{Key: prefix, IsDir: true})
	}
	byKey(page.Objects)
	return page, nil
}

// NewRangeReader implements driver.Bucket, for whole objects.
func (b *googleBucket) NewRangeReader(ctx context.Context, key string, offset, length int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	if offset != 0 || length >= 0 {
		return nil, errUnused
	}
	res, err := b.objects.Get(b.name, key).Context(ctx).Download() //nolint:bodyclose // the reader closes it
	if err != nil {
		return nil, err
	}
	return reader{res.Body, driver.ReaderAttributes{ContentType: res.Header.Get("Content-Type"), Size: res.ContentLength}}, nil
}

// NewTypedWriter implements driver.Bucket.
func (b *googleBucket) NewTypedWriter(ctx context.Context, key, contentType string, o *driver.WriterOptions) (driver.Writer, error) {
	put := b.objects.Insert(b.name, &storage.Object{Name: key, ContentType: contentType}).Context(ctx)
	if o.IfNotExist {
		put.IfGenerationMatch(0)
	}
	return &writer{ctx: ctx, put: func(body *bytes.Buffer) error {
		_, err := put.Media(body, googleapi.ContentType(contentType), googleapi.ChunkSize(0)).Do()
		return err
	}}, nil
}

// Delete implements driver.Bucket.
func (b *googleBucket) Delete(ctx context.Context, key string, _ *driver.DeleteOptions) error {
	return b.objects.Delete(b.name, key).Context(ctx).Do()
}

// ErrorCode implements driver.Bucket.
func (b *googleBucket) ErrorCode(err error) gcerrors.ErrorCode {
	refused, ok := errors.AsType[*googleapi.Error](err)
	switch {
	case !ok:
		return gcerrors.Code(err) // of a context, or Unknown
	case refused.Code == http.StatusNotFound:
		return gcerrors.NotFound
	case refused.Code == http.StatusPreconditionFailed:
		return gcerrors.FailedPrecondition
	}
	return gcerrors.Unknown
}
