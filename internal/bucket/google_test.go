package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What test/auditoracles does not try on a server of another maker: addresses that are refused, what refusals of Google become, and a call
// whose context has ended.
func TestGoogle(t *testing.T) {
	status, calls := http.StatusOK, 0
	google := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		if r.Header.Get("Authorization") != "" {
			t.Error("an emulator gets credentials")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"code":%d,"message":"so it is"}}`, status)
	}))
	defer google.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(google.URL, "http://"))
	for address, want := range map[string]string{
		"gs://":                                  "names no bucket",
		"gs://heads?access_id=-":                 "access_id=- is no option; there are prefix=FOLDER/ and anonymous=true",
		"gs://heads?prefix=p/&universe_domain=x": "universe_domain=x is no option",
		"gs://heads?anonymous=maybe":             "anonymous=maybe is no option",
	} {
		if _, err := Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", address, err, want)
		}
	}
	b, err := Open(t.Context(), "gs://heads?prefix=p/&anonymous=true")
	if err != nil || calls > 0 {
		t.Fatalf("%d calls, %v", calls, err)
	}
	defer b.Close()
	put := func(ctx context.Context) error { return b.Put(ctx, "k", []byte("x"), "text/plain") }
	get := func(ctx context.Context) error { _, err := b.Get(ctx, "k", 10); return err }
	for _, row := range []struct {
		status int
		call   func(context.Context) error
		want   error
		text   string
	}{
		{http.StatusNotFound, get, ErrMissing, ""},
		{http.StatusPreconditionFailed, put, ErrExists, ""},
		{http.StatusForbidden, put, nil, "so it is"},
		{http.StatusNotFound, b.There, nil, "may not be read"},
		{http.StatusForbidden, b.There, nil, "so it is"},
	} {
		status = row.status
		switch err := row.call(t.Context()); {
		case row.want != nil && !errors.Is(err, row.want), row.want == nil && (err == nil || !strings.Contains(err.Error(), row.text)):
			t.Errorf("%d: got %v, want %v %q", row.status, err, row.want, row.text)
		}
	}
	status = http.StatusNotFound
	if err := b.Delete(t.Context(), "k"); err != nil {
		t.Errorf("of an object that is not there: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if before := calls; put(ended) == nil || calls != before {
		t.Errorf("%d calls after the end of the context", calls-before)
	}
}
