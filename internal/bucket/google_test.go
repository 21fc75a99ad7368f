package bucket

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// thirdParty stands for Google: https://cloud.google.com/storage/docs/json_api, with a bucket named heads, and a server for tokens.
type thirdParty struct {
	*httptest.Server
	mu      sync.Mutex
	objects map[string]stored
	calls   []string         // that arrived
	refuse  http.HandlerFunc // answers instead, if it is set
	bearer  string           // that a call needs, if it is set
	asks    int              // for a token
	scopes  string           // of the last one
}

type stored struct {
	body, contentType string
	updated           time.Time
}

func startThirdParty(t *testing.T) *thirdParty {
	t.Helper()
	g := &thirdParty{objects: map[string]stored{}}
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	return g
}

// open opens its bucket without credentials, as an address does.
func (g *thirdParty) open(t *testing.T) *Bucket {
	t.Helper()
	b := &Bucket{b: blob.NewBucket(newGoogle("heads", g.URL, true))}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// says answers with an error in the form of the JSON API.
func says(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": status, "message": message,
		"errors": []any{map[string]any{"message": message, "domain": "global", "reason": "it"}}}})
}

func (g *thirdParty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path := r.URL.EscapedPath()
	g.calls = append(g.calls, r.Method+" "+path)
	switch key, isObject := strings.CutPrefix(path, "/storage/v1/b/heads/o/"); {
	case path == "/token":
		g.token(w, r)
	case g.refuse != nil:
		g.refuse(w, r)
	case g.bearer != "" && r.Header.Get("Authorization") != "Bearer "+g.bearer:
		says(w, http.StatusUnauthorized, "Invalid Credentials")
	case g.bearer == "" && r.Header.Get("Authorization") != "":
		says(w, http.StatusBadRequest, "credentials for anyone")
	case r.Method == http.MethodPost && path == "/upload/storage/v1/b/heads/o":
		g.put(w, r)
	case r.Method == http.MethodGet && path == "/storage/v1/b/heads/o":
		g.list(w, r.URL.Query())
	case isObject && !strings.ContainsAny(key, "!#$&'()*+,/:;=?@[] "): // https://cloud.google.com/storage/docs/request-endpoints#encoding
		g.object(w, r, key)
	default:
		says(w, http.StatusNotFound, "The specified bucket does not exist.")
	}
}

// put is objects.insert with uploadType=multipart.
func (g *thirdParty) put(w http.ResponseWriter, r *http.Request) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/related" || r.URL.Query().Get("uploadType") != "multipart" {
		says(w, http.StatusBadRequest, "not multipart/related")
		return
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	var texts [2][]byte
	var types [2]string
	for i := range texts {
		p, err := parts.NextRawPart()
		if err == nil {
			types[i] = p.Header.Get("Content-Type")
			texts[i], err = io.ReadAll(p)
		}
		if err != nil {
			says(w, http.StatusBadRequest, "Malformed multipart body.")
			return
		}
	}
	var about struct{ Name, ContentType, CRC32c string }
	_, end := parts.NextRawPart()
	if end != io.EOF || json.Unmarshal(texts[0], &about) != nil || about.Name == "" || !strings.HasPrefix(types[0], "application/json") {
		says(w, http.StatusBadRequest, "Required")
		return
	}
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(texts[1], crc32.MakeTable(crc32.Castagnoli)))
	if about.CRC32c != base64.StdEncoding.EncodeToString(sum) {
		says(w, http.StatusBadRequest, "Provided CRC32C does not match calculated CRC32C.")
		return
	}
	if _, exists := g.objects[about.Name]; exists && r.URL.Query().Get("ifGenerationMatch") == "0" {
		says(w, http.StatusPreconditionFailed, "At least one of the pre-conditions you specified did not hold.")
		return
	}
	g.objects[about.Name] = stored{string(texts[1]), about.ContentType, time.Now().UTC()}
	g.describe(w, about.Name)
}

func (g *thirdParty) resource(name string) map[string]any {
	o := g.objects[name]
	return map[string]any{"kind": "storage#object", "name": name, "bucket": "heads", "size": strconv.Itoa(len(o.body)),
		"contentType": o.contentType, "updated": o.updated.Format("2006-01-02T15:04:05.000Z")}
}

func (g *thirdParty) describe(w http.ResponseWriter, name string) {
	_ = json.NewEncoder(w).Encode(g.resource(name))
}

// object is objects.get and objects.delete.
func (g *thirdParty) object(w http.ResponseWriter, r *http.Request, escaped string) {
	name, err := url.PathUnescape(escaped)
	o, ok := g.objects[name]
	switch media := r.URL.Query().Get("alt") == "media"; {
	case err != nil:
		says(w, http.StatusBadRequest, err.Error())
	case !ok && media:
		http.Error(w, "No such object: heads/"+name, http.StatusNotFound)
	case !ok:
		says(w, http.StatusNotFound, "No such object: heads/"+name)
	case r.Method == http.MethodDelete:
		delete(g.objects, name)
		w.WriteHeader(http.StatusNoContent)
	case media:
		w.Header().Set("Content-Type", o.contentType)
		http.ServeContent(w, r, "", o.updated, strings.NewReader(o.body))
	default:
		g.describe(w, name)
	}
}

// list is objects.list.
func (g *thirdParty) list(w http.ResponseWriter, q url.Values) {
	found := map[string]bool{} // whether it is a prefix
	for name := range g.objects {
		rest, ok := strings.CutPrefix(name, q.Get("prefix"))
		if !ok {
			continue
		}
		if i := strings.Index(rest, q.Get("delimiter")); q.Get("delimiter") != "" && i >= 0 {
			found[q.Get("prefix")+rest[:i+len(q.Get("delimiter"))]] = true
		} else {
			found[name] = false
		}
	}
	most, err := strconv.Atoi(q.Get("maxResults"))
	if err != nil || most > 1000 {
		says(w, http.StatusBadRequest, "Invalid value for maxResults")
		return
	}
	after, _ := base64.StdEncoding.DecodeString(q.Get("pageToken"))
	answer, items, prefixes := map[string]any{"kind": "storage#objects"}, []any{}, []string{}
	last := ""
	for _, name := range slices.Sorted(maps.Keys(found)) {
		switch {
		case len(after) > 0 && name <= string(after):
			continue
		case len(items)+len(prefixes) == most:
			answer["nextPageToken"] = base64.StdEncoding.EncodeToString([]byte(last))
		case found[name]:
			prefixes = append(prefixes, name)
		default:
			items = append(items, g.resource(name))
		}
		if answer["nextPageToken"] != nil {
			break
		}
		last = name
	}
	if len(items) > 0 {
		answer["items"] = items
	}
	if len(prefixes) > 0 {
		answer["prefixes"] = prefixes
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// token gives a token for a signed assertion: https://developers.google.com/identity/protocols/oauth2/service-account.
func (g *thirdParty) token(w http.ResponseWriter, r *http.Request) {
	g.asks++
	claims := strings.Split(r.FormValue("assertion"), ".")
	if len(claims) != 3 || g.bearer == "" {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant", "error_description": "Invalid JWT Signature.",
			"sent": r.FormValue("assertion")})
		return
	}
	text, _ := base64.RawURLEncoding.DecodeString(claims[1])
	var claim struct{ Scope string }
	_ = json.Unmarshal(text, &claim)
	g.scopes = claim.Scope
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": g.bearer, "token_type": "Bearer", "expires_in": 3600})
}

func (g *thirdParty) set(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

// hostile are keys with what addresses, paths and JSON give a meaning.
var hostile = []string{
	"a", "a/b", "/a", "a/", "a//b", "a/../b", "a/./b", "...", "a b", "a+b", "a%2Fb", "a%b", "100%", "a?b", "a?alt=media", "a#b", "a&b=c",
	"a;b", "a:b", "a@b", "a\\b", `a"b`, "a'b", "a<b>", "a[b]", "~a*!$(,)", "ä", "日本語",
	"e\u0301", "👩‍🔬", "a\u2028b", "a\tb", strings.Repeat("x", 1024),
}

func TestGoogleHostileKeys(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "readiness/", "a b%?#+ä/"} {
		g := startThirdParty(t)
		b := &Bucket{b: blob.PrefixedBucket(g.open(t).b, prefix)}
		for i, key := range hostile {
			body := []byte(fmt.Sprint(i, "\r\n--x\x00", key))
			if err := b.Put(t.Context(), key, body, "application/zstd"); err != nil {
				t.Errorf("%q: %v", key, err)
			}
			if o, ok := g.objects[prefix+key]; !ok || o.body != string(body) || o.contentType != "application/zstd" {
				t.Errorf("%q is %v, %+v", key, ok, o)
			}
			if got, err := b.Get(t.Context(), key, 1<<20); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%q: %q, %v", key, got, err)
			}
			if err := b.Exists(t.Context(), key); err != nil {
				t.Errorf("%q: %v", key, err)
			}
		}
		found, next, err := b.List(t.Context(), FirstPage, 1000, "", "")
		var keys []string
		for _, e := range found {
			keys = append(keys, e.Key)
			if e.Folder || time.Since(e.Written).Abs() > time.Hour {
				t.Errorf("%q is %+v", e.Key, e)
			}
		}
		if want := slices.Sorted(slices.Values(hostile)); err != nil || len(next) > 0 || !slices.Equal(keys, want) {
			t.Errorf("%q, %q, %v; want %q", keys, next, err, want)
		}
		for _, key := range hostile {
			if err := b.Delete(t.Context(), key); err != nil {
				t.Errorf("%q: %v", key, err)
			}
		}
		if len(g.objects) > 0 {
			t.Errorf("left: %v", g.objects)
		}
	}
}

// What takes these for steps in a path would find the bucket instead of an object.
func TestGoogleKeysThatAreNone(t *testing.T) {
	t.Parallel()
	g := startThirdParty(t)
	b := g.open(t)
	for _, key := range []string{"", ".", ".."} {
		_, get := b.Get(t.Context(), key, 1)
		for what, err := range map[string]error{"put": b.Put(t.Context(), key, nil, "text/plain"), "get": get,
			"exists": b.Exists(t.Context(), key), "delete": b.Delete(t.Context(), key)} {
			if gcerrors.Code(err) != gcerrors.InvalidArgument {
				t.Errorf("%s %q: %v", what, key, err)
			}
		}
	}
	if len(g.calls) > 0 {
		t.Errorf("calls: %q", g.calls)
	}
}

func TestGooglePutsOnce(t *testing.T) {
	t.Parallel()
	g := startThirdParty(t)
	b := g.open(t)
	for _, body := range []string{"", "one", strings.Repeat("semantic model ", 100_000)} {
		key := fmt.Sprint("k", len(body))
		if err := b.Put(t.Context(), key, []byte(body), "text/plain; charset=utf-8"); err != nil {
			t.Fatal(err)
		}
		before := g.objects[key]
		if err := b.Put(t.Context(), key, []byte("another"), "text/html"); err != ErrExists {
			t.Errorf("again: %v, want ErrExists", err)
		}
		if g.objects[key] != before || before.body != body || before.contentType != "text/plain; charset=utf-8" {
			t.Errorf("%+v was changed from %+v", g.objects[key], before)
		}
		if got, err := b.Get(t.Context(), key, 1<<30); err != nil || string(got) != body {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if got, err := b.Get(t.Context(), key, 2); err != nil || string(got) != body[:min(2, len(body))] {
			t.Errorf("the beginning: %q, %v", got, err)
		}
	}
	if err := b.There(t.Context()); err != nil {
		t.Error(err)
	}
	a, err := b.b.Attributes(t.Context(), "k3")
	if err != nil || a.Size != 3 || a.ContentType != "text/plain; charset=utf-8" || time.Since(a.ModTime).Abs() > time.Hour {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestGoogleMissing(t *testing.T) {
	t.Parallel()
	g := startThirdParty(t)
	b := g.open(t)
	if _, err := b.Get(t.Context(), "k", 1); err != ErrMissing {
		t.Errorf("get: %v", err)
	}
	if err := b.Exists(t.Context(), "k"); err != ErrMissing {
		t.Errorf("exists: %v", err)
	}
	if err := b.Delete(t.Context(), "k"); err != nil {
		t.Errorf("delete: %v", err)
	}
	if err := b.b.Delete(t.Context(), "k"); gcerrors.Code(err) != gcerrors.NotFound {
		t.Errorf("delete: %v", err)
	}
	other := &Bucket{b: blob.NewBucket(newGoogle("other", g.URL, true))}
	if err := other.There(t.Context()); err == nil || err.Error() != "it does not exist, or may not be read" {
		t.Errorf("another bucket: %v", err)
	}
}

func TestGoogleRanges(t *testing.T) {
	t.Parallel()
	g := startThirdParty(t)
	b := g.open(t)
	if err := b.Put(t.Context(), "k", []byte("0123456789"), "text/plain"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		offset, length int64
		want           string
	}{{0, -1, "0123456789"}, {3, -1, "3456789"}, {0, 4, "0123"}, {3, 4, "3456"}, {9, 1, "9"}, {8, 100, "89"}, {4, 0, ""}} {
		r, err := b.b.NewRangeReader(t.Context(), "k", c.offset, c.length, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != c.want || r.Size() != 10 || r.ContentType() != "text/plain" || time.Since(r.ModTime()).Abs() > time.Hour {
			t.Errorf("%+v: %q, %v, of %d bytes %s of %s", c, got, err, r.Size(), r.ContentType(), r.ModTime())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	g.set(func() {
		g.refuse = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "0123456789") }
	})
	if _, err := b.b.NewRangeReader(t.Context(), "k", 3, 4, nil); err == nil {
		t.Error("an entire object was taken for a range")
	}
	g.set(func() {
		g.refuse = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "20")
			_, _ = io.WriteString(w, "0123456789")
		}
	})
	if got, err := b.Get(t.Context(), "k", 100); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an object: %q, %v", got, err)
	}
}

func TestGoogleLists(t *testing.T) {
	t.Parallel()
	g := startThirdParty(t)
	b := g.open(t)
	for _, key := range []string{"h/a", "h/b/1", "h/b/2", "h/c", "h/d/1", "h/e e/1", "h/é", "i", "g"} {
		if err := b.Put(t.Context(), key, []byte(key), "text/plain"); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		prefix, delimiter string
		want              string
	}{
		{"", "", "g h/a h/b/1 h/b/2 h/c h/d/1 h/e e/1 h/é i"},
		{"", "/", "g h/* i"},
		{"h/", "/", "h/a h/b/* h/c h/d/* h/e e/* h/é"},
		{"h/b", "/", "h/b/*"},
		{"h/e ", "", "h/e e/1"},
		{"z", "/", ""},
	} {
		for most := 1; most <= 10; most++ {
			var got []string
			for place := FirstPage; len(place) > 0; {
				found, next, err := b.List(t.Context(), place, most, c.prefix, c.delimiter)
				if err != nil || len(found) > most || len(next) > 0 && len(found) < most {
					t.Fatalf("%+v by %d: %d, %q, %v", c, most, len(found), next, err)
				}
				for _, e := range found {
					if e.Folder != e.Written.IsZero() {
						t.Errorf("%+v", e)
					}
					if e.Folder {
						e.Key += "*"
					}
					got = append(got, e.Key)
				}
				place = next
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%+v by %d: %q", c, most, got)
			}
		}
	}
	if _, _, err := b.List(t.Context(), FirstPage, 5000, "", ""); err != nil {
		t.Errorf("more than Google gives: %v", err)
	}
}

const secret = "ya29.a-secret-that-nobody-repeats"

// Every call fails with the status and the message of Google, in one line, and without the token that a proxy repeats.
func TestGoogleErrors(t *testing.T) {
	const message = "readiness@example.iam.gserviceaccount.com does not have storage.objects.create access."
	google := func(status int, message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { says(w, status, message) }
	}
	plain := func(status int, message string) http.HandlerFunc { // and what was sent
		return func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, strings.ReplaceAll(message, "SENT", r.Header.Get("Authorization")), status)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   gcerrors.ErrorCode
		want   string // in the text
	}{
		"401": {google(401, "Invalid Credentials"), gcerrors.PermissionDenied, "Storage: 401 Unauthorized: Invalid Credentials"},
		"403": {google(403, message), gcerrors.PermissionDenied, "Storage: 403 Forbidden: " + message},
		"429": {google(429, "The rate of\nchanges is too high.\x1b[2J"), gcerrors.ResourceExhausted,
			"Storage: 429 Too Many Requests: The rate of changes is too high. [2J"},
		"500":     {google(500, "We encountered an error."), gcerrors.Unknown, "Storage: 500 Internal Server Error: We encountered an error."},
		"no JSON": {plain(503, "upstream timed out"), gcerrors.Unknown, "Storage: 503 Service Unavailable: upstream timed out"},
		"nothing": {plain(502, ""), gcerrors.Unknown, "Storage: 502 Bad Gateway"},
		"endless": {plain(500, strings.Repeat("x", 1<<20)), gcerrors.Unknown,
			"Storage: 500 Internal Server Error: " + strings.Repeat("x", 500) + "…"},
		"a token":         {plain(400, strings.Repeat("x", 490)+"SENT"), gcerrors.Unknown, "xBearer (to…"},
		"a token in JSON": {plain(400, `{"error":{"message":"sent SENT"}}`), gcerrors.Unknown, "sent Bearer (token)"},
	} {
		t.Run(name, func(t *testing.T) {
			g := startThirdParty(t)
			g.bearer, g.refuse = secret, c.answer
			b := g.withCredentials(t)
			_, get := b.Get(t.Context(), "k", 10)
			_, _, list := b.List(t.Context(), FirstPage, 1, "", "")
			for what, err := range map[string]error{"put": b.Put(t.Context(), "k", []byte("x"), "text/plain"), "get": get, "list": list,
				"exists": b.Exists(t.Context(), "k"), "delete": b.Delete(t.Context(), "k"), "there": b.There(t.Context())} {
				if err == nil || gcerrors.Code(err) != c.code || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v, %v; want %v, %s", what, gcerrors.Code(err), err, c.code, c.want)
				} else if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "a-secret") || len(err.Error()) > 1000 {
					t.Errorf("%s: %d bytes: %s", what, len(err.Error()), text)
				}
			}
			want := []string{"DELETE /storage/v1/b/heads/o/k", "GET /storage/v1/b/heads/o", "GET /storage/v1/b/heads/o",
				"GET /storage/v1/b/heads/o/k", "GET /storage/v1/b/heads/o/k", "POST /token", "POST /upload/storage/v1/b/heads/o"}
			if got := slices.Sorted(slices.Values(g.calls)); !slices.Equal(got, want) {
				t.Errorf("calls: %q, want each once: %q", got, want)
			}
		})
	}
}

// An answer of another server, such as the page at which a network asks for a password, is an error, and not an object or an empty bucket.
func TestGoogleStrangeAnswers(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "{}", "[]", "<html>welcome</html>", `{"kind":"storage#buckets"}`, `{"name":"other","size":"1"}`, `{"kind":`} {
		g := startThirdParty(t)
		g.refuse = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }
		b := g.open(t)
		_, _, list := b.List(t.Context(), FirstPage, 1, "", "")
		for what, err := range map[string]error{"put": b.Put(t.Context(), "k", []byte("x"), "text/plain"), "list": list,
			"exists": b.Exists(t.Context(), "k")} {
			if err == nil || err == ErrMissing || err == ErrExists {
				t.Errorf("%s: %q: %v", what, answer, err)
			}
		}
	}
	g := startThirdParty(t)
	g.refuse = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"name":"k","size":"2"}`) }
	if err := g.open(t).Put(t.Context(), "k", []byte("x"), "text/plain"); err == nil {
		t.Error("another size was put")
	}
}

func TestGoogleRedirects(t *testing.T) {
	t.Parallel()
	elsewhere := startThirdParty(t)
	g := startThirdParty(t)
	b := g.open(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		g.set(func() {
			g.refuse = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+r.URL.RequestURI(), status)
			}
		})
		_, get := b.Get(t.Context(), "k", 10)
		for what, err := range map[string]error{"put": b.Put(t.Context(), "k", []byte("x"), "text/plain"), "get": get,
			"delete": b.Delete(t.Context(), "k")} {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint("Storage: ", status, " ", http.StatusText(status))) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if len(elsewhere.calls) > 0 {
		t.Errorf("calls elsewhere: %q", elsewhere.calls)
	}
}

func TestGoogleContexts(t *testing.T) {
	t.Parallel()
	g := startThirdParty(t)
	b := g.open(t)
	ended, end := context.WithCancel(t.Context())
	end()
	_, get := b.Get(ended, "k", 10)
	for what, err := range map[string]error{"put": b.Put(ended, "k", []byte("x"), "text/plain"), "get": get,
		"delete": b.Delete(ended, "k")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	w, err := b.b.NewWriter(ctx, "k", &blob.WriterOptions{ContentType: "text/plain", IfNotExist: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write([]byte("x"))
	cancel()
	if closed := w.Close(); err != nil || !errors.Is(closed, context.Canceled) {
		t.Errorf("%v, %v", err, closed)
	}
	if len(g.calls) > 0 {
		t.Errorf("calls: %q", g.calls)
	}
	// A call that is not answered ends with the context: also one that its limit of time ends.
	ctx, cancel = context.WithCancel(t.Context())
	g.set(func() {
		g.refuse = func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // the server sees the end of a call only after its body
			cancel()
			<-r.Context().Done()
		}
	})
	if err := b.Put(ctx, "k", []byte("x"), "text/plain"); !errors.Is(err, context.Canceled) || gcerrors.Code(err) != gcerrors.Canceled {
		t.Errorf("put: %v", err)
	}
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	if _, err := b.Get(late, "k", 1); !errors.Is(err, context.DeadlineExceeded) || gcerrors.Code(err) != gcerrors.DeadlineExceeded {
		t.Errorf("get: %v", err)
	}
}

// withCredentials opens the bucket with the credentials of a service account in a file, whose server for tokens this is.
func (g *thirdParty) withCredentials(t *testing.T) *Bucket {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	file, err := json.Marshal(map[string]string{"type": "service_account", "client_email": "readiness@example.iam.gserviceaccount.com",
		"private_key_id": "1", "private_key": string(text), "token_uri": g.URL + "/token"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
	b := &Bucket{b: blob.NewBucket(newGoogle("heads", g.URL, false))}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func TestGoogleCredentials(t *testing.T) {
	g := startThirdParty(t)
	b := g.withCredentials(t)
	if len(g.calls) > 0 {
		t.Errorf("opening called %q", g.calls)
	}
	err := b.Put(t.Context(), "k", []byte("x"), "text/plain")
	const want = "no token: 400 Bad Request: invalid_grant: Invalid JWT Signature."
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "eyJ") {
		t.Errorf("a refused token: %v", err)
	}
	// It continues once the credentials are right. The first context has ended, and many begin at the same time.
	g.set(func() { g.bearer, g.asks = secret, 0 })
	ctx, end := context.WithCancel(t.Context())
	if err := b.Put(ctx, "k", []byte("x"), "text/plain"); err != nil {
		t.Fatal(err)
	}
	end()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := b.Get(t.Context(), "k", 10); err != nil || string(got) != "x" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	all.Wait()
	if g.asks != 1 || g.scopes != "https://www.googleapis.com/auth/devstorage.read_write" {
		t.Errorf("%d tokens for %q", g.asks, g.scopes)
	}
}

// Credentials that are not there are looked for again, and a server for tokens that does not answer keeps nobody longer than its context.
func TestGoogleWithoutCredentials(t *testing.T) {
	g := startThirdParty(t)
	g.bearer = secret
	b := g.withCredentials(t)
	path := os.Getenv("GOOGLE_APPLICATION_CREDENTIALS")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path+".none")
	if err := b.Put(t.Context(), "k", nil, "text/plain"); err == nil || !strings.Contains(err.Error(), "GOOGLE_APPLICATION_CREDENTIALS") {
		t.Errorf("without a file: %v", err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
	ctx, cancel := context.WithCancel(t.Context())
	g.mu.Lock() // it does not answer
	time.AfterFunc(10*time.Millisecond, cancel)
	err := b.Put(ctx, "k", nil, "text/plain")
	g.mu.Unlock()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("without an answer: %v", err)
	}
	if err := b.Put(t.Context(), "k", nil, "text/plain"); err != nil {
		t.Errorf("with a file and answers: %v", err)
	}
}

func TestGoogleAddresses(t *testing.T) {
	g := startThirdParty(t)
	g.objects["p/k"] = stored{body: "x", contentType: "text/plain"}
	for address, want := range map[string]string{
		"gs://heads?access_id=-":                 `"access_id"`,
		"gs://heads?prefix=p/&universe_domain=x": `"universe_domain"`,
		"gs://heads?anonymous=yes":               "anonymous",
		"gs://heads?a=%zz":                       "escape",
		"gs://":                                  "no bucket",
	} {
		if _, err := Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
		}
	}
	host := strings.TrimPrefix(g.URL, "http://")
	for _, emulator := range []string{host, "http://" + host, "http://" + host + "/storage/v1/"} {
		t.Setenv("STORAGE_EMULATOR_HOST", emulator)
		for _, address := range []string{"gs://heads?prefix=p/", "gs://heads?prefix=p/&anonymous=true"} {
			b, err := Open(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := b.Get(t.Context(), "k", 10); err != nil || string(got) != "x" {
				t.Errorf("%s at %s: %q, %v", address, emulator, got, err)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, emulator := range []string{"ftp://" + host, "http://", "://"} {
		t.Setenv("STORAGE_EMULATOR_HOST", emulator)
		if _, err := Open(t.Context(), "gs://heads"); err == nil || !strings.Contains(err.Error(), "STORAGE_EMULATOR_HOST") {
			t.Errorf("%s: %v", emulator, err)
		}
	}
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	opened, err := Open(t.Context(), "gs://heads?prefix=")
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
}

func TestGoogleUnimplemented(t *testing.T) {
	t.Parallel()
	b := newGoogle("heads", "http://127.0.0.1:1", true)
	_, signed := b.SignedURL(t.Context(), "k", &driver.SignedURLOptions{})
	_, written := b.NewTypedWriter(t.Context(), "k", "text/plain", &driver.WriterOptions{CacheControl: "no-store"})
	for what, err := range map[string]error{"copy": b.Copy(t.Context(), "a", "b", &driver.CopyOptions{}), "sign": signed, "write": written} {
		if b.ErrorCode(err) != gcerrors.Unimplemented {
			t.Errorf("%s: %v", what, err)
		}
	}
}
