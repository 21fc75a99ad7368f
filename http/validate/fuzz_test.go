package validate_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/http/validate"
	"readiness/test/samples"
)

// Decoding any input returns a value or a refusal. A value equals the one that encoding/json returns, and its
// canonical form decodes to the same value.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":[1,2.50,1e999,{"b":null}],"c":"\u00e9\ud83d\ude00"}`, `{"a":1,"a":2}`, `"\ud800"`, `"\\ud800"`, `"\udc00\ud800"`, "\ufeff{}",
		"\xff", `[[[[]]]]`, `{} {}`, ``, ` `, `nul`, `{"a":`, `["\`, `"\ud83d\u0041"`,
	} {
		f.Add([]byte(seed))
	}
	for _, text := range samples.Texts(f, samples.Ending(".json")) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := validate.Decode(text)
		if err != nil {
			if !domain.IsRefused(err, domain.InvalidRequest) {
				t.Fatalf("got %v, want a refusal", err)
			}
			if len(err.Error()) > 1000 {
				t.Fatalf("the refusal has %d bytes", len(err.Error()))
			}
			return
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if _, err := d.Token(); err != io.EOF {
			t.Fatal("accepted something after the value")
		}
		// 5.0 is decoded as 5.
		same := cmp.Comparer(func(a, b json.Number) bool {
			x, errX := a.Float64()
			y, errY := b.Float64()
			return a == b || errX == nil && errY == nil && x == y
		})
		if diff := cmp.Diff(want, got, same); diff != "" {
			t.Fatalf("(-encoding/json +got):\n%s", diff)
		}
		canonical, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		again, err := validate.Decode(canonical)
		if err != nil || !cmp.Equal(got, again) {
			t.Fatalf("the canonical form %s decodes to %v, %v", canonical, again, err)
		}
	})
}
