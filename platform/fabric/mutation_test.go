package fabric_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/test/recordings"
)

// mostCalls is more than any call of ours may make for one answer that is wrong, whatever is wrong with it: an operation
// that never ends is asked for during half an hour.
const mostCalls = 100

// settles makes the call with our client while one answer is another than was recorded. It must end with a result or a
// refusal after a few calls, and nothing in the result may be other than the service accepts.
func settles(t testing.TB, what string, r replayed, service http.Handler) {
	t.Helper()
	calls := 0
	defer func() {
		if fault := recover(); fault != nil {
			t.Fatalf("%s: panic: %v", what, fault)
		}
	}()
	got, err := r.read(t, clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
		if calls++; calls > 10*mostCalls {
			t.Fatalf("%s: does not end", what)
		}
		service.ServeHTTP(w, asked)
	})))
	_, pending := errors.AsType[*item.Pending](err)
	_, refused := domain.Refused(err)
	if err != nil && !pending && !refused {
		t.Errorf("%s: got %v, want a refusal", what, err)
	}
	if calls > mostCalls {
		t.Errorf("%s: %d calls", what, calls)
	}
	if d, ok := got.(definition.Definition); ok && err == nil {
		for _, p := range d.Parts {
			if p.Path == "" || strings.HasPrefix(p.Path, "/") || strings.Contains(p.Path, "..") || strings.ContainsAny(p.Path, "\\\x00") {
				t.Errorf("%s: got the part %q", what, p.Path)
			}
		}
	}
	if names, ok := got.([]string); ok && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, uuid.Nil.String()) }) {
		t.Errorf("%s: got something without an id", what)
	}
}

// odd are what a member may hold that the description of the interface does not foresee.
var odd = []string{`null`, `5`, `-1e999`, `123456789012345678901234567890`, `""`, `"x"`, `"\u0000"`, `"%%"`, `[]`, `[null]`, `{}`, `{"id":{}}`, `true`}

// changes returns the value with each of its members dropped and replaced, at every depth; of the elements of a list the
// first two.
func changes(value any) (all []any) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			with := func(m any) any {
				c := maps.Clone(v)
				c[name] = m
				return c
			}
			without := maps.Clone(v)
			delete(without, name)
			all = append(all, without)
			for _, o := range odd {
				all = append(all, with(json.RawMessage(o)))
			}
			for _, c := range changes(member) {
				all = append(all, with(c))
			}
		}
	case []any:
		for i := range min(2, len(v)) {
			with := func(e any) any {
				c := slices.Clone(v)
				c[i] = e
				return c
			}
			all = append(all, slices.Delete(slices.Clone(v), i, i+1), append(slices.Clone(v), v[i]))
			for _, o := range odd {
				all = append(all, with(json.RawMessage(o)))
			}
			for _, c := range changes(v[i]) {
				all = append(all, with(c))
			}
		}
	}
	return all
}

// replacing answers with the body where the exchange's own was recorded.
func replacing(r replayed, e *recordings.Exchange, status int, body []byte) http.Handler {
	another := *e
	another.Status, another.Body = status, body
	changed := r
	if e == r.Exchange {
		changed.Exchange = &another
	}
	changed.later = slices.Clone(r.later)
	if at := slices.Index(r.later, e); at >= 0 {
		changed.later[at] = &another
	}
	return changed.service()
}

// answersOf are the recorded answers that the replay of a call uses: its own and those of its operation.
func answersOf(r replayed) []*recordings.Exchange {
	all := []*recordings.Exchange{r.Exchange}
	if id := r.Header.Get("x-ms-operation-id"); id != "" {
		for _, e := range r.later {
			if strings.Contains(e.URL.Path, id) {
				all = append(all, e)
			}
		}
	}
	return all
}

// shortest returns for each kind the recorded call whose answers are the shortest.
func shortest(t testing.TB) []replayed {
	t.Helper()
	best, size := map[string]replayed{}, map[string]int{}
	for _, recording := range allRecordings(t) {
		for _, r := range replays(recording) {
			n := 0
			for _, e := range answersOf(r) {
				n += len(e.Body)
			}
			if s, there := size[r.kind]; r.Status < http.StatusBadRequest && len(r.Body) > 40 && (!there || n < s) || r.Status == http.StatusAccepted && !there {
				best[r.kind], size[r.kind] = r, n
			}
		}
	}
	if len(best) < 4 {
		t.Fatalf("only %d kinds of calls are recorded", len(best))
	}
	return slices.Collect(maps.Values(best))
}

// A recorded answer with any member dropped or of another type, cut anywhere or given with another status, is understood
// or refused, never taken for an empty one, and never asked for again and again.
func TestChangedRecordings(t *testing.T) {
	t.Parallel()
	n := 0
	for _, r := range shortest(t) {
		for at, e := range answersOf(r) {
			var value any
			decode(t, e.Body, &value)
			for _, c := range changes(value) {
				body, err := json.Marshal(c)
				if err != nil { // an odd number
					body = fmt.Append(nil, c)
				}
				settles(t, fmt.Sprintf("%s, answer %d: %.300s", r.kind, at, body), r, replacing(r, e, e.Status, body))
				n++
			}
			for cut := range min(len(e.Body), 200) {
				cut = cut * len(e.Body) / min(len(e.Body), 200)
				service := replacing(r, e, e.Status, e.Body[:cut])
				settles(t, fmt.Sprintf("%s, answer %d cut at %d", r.kind, at, cut), r, service)
				if _, err := r.read(t, clientOf(t, replacing(r, e, e.Status, e.Body[:cut]))); err == nil && r.kind != "operation" && e.Status != http.StatusAccepted {
					trimmed := strings.TrimRight(string(e.Body[:cut]), " \r\n")
					if whole := strings.TrimRight(string(e.Body), " \r\n"); len(trimmed) < len(whole)-len(`}}`) {
						t.Errorf("%s, answer %d cut at %d of %d is taken for all", r.kind, at, cut, len(e.Body))
					}
				}
			}
			for status := 100; status < 600; status += 1 + status%7 {
				settles(t, fmt.Sprintf("%s, answer %d with status %d", r.kind, at, status), r, replacing(r, e, max(status, 200), e.Body))
			}
		}
	}
	t.Logf("%d changes", n)
}

// The order of members and unknown members change nothing, and neither does the letter case of headers or gzip.
func TestSameRecordings(t *testing.T) {
	t.Parallel()
	for _, r := range shortest(t) {
		want, wantErr := r.read(t, clientOf(t, r.service()))
		for at, e := range answersOf(r) {
			var value any
			decode(t, e.Body, &value)
			body, err := json.Marshal(withUnknown(value, 0)) // sorted by name
			if err != nil {
				t.Fatal(err)
			}
			for name, service := range map[string]http.Handler{
				"unknown members": replacing(r, e, e.Status, body),
				"white space":     replacing(r, e, e.Status, append([]byte("\ufeff\r\n "), append(e.Body, " \n"...)...)),
				"gzip":            zipped(r.service()),
			} {
				p := clientOf(t, service)
				if name == "gzip" {
					s := httptest.NewTLSServer(service)
					t.Cleanup(s.Close)
					p = overNetwork(t, s)
				}
				got, err := r.read(t, p)
				same(t, fmt.Sprintf("%s, answer %d, %s", r.kind, at, name), want, got, wantErr, err)
			}
		}
	}
}

// withUnknown adds a member to every object, whose name sorts before all others at even depths and after them at odd ones.
func withUnknown(value any, depth int) any {
	switch v := value.(type) {
	case map[string]any:
		c := map[string]any{[]string{"@new", "zzz"}[depth%2]: map[string]any{"value": []any{nil, 1e300, map[string]any{"id": 5}}, "parts": "x"}}
		for name, member := range v {
			c[name] = withUnknown(member, depth+1)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = withUnknown(e, depth+1)
		}
		return c
	}
	return value
}

// zipped compresses the answers of a handler, as the platform does, in writes of odd sizes.
func zipped(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain := httptest.NewRecorder()
		h.ServeHTTP(plain, r)
		maps.Copy(w.Header(), plain.Header())
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(plain.Code)
		z := gzip.NewWriter(w)
		_, _ = io.Copy(z, plain.Body)
		_ = z.Close()
	})
}

// FuzzAnswers gives each call of ours answers that are made of the input: the first of its first part, the rest of its
// second.
func FuzzAnswers(f *testing.F) {
	for _, recording := range allRecordings(f) {
		for _, r := range replays(recording) {
			if len(r.Body) < 4<<10 {
				f.Add(byte(len(r.Method)), uint16(r.Status), r.Header.Get("x-ms-operation-id"), r.Header.Get("Retry-After"), r.Body)
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, status uint16, operation, after string, body []byte) {
		names := slices.Sorted(maps.Keys(calls))
		id := uuid.UUID{15: 1}
		r := replayed{Exchange: &recordings.Exchange{Header: http.Header{"X-Ms-Operation-Id": {operation}}}, kind: names[int(kind)%len(names)],
			ids: []uuid.UUID{id, id}}
		seed := fnv.New64()
		_, _ = seed.Write(body)
		random, first := rand.New(rand.NewPCG(seed.Sum64(), 0)), true
		settles(t, "fuzzed", r, http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
			w.Header()["X-Ms-Operation-Id"], w.Header()["Retry-After"] = []string{operation}, []string{after}
			answer, code := body, 200+int(status)%400
			if !first {
				answer, code = bytes.Clone(body), []int{200, 200, 200, 404, 500, 429}[random.IntN(6)]
				if len(answer) > 0 {
					answer[random.IntN(len(answer))] ^= byte(random.IntN(256))
				}
			}
			first = false
			w.WriteHeader(code)
			_, _ = w.Write(answer)
		}))
	})
}
