package bucket

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"golang.org/x/sync/singleflight"
)

// gs:// is opened here by the JSON API of Google Cloud Storage, since Google's own library adds gRPC and 20 MB to the program.
func init() { blob.DefaultURLMux().RegisterBucket("gs", googleOpener{}) }

const (
	googleScope     = "https://www.googleapis.com/auth/devstorage.read_write"
	mostOfAnAnswer  = 16 << 20 // a page of 1000 objects with the longest names has fewer bytes
	mostOfAnError   = 64 << 10
	mostOfAMessage  = 500
	mostOfATokenAsk = 30 * time.Second // it continues after its callers left
)

var (
	errGoogleKey           = errors.New("Google Cloud Storage: no object can have this key")
	errGoogleUnimplemented = errors.New("Google Cloud Storage: this is not implemented")
)

// googleOpener opens gs://NAME. It makes no call.
type googleOpener struct{}

// OpenBucketURL implements blob.BucketURLOpener.
func (googleOpener) OpenBucketURL(_ context.Context, u *url.URL) (*blob.Bucket, error) {
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("gs: %w", err)
	}
	anonymous := false
	for _, name := range slices.Sorted(maps.Keys(options)) {
		switch value := options.Get(name); {
		case name == "anonymous":
			if anonymous, err = strconv.ParseBool(value); err != nil {
				return nil, fmt.Errorf("gs: the option anonymous is true or false, not %q", value)
			}
		case name == "prefix" && value == "": // gocloud.dev removes one that is not empty
		default:
			return nil, fmt.Errorf("gs: the option %q is unknown", name)
		}
	}
	if u.Host == "" {
		return nil, errors.New("gs: the address names no bucket")
	}
	base := "https://storage.googleapis.com"
	if host := os.Getenv("STORAGE_EMULATOR_HOST"); host != "" { // as Google's own library does
		if base, err = emulatorBase(host); err != nil {
			return nil, err
		}
		anonymous = true
	}
	return blob.NewBucket(newGoogle(u.Host, base, anonymous)), nil
}

// emulatorBase returns the beginning of the addresses of an emulator, without a path as in Google's own library.
func emulatorBase(host string) (string, error) {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("gs: STORAGE_EMULATOR_HOST must be a host, with a port and http:// if need be")
	}
	return u.Scheme + "://" + u.Host, nil
}

// googleBucket is a bucket of Google Cloud Storage, with what this package uses.
type googleBucket struct {
	objects   string // the path of the bucket's objects
	base      string // scheme and host
	client    *http.Client
	tokens    *googleTokens // nil: without credentials
	transport *http.Transport
}

func newGoogle(name, base string, anonymous bool) *googleBucket {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // an object is read as it was written
	// A connection that is gone is found by a ping: a call that its caller ends does not close it.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}
	// No redirect is followed: Google sends none, and credentials are for Google.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b := &googleBucket{objects: "/storage/v1/b/" + escaped(name) + "/o", base: base, transport: transport,
		client: &http.Client{Transport: transport, CheckRedirect: stay}}
	if !anonymous {
		b.tokens = &googleTokens{client: &http.Client{Transport: transport, CheckRedirect: stay, Timeout: mostOfATokenAsk}}
	}
	return b
}

// escaped escapes a segment of a path as Google asks: also the characters that url.PathEscape leaves, such as + and &.
func escaped(segment string) string { return strings.ReplaceAll(url.QueryEscape(segment), "+", "%20") }

// path returns the path of an object. "." and ".." are no keys: what is between may take them for the path of the bucket.
func (b *googleBucket) path(key string) (string, error) {
	if key == "" || key == "." || key == ".." {
		return "", errGoogleKey
	}
	return b.objects + "/" + escaped(key), nil
}

// googleTokens gets tokens by Application Default Credentials, which are looked for at the first call, and again if there were none.
type googleTokens struct {
	client *http.Client
	one    singleflight.Group
	source oauth2.TokenSource // nil until found; only one uses
}

// token returns a token. Its callers share one ask, which outlives them: oauth2 would keep the context of the first.
func (t *googleTokens) token(ctx context.Context) (*oauth2.Token, error) {
	asked := t.one.DoChan("", func() (any, error) {
		if t.source == nil {
			found, err := google.FindDefaultCredentials(context.WithValue(context.Background(), oauth2.HTTPClient, t.client), googleScope)
			if err != nil {
				return nil, err
			}
			t.source = found.TokenSource
		}
		return t.source.Token()
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case answer := <-asked:
		if answer.Err != nil {
			return nil, fmt.Errorf("Google Cloud Storage: no token: %s", whyNoToken(answer.Err))
		}
		return answer.Val.(*oauth2.Token), nil
	}
}

// whyNoToken returns the reason in one line. The rest of an answer that refuses a token is not repeated.
func whyNoToken(err error) string {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || refused.Response == nil {
		return short(err.Error())
	}
	message, _ := googleMessage(refused.Body)
	return (&googleError{refused.Response.StatusCode, short(message)}).text()
}

// googleError is an answer that is not 2xx.
type googleError struct {
	status  int
	message string // of Google
}

func (e *googleError) text() string {
	text := strings.TrimSpace(strconv.Itoa(e.status) + " " + http.StatusText(e.status))
	if e.message != "" {
		text += ": " + e.message
	}
	return text
}

// Error implements error.
func (e *googleError) Error() string { return "Google Cloud Storage: " + e.text() }

// googleMessage returns the message of an error in JSON, which the servers for objects and for tokens write differently.
func googleMessage(body []byte) (message string, ok bool) {
	var answer struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", false
	}
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answer.Error, &object) == nil {
		return object.Message, true
	}
	var code string
	if json.Unmarshal(answer.Error, &code) != nil {
		return "", false
	}
	return strings.TrimSuffix(code+": "+answer.Description, ": "), true
}

// short returns the beginning of a text in one line.
func short(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if len(text) > mostOfAMessage {
		text = strings.ToValidUTF8(text[:mostOfAMessage], "") + "…"
	}
	return text
}

// do makes a call once. It returns an answer that is 2xx, whose body the caller closes, or an error.
func (b *googleBucket) do(ctx context.Context, method, address string, header http.Header, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, b.base+address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Header, header)
	r.Header.Set("User-Agent", "readiness")
	secret := ""
	if b.tokens != nil {
		token, err := b.tokens.token(ctx)
		if err != nil {
			return nil, err
		}
		token.SetAuthHeader(r)
		secret = token.AccessToken
	}
	res, err := b.client.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, mostOfAnError))
	if err != nil {
		text = nil // the status says enough
	}
	message, ok := googleMessage(text)
	if !ok {
		message = string(text)
	}
	if secret != "" { // what is between may repeat the call
		message = strings.ReplaceAll(message, secret, "(token)")
	}
	return nil, &googleError{res.StatusCode, short(message)}
}

// ask makes a call whose answer is JSON, or with a nil into of no interest.
func (b *googleBucket) ask(ctx context.Context, method, address string, header http.Header, body []byte, into any) error {
	res, err := b.do(ctx, method, address, header, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, mostOfAnAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("Google Cloud Storage: an answer that ends early: %w", err)
	case into == nil:
		return nil
	case len(text) > mostOfAnAnswer:
		return errors.New("Google Cloud Storage: the answer is too large")
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("Google Cloud Storage: an answer that is not Google's: %w", err)
	}
	return nil
}

// googleObject is an object in an answer.
type googleObject struct {
	Name        string    `json:"name"`
	Size        int64     `json:"size,string"`
	ContentType string    `json:"contentType"`
	Updated     time.Time `json:"updated"`
}

// askObject makes a call whose answer is the object with a key: another may be of a server that is not Google's.
func (b *googleBucket) askObject(
	ctx context.Context, method, address string, header http.Header, body []byte, key string,
) (o googleObject, err error) {
	if err = b.ask(ctx, method, address, header, body, &o); err == nil && o.Name != key {
		err = errors.New("Google Cloud Storage: the answer is not about the object")
	}
	return o, err
}

// Attributes implements driver.Bucket.
func (b *googleBucket) Attributes(ctx context.Context, key string) (*driver.Attributes, error) {
	path, err := b.path(key)
	if err != nil {
		return nil, err
	}
	o, err := b.askObject(ctx, http.MethodGet, path+"?fields=name,size,contentType,updated", nil, nil, key)
	if err != nil {
		return nil, err
	}
	return &driver.Attributes{ContentType: o.ContentType, ModTime: o.Updated, Size: o.Size}, nil
}

// ListPaged implements driver.Bucket.
func (b *googleBucket) ListPaged(ctx context.Context, opts *driver.ListOptions) (*driver.ListPage, error) {
	if err := before(opts.BeforeList); err != nil {
		return nil, err
	}
	most := 1000 // Google's own limit
	if opts.PageSize > 0 {
		most = min(most, opts.PageSize)
	}
	query := url.Values{"fields": {"kind,nextPageToken,prefixes,items(name,size,updated)"}, "maxResults": {strconv.Itoa(most)}}
	for name, value := range map[string]string{"prefix": opts.Prefix, "delimiter": opts.Delimiter, "pageToken": string(opts.PageToken)} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var found struct {
		Kind     string         `json:"kind"`
		Items    []googleObject `json:"items"`
		Prefixes []string       `json:"prefixes"`
		Next     string         `json:"nextPageToken"`
	}
	if err := b.ask(ctx, http.MethodGet, b.objects+"?"+query.Encode(), nil, nil, &found); err != nil {
		return nil, err
	}
	if found.Kind != "storage#objects" { // another answer looks like an empty bucket
		return nil, errors.New("Google Cloud Storage: the answer is not a list of objects")
	}
	page := &driver.ListPage{NextPageToken: []byte(found.Next)}
	for _, o := range found.Items {
		page.Objects = append(page.Objects, &driver.ListObject{Key: o.Name, ModTime: o.Updated, Size: o.Size})
	}
	for _, prefix := range found.Prefixes {
		page.Objects = append(page.Objects, &driver.ListObject{Key: prefix, IsDir: true})
	}
	slices.SortFunc(page.Objects, func(a, b *driver.ListObject) int { return cmp.Compare(a.Key, b.Key) })
	return page, nil
}

// NewRangeReader implements driver.Bucket.
func (b *googleBucket) NewRangeReader(ctx context.Context, key string, offset, length int64, opts *driver.ReaderOptions) (driver.Reader, error) {
	path, err := b.path(key)
	if err != nil {
		return nil, err
	}
	if err := before(opts.BeforeRead); err != nil {
		return nil, err
	}
	if length == 0 { // no range has no bytes
		o, err := b.Attributes(ctx, key)
		if err != nil {
			return nil, err
		}
		return &googleReader{http.NoBody, driver.ReaderAttributes{ContentType: o.ContentType, ModTime: o.ModTime, Size: o.Size}}, nil
	}
	header := http.Header{}
	if length > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	} else if offset > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	res, err := b.do(ctx, http.MethodGet, path+"?alt=media", header, nil)
	if err != nil {
		return nil, err
	}
	r := &googleReader{res.Body, driver.ReaderAttributes{ContentType: res.Header.Get("Content-Type"), Size: res.ContentLength}}
	r.attributes.ModTime, _ = http.ParseTime(res.Header.Get("Last-Modified")) // zero without one
	if len(header) == 0 {
		return r, nil
	}
	_, size, _ := strings.Cut(res.Header.Get("Content-Range"), "/")
	if r.attributes.Size, err = strconv.ParseInt(size, 10, 64); err != nil || res.StatusCode != http.StatusPartialContent {
		_ = res.Body.Close() // it is not read
		return nil, errors.New("Google Cloud Storage: the answer is not the range")
	}
	return r, nil
}

// googleReader reads an object.
type googleReader struct {
	io.ReadCloser
	attributes driver.ReaderAttributes
}

// Attributes implements driver.Reader.
func (r *googleReader) Attributes() *driver.ReaderAttributes { return &r.attributes }

// As implements driver.Reader.
func (r *googleReader) As(any) bool { return false }

// NewTypedWriter implements driver.Bucket.
func (b *googleBucket) NewTypedWriter(ctx context.Context, key, contentType string, opts *driver.WriterOptions) (driver.Writer, error) {
	if _, err := b.path(key); err != nil {
		return nil, err
	}
	if len(opts.Metadata) > 0 || opts.CacheControl+opts.ContentDisposition+opts.ContentEncoding+opts.ContentLanguage != "" {
		return nil, errGoogleUnimplemented
	}
	if err := before(opts.BeforeWrite); err != nil {
		return nil, err
	}
	return &googleWriter{ctx: ctx, bucket: b, key: key, contentType: contentType, ifNone: opts.IfNotExist}, nil
}

// googleWriter collects an object, and puts it in one call when it is closed.
type googleWriter struct {
	bytes.Buffer
	ctx              context.Context
	bucket           *googleBucket
	key, contentType string
	ifNone           bool // put it only if there is no object with the key
}

// Close implements driver.Writer. If the context ended before, it makes no call; if it ends meanwhile, Google gets an incomplete one.
func (w *googleWriter) Close() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	content := w.Bytes()
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli)))
	about := map[string]string{"name": w.key, "crc32c": base64.StdEncoding.EncodeToString(sum)} // Google checks the sum
	if w.contentType != "" {
		about["contentType"] = w.contentType
	}
	metadata, err := json.Marshal(about)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	err = errors.Join(part(parts, "application/json; charset=UTF-8", metadata),
		part(parts, cmp.Or(w.contentType, "application/octet-stream"), content), parts.Close())
	if err != nil {
		return err
	}
	address := "/upload" + w.bucket.objects + "?uploadType=multipart&fields=name,size"
	if w.ifNone {
		address += "&ifGenerationMatch=0"
	}
	header := http.Header{"Content-Type": {"multipart/related; boundary=" + parts.Boundary()}}
	o, err := w.bucket.askObject(w.ctx, http.MethodPost, address, header, body.Bytes(), w.key)
	if err == nil && o.Size != int64(len(content)) {
		err = fmt.Errorf("Google Cloud Storage: %d bytes of %d were put", o.Size, len(content))
	}
	return err
}

// part writes a part of a call.
func part(to *multipart.Writer, contentType string, content []byte) error {
	w, err := to.CreatePart(textproto.MIMEHeader{"Content-Type": {contentType}})
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// Delete implements driver.Bucket.
func (b *googleBucket) Delete(ctx context.Context, key string, opts *driver.DeleteOptions) error {
	path, err := b.path(key)
	if err != nil {
		return err
	}
	if err := before(opts.BeforeDelete); err != nil {
		return err
	}
	return b.ask(ctx, http.MethodDelete, path, nil, nil, nil)
}

// before calls what the caller has called before. It gets nothing to change.
func before(call func(func(any) bool) error) error {
	if call == nil {
		return nil
	}
	return call(func(any) bool { return false })
}

// Copy implements driver.Bucket.
func (b *googleBucket) Copy(context.Context, string, string, *driver.CopyOptions) error {
	return errGoogleUnimplemented
}

// SignedURL implements driver.Bucket.
func (b *googleBucket) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errGoogleUnimplemented
}

// Close implements driver.Bucket.
func (b *googleBucket) Close() error {
	b.transport.CloseIdleConnections()
	return nil
}

// As implements driver.Bucket.
func (b *googleBucket) As(any) bool { return false }

// ErrorAs implements driver.Bucket.
func (b *googleBucket) ErrorAs(error, any) bool { return false }

// ErrorCode implements driver.Bucket.
func (b *googleBucket) ErrorCode(err error) gcerrors.ErrorCode {
	switch {
	case errors.Is(err, errGoogleUnimplemented):
		return gcerrors.Unimplemented
	case errors.Is(err, errGoogleKey):
		return gcerrors.InvalidArgument
	}
	refused, ok := errors.AsType[*googleError](err)
	if !ok {
		return gcerrors.Code(err) // of a context, or Unknown
	}
	switch refused.status {
	case http.StatusNotFound:
		return gcerrors.NotFound
	case http.StatusPreconditionFailed:
		return gcerrors.FailedPrecondition
	case http.StatusUnauthorized, http.StatusForbidden:
		return gcerrors.PermissionDenied
	case http.StatusTooManyRequests:
		return gcerrors.ResourceExhausted
	}
	return gcerrors.Unknown
}
