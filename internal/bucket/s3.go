package bucket

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"
	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// s3:// is opened here by MinIO's client: Amazon's, which gocloud.dev uses, makes the program 8 MB larger.
func init() { clouds.RegisterBucket("s3", s3Opener{}) }

// s3Options are the options of an s3:// address, without prefix, which gocloud.dev takes.
const s3Options = "region, endpoint, use_path_style, anonymous, profile, ssetype and kmskeyid"

// s3Opener opens s3://NAME. It makes no call.
type s3Opener struct{}

// OpenBucketURL implements blob.BucketURLOpener.
func (s3Opener) OpenBucketURL(_ context.Context, u *url.URL) (*blob.Bucket, error) {
	b, err := openS3(u)
	if err != nil {
		return nil, fmt.Errorf("s3: %w", err)
	}
	return blob.NewBucket(b), nil
}

// openS3 opens the bucket at an address. Credentials and region come from the places where Amazon's own tools look for them; of the region
// of a profile the server is asked.
func openS3(u *url.URL) (*s3Bucket, error) {
	if u.Host == "" {
		return nil, errors.New("the address names no bucket")
	}
	q := u.Query()
	b := &s3Bucket{name: u.Host, options: minio.Options{MaxRetries: 1}}
	b.options.Region = cmp.Or(q.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	b.options.Creds = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}})
	for _, name := range slices.Sorted(maps.Keys(q)) {
		value := q.Get(name)
		var on bool
		var err error
		switch name {
		case "region", "endpoint", "kmskeyid":
		case "profile":
			b.options.Creds = credentials.New(&credentials.FileAWSCredentials{Profile: value})
		case "use_path_style", "s3ForcePathStyle":
			if on, err = strconv.ParseBool(value); on {
				b.options.BucketLookup = minio.BucketLookupPath
			}
		case "anonymous":
			if on, err = strconv.ParseBool(value); on {
				b.options.Creds = credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
			}
		case "ssetype":
			switch strings.ToLower(value) {
			case "aes256":
				b.encrypts = encrypt.NewSSE()
			case "aws:kms":
				b.encrypts, err = encrypt.NewSSEKMS(q.Get("kmskeyid"), nil)
			default:
				err = errors.New("there are AES256 and aws:kms")
			}
		default:
			err = errors.New("it is no option; there are prefix=FOLDER/, " + s3Options)
		}
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", name, value, err)
		}
	}
	endpoint := cmp.Or(q.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	at, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	b.host, b.options.Secure = at.Host, at.Scheme == "https"
	if b.options.Transport, err = minio.DefaultTransport(b.options.Secure); err != nil {
		return nil, err
	}
	b.client, err = b.open(b.options)
	return b, err
}

// s3Bucket is a bucket of S3 or of a server that speaks its protocol, with what this package uses.
type s3Bucket struct {
	unused
	client     *minio.Core
	options    minio.Options
	encrypts   encrypt.ServerSide // nil: as the bucket says
	host, name string
}

// open returns a client of the bucket's server. It makes no call.
func (b *s3Bucket) open(options minio.Options) (*minio.Core, error) {
	client, err := minio.NewCore(b.host, &options)
	if err == nil {
		client.SetS3EnableDualstack(false)
	}
	return client, err
}

// Attributes implements driver.Bucket.
func (b *s3Bucket) Attributes(ctx context.Context, key string) (*driver.Attributes, error) {
	o, err := b.client.StatObject(ctx, b.name, key, minio.StatObjectOptions{})
	return &driver.Attributes{ContentType: o.ContentType, ModTime: o.LastModified, Size: o.Size}, err
}

// within makes the calls of a client end with a context.
type within struct {
	ctx  context.Context // of the one call
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w within) RoundTrip(r *http.Request) (*http.Response, error) {
	return w.base.RoundTrip(r.WithContext(w.ctx))
}

// ListPaged implements driver.Bucket. The client lists pages without a context, so each list has a client of its own.
func (b *s3Bucket) ListPaged(ctx context.Context, o *driver.ListOptions) (*driver.ListPage, error) {
	options := b.options
	options.Transport = within{ctx, options.Transport}
	var err error
	if options.Region == "" { // b.client keeps it, the list's own client would ask again
		if options.Region, err = b.client.GetBucketLocation(ctx, b.name); err != nil {
			return nil, err
		}
	}
	client, err := b.open(options)
	if err != nil {
		return nil, err
	}
	found, err := client.ListObjectsV2(b.name, o.Prefix, "", string(o.PageToken), o.Delimiter, o.PageSize)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	page := &driver.ListPage{}
	if found.IsTruncated {
		page.NextPageToken = []byte(found.NextContinuationToken)
	}
	for _, o := range found.Contents {
		page.Objects = append(page.Objects, &driver.ListObject{Key: o.Key, ModTime: o.LastModified, Size: o.Size})
	}
	for _, folder := range found.CommonPrefixes {
		page.Objects = append(page.Objects, &driver.ListObject{Key: folder.Prefix, IsDir: true})
	}
	byKey(page.Objects)
	return page, nil
}

// NewRangeReader implements driver.Bucket, for whole objects.
func (b *s3Bucket) NewRangeReader(ctx context.Context, key string, offset, length int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	if offset != 0 || length >= 0 {
		return nil, errUnused
	}
	body, o, _, err := b.client.GetObject(ctx, b.name, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	return reader{body, driver.ReaderAttributes{ContentType: o.ContentType, Size: o.Size}}, nil
}

// NewTypedWriter implements driver.Bucket.
func (b *s3Bucket) NewTypedWriter(ctx context.Context, key, contentType string, o *driver.WriterOptions) (driver.Writer, error) {
	options := minio.PutObjectOptions{ContentType: contentType, ServerSideEncryption: b.encrypts, DisableContentSha256: true} // not in chunks
	if o.IfNotExist {
		options.SetMatchETagExcept("*")
	}
	return &writer{ctx: ctx, put: func(body *bytes.Buffer) error {
		sum := sha256.Sum256(body.Bytes()) // signed with the call, so the server takes no other body
		_, err := b.client.PutObject(ctx, b.name, key, bytes.NewReader(body.Bytes()), int64(body.Len()), "", hex.EncodeToString(sum[:]), options)
		return err
	}}, nil
}

// Delete implements driver.Bucket.
func (b *s3Bucket) Delete(ctx context.Context, key string, _ *driver.DeleteOptions) error {
	return b.client.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{})
}

// ErrorCode implements driver.Bucket.
func (b *s3Bucket) ErrorCode(err error) gcerrors.ErrorCode {
	refused, ok := errors.AsType[minio.ErrorResponse](err)
	switch {
	case !ok:
		return gcerrors.Code(err) // of a context, or Unknown
	case refused.StatusCode == http.StatusNotFound:
		return gcerrors.NotFound
	case refused.StatusCode == http.StatusPreconditionFailed:
		return gcerrors.FailedPrecondition
	}
	return gcerrors.Unknown
}
