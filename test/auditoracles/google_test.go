package auditoracles_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/storage"

	"readiness/internal/bucket"
)

// googleKeys are keys with what addresses and paths give a meaning.
var googleKeys = []string{
	"a", "a/b", "a//b", "a b", "a+b", "a%2Fb", "100%", "a?alt=media", "a#b", "a&b=c", "a;b:c@d",
	`a"b'c`, "~a*!$(,)[]", "ä", "日本語", "👩‍🔬", strings.Repeat("x", 200),
}

// TestGoogleLibrary has objects that internal/bucket puts read by Google's own library, and those of the library read by internal/bucket,
// on a third-party server.
func TestGoogleLibrary(t *testing.T) {
	address := startGCS(t)
	b, err := bucket.Open(t.Context(), address)
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	client, err := storage.NewClient(t.Context(), storage.WithJSONReads())
	must(t, err)
	defer client.Close()
	want := map[string]string{}
	for i, key := range googleKeys {
		want["ours/"+key], want["theirs/"+key] = fmt.Sprint("ours ", i), fmt.Sprint("theirs ", i)
		must(t, b.Put(t.Context(), "ours/"+key, []byte(want["ours/"+key]), "application/zstd"))
		w := client.Bucket("heads").Object("readiness/theirs/" + key).If(storage.Conditions{DoesNotExist: true}).NewWriter(t.Context())
		w.ContentType = "application/zstd"
		_, err := io.WriteString(w, want["theirs/"+key])
		must(t, errors.Join(err, w.Close()))
	}
	theirs := google(t)
	for key, body := range want {
		o, ok := theirs["readiness/"+key]
		if !ok || string(o.body) != body || o.contentType != "application/zstd" {
			t.Errorf("%q by the library: %v, %q of %s", key, ok, o.body, o.contentType)
		}
		if got, err := b.Get(t.Context(), key, 1000); err != nil || string(got) != body {
			t.Errorf("%q: %q, %v", key, got, err)
		}
		if err := b.Put(t.Context(), key, []byte("another"), "text/plain"); !errors.Is(err, bucket.ErrExists) {
			t.Errorf("%q again: %v", key, err)
		}
	}
	found, next, err := b.List(t.Context(), bucket.FirstPage, 1000, "", "")
	must(t, err)
	var keys []string
	for _, e := range found {
		keys = append(keys, e.Key)
		if at := theirs["readiness/"+e.Key].updated; !e.Written.Equal(at) {
			t.Errorf("%q was written at %s, by the library at %s", e.Key, e.Written, at)
		}
	}
	if sorted := slices.Sorted(maps.Keys(want)); len(theirs) != len(want) || len(next) > 0 || !slices.Equal(keys, sorted) {
		t.Errorf("%q, %q; want %q", keys, next, sorted)
	}
	for key := range want {
		must(t, b.Delete(t.Context(), key))
	}
	if left := google(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
