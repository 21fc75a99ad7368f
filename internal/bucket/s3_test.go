package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What test/auditoracles does not try on a server of another maker: addresses that are refused, what a call sends, what refusals become, that
// none is repeated, and a server that stands still.
func TestS3(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "known")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "never-shown")
	for address, want := range map[string]string{
		"s3://":                               "names no bucket",
		"s3://heads?role=x":                   "role=x: it is no option; there are prefix=FOLDER/, region",
		"s3://heads?prefix=p/&anonymous=may":  "anonymous=may",
		"s3://heads?ssetype=rot13":            "ssetype=rot13: there are AES256 and aws:kms",
		"s3://heads?endpoint=http://a%20b%2F": "invalid character",
	} {
		if _, err := Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", address, err, want)
		}
	}
	var status atomic.Int64
	var calls atomic.Int64
	var last atomic.Pointer[http.Request]
	stand := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		last.Store(r)
		if status.Load() == 0 {
			select {
			case <-stand:
			case <-r.Context().Done():
			}
			return
		}
		w.WriteHeader(int(status.Load()))
		if r.URL.Query().Has("location") {
			fmt.Fprint(w, `<LocationConstraint>eu-central-1</LocationConstraint>`)
			return
		}
		fmt.Fprint(w, `<Error><Code>Said</Code><Message>so it is</Message></Error>`)
	}))
	defer server.Close()
	defer close(stand)
	b, err := Open(t.Context(), "s3://heads?prefix=p/&region=eu-central-1&ssetype=aws:kms&kmskeyid=mine&endpoint="+server.URL)
	if err != nil || calls.Load() > 0 {
		t.Fatalf("%d calls, %v", calls.Load(), err)
	}
	defer b.Close()
	put := func(ctx context.Context) error { return b.Put(ctx, "k", []byte("x"), "text/plain") }
	get := func(ctx context.Context) error { _, err := b.Get(ctx, "k", 10); return err }
	list := func(ctx context.Context) error { _, _, err := b.List(ctx, FirstPage, 10, "", "/"); return err }
	remove := func(ctx context.Context) error { return b.Delete(ctx, "k") }
	for _, row := range []struct {
		status int64
		call   func(context.Context) error
		want   error
		text   string
	}{
		{http.StatusNotFound, get, ErrMissing, ""},
		{http.StatusNotFound, func(ctx context.Context) error { return b.Exists(ctx, "k") }, ErrMissing, ""},
		{http.StatusPreconditionFailed, put, ErrExists, ""},
		{http.StatusConflict, put, nil, "so it is"}, // another put is under way: not known whether it exists
		{http.StatusForbidden, put, nil, "so it is"},
		{http.StatusServiceUnavailable, put, nil, "so it is"},
		{http.StatusServiceUnavailable, get, nil, "so it is"},
		{http.StatusServiceUnavailable, list, nil, "so it is"},
		{http.StatusServiceUnavailable, remove, nil, "so it is"},
		{http.StatusNotFound, b.There, nil, "may not be read"},
		{http.StatusForbidden, b.There, nil, "so it is"},
	} {
		status.Store(row.status)
		before := calls.Load()
		switch err := row.call(t.Context()); {
		case row.want != nil && !errors.Is(err, row.want), row.want == nil && (err == nil || !strings.Contains(err.Error(), row.text)):
			t.Errorf("%d: got %v, want %v %q", row.status, err, row.want, row.text)
		case strings.Contains(err.Error(), "never-shown"):
			t.Errorf("%d: %v shows the secret", row.status, err)
		}
		if n := calls.Load() - before; n != 1 {
			t.Errorf("%d: %d calls", row.status, n)
		}
	}
	status.Store(http.StatusOK)
	if err := put(t.Context()); err != nil {
		t.Error(err)
	}
	sent := last.Load()
	for name, want := range map[string]string{"If-None-Match": "*", "Content-Type": "text/plain", "X-Amz-Server-Side-Encryption": "aws:kms",
		"X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": "mine", "X-Amz-Content-Sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"} {
		if got := sent.Header.Get(name); got != want {
			t.Errorf("a put sends %s: %q, want %q", name, got, want)
		}
	}
	if sent.URL.Path != "/heads/p/k" || !strings.Contains(sent.Header.Get("Authorization"), "known/") {
		t.Errorf("a put goes to %s as %q", sent.URL.Path, sent.Header.Get("Authorization"))
	}
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	anywhere, err := Open(t.Context(), "s3://heads?endpoint="+server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer anywhere.Close()
	before := calls.Load()
	for range 3 {
		_, _, _ = anywhere.List(t.Context(), FirstPage, 10, "", "")
	}
	if n := calls.Load() - before; n != 4 {
		t.Errorf("three lists of a bucket without a region make %d calls, want one for the region and three", n)
	}
	status.Store(0)
	for name, call := range map[string]func(context.Context) error{"put": put, "get": get, "list": list, "delete": remove, "there": b.There} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s of a server that stands still: %v", name, err)
		}
		cancel()
	}
}
