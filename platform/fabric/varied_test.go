package fabric_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
)

var (
	recordedTime = regexp.MustCompile(`"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?"`)
	// Members that the client does without, as some recorded answers do.
	spare = []string{"percentComplete", "createdTimeUtc", "lastUpdatedTimeUtc", "isRetriable", "requestId", "folderId", "tags", "capacityRegion",
		"domainId", "apiEndpoint", "webUrl", "embedUrl", "@odata.context", "payloadType", "sensitivityLabel"}
	// Headers that the client does without.
	spareHeaders = []string{"Retry-After", "Etag", "Requestid", "Content-Type", "Access-Control-Expose-Headers", "Cache-Control", "Pragma"}
)

// varied answers as the handler does, in a form that means the same: with members that are new, null or absent, times of any
// number of digits, headers in another letter case or absent, white space, gzip.
func varied(t testing.TB, random *rand.Rand, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain := httptest.NewRecorder()
		h.ServeHTTP(plain, r)
		body, header := plain.Body.Bytes(), plain.Header().Clone()
		if json.Valid(body) {
			var value any
			decode(t, body, &value)
			if random.IntN(2) == 0 {
				value = withUnknown(value, random.IntN(2))
			}
			body = timesOf(random, encode(t, lacking(random, value)))
			body = append([]byte([]string{"", "\ufeff", "\r\n ", "\t"}[random.IntN(4)]), body...)
		}
		if plain.Code == http.StatusAccepted {
			body = []byte([]string{"null", "", "{}", `""`}[random.IntN(4)])
			if header.Get("x-ms-operation-id") != "" && strings.Contains(header.Get("Location"), "/operations/") {
				header.Del([]string{"Location", "x-ms-operation-id", "-"}[random.IntN(3)])
			}
		}
		for _, name := range spareHeaders {
			if random.IntN(2) == 0 {
				header.Del(name)
			}
		}
		for name, values := range header {
			w.Header()[[]string{name, strings.ToLower(name), strings.ToUpper(name)}[random.IntN(3)]] = values
		}
		if len(body) == 0 || random.IntN(2) == 0 {
			w.WriteHeader(plain.Code)
			_, _ = w.Write(body)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(plain.Code)
		z := gzip.NewWriter(w)
		_, _ = z.Write(body)
		_ = z.Close()
	})
}

// lacking drops or empties some of the spare members of a value, and drops some that are null.
func lacking(random *rand.Rand, value any) any {
	switch v := value.(type) {
	case map[string]any:
		c := maps.Clone(v)
		for name, member := range v {
			if c[name] = lacking(random, member); member == nil && random.IntN(2) == 0 {
				delete(c, name)
			}
		}
		for _, name := range spare {
			if _, there := c[name]; there && random.IntN(3) == 0 {
				c[name] = nil
			} else if there && random.IntN(2) == 0 {
				delete(c, name)
			}
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = lacking(random, e)
		}
		return c
	}
	return value
}

// timesOf gives each time none to seven digits of a second, and a zone or none.
func timesOf(random *rand.Rand, text []byte) []byte {
	return recordedTime.ReplaceAllFunc(text, func(found []byte) []byte {
		digits := ""
		if n := random.IntN(8); n > 0 {
			digits = "." + "1234567"[:n]
		}
		return fmt.Appendf(nil, `"%s%s%s"`, recordedTime.FindSubmatch(found)[1], digits, []string{"", "Z"}[random.IntN(2)])
	})
}

func encode(t testing.TB, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	check(t, err)
	return text
}

// Every recorded exchange that our client would make gives the same in any form that means the same.
func TestVariedRecordings(t *testing.T) {
	t.Parallel()
	var answers atomic.Pointer[http.Handler]
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*answers.Load()).ServeHTTP(w, r) }))
	t.Cleanup(s.Close)
	n, reads := 0, 0
	for _, recording := range allRecordings(t) {
		for _, r := range replays(recording) {
			want, wantErr := r.read(t, clientOf(t, r.service()))
			expected, refuses := domain.Refused(wantErr)
			name := fmt.Sprintf("%s: %s %s", recording.Name, r.Method, r.URL)
			seed := fnv.New64()
			_, _ = seed.Write([]byte(name))
			for i := range uint64(4) {
				service := varied(t, rand.New(rand.NewPCG(seed.Sum64(), i)), r.service())
				answers.Store(&service)
				got, err := r.read(t, overNetwork(t, s))
				refusal, refused := domain.Refused(err)
				switch n++; {
				case wantErr == nil:
					if reads++; err != nil || !cmp.Equal(want, got) {
						t.Errorf("%s, form %d (-recorded +varied):\n%s%v", name, i, cmp.Diff(want, got), err)
					}
				case !refuses || !refused || refusal.Code != expected.Code:
					t.Errorf("%s, form %d: got %v, want %v", name, i, err, wantErr)
				}
			}
		}
	}
	if t.Logf("%d forms, %d of them of a result", n, reads); reads == 0 || reads < 50 && os.Getenv("READINESS_FABRIC_FACTS") != "" {
		t.Error("too few recorded results")
	}
}
