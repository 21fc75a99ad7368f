package http_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gorilla/mux"

	"readiness/domain"
	readinesshttp "readiness/http"
	"readiness/http/routing"
	"readiness/http/validate"
)

// bodied is an operation with a body, and the Go type of the body.
type bodied struct {
	line      routing.Route
	described *openapi3.Operation
	body      reflect.Type
}

// withBodies returns all operations with a body, in the order of the table of routes.
func withBodies(t testing.TB) (all []bodied) {
	t.Helper()
	doc := description(t)
	server := reflect.TypeFor[*readinesshttp.Server]()
	for _, line := range routing.Table() {
		op := doc.Paths.Value(line.Path).GetOperation(line.Method)
		if op.RequestBody == nil {
			continue
		}
		handler, ok := server.MethodByName(strings.ToUpper(op.OperationID[:1]) + op.OperationID[1:])
		if !ok {
			t.Fatalf("there is no handler of %s", op.OperationID)
		}
		body, ok := handler.Type.In(2).FieldByName("Body")
		if !ok {
			t.Fatalf("%s takes no body", op.OperationID)
		}
		all = append(all, bodied{line, op, body.Type.Elem()})
	}
	return all
}

// A body that passes validation can be decoded by the handler, and its canonical form passes again.
func FuzzBody(f *testing.F) {
	all := withBodies(f)
	for n, b := range all {
		c := &caller{Rand: rand.New(rand.NewPCG(1, uint64(n))), op: b.described, known: map[string][]string{"semanticModelId": {modelA.String()}}}
		for range 10 {
			body := c.valid(b.described.RequestBody.Value.Content.Get("application/json").Schema.Value, "")
			f.Add(uint8(n), body.append(nil))
		}
		f.Add(uint8(n), []byte("{}"))
	}
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		b := all[int(n)%len(all)]
		check := func(text []byte) ([]byte, error) {
			r := httptest.NewRequest(b.line.Method, "/", bytes.NewReader(text))
			r.Header.Set("Content-Type", "application/json")
			canonical, err := validate.Body(httptest.NewRecorder(), r, b.described)
			if err == nil && canonical != nil {
				if left, err := io.ReadAll(r.Body); err != nil || !bytes.Equal(left, canonical) {
					t.Fatalf("the handler gets a body other than %q: %q, %v", canonical, left, err)
				}
			}
			return canonical, err
		}
		canonical, err := check(text)
		if err != nil {
			if refused, ok := domain.Refused(err); !ok || len(refused.Message) > 1000 {
				t.Fatalf("got %v, want a refusal of at most 1000 bytes", err)
			}
			return
		}
		if canonical == nil {
			return // no body
		}
		if err := json.Unmarshal(text, reflect.New(b.body).Interface()); err != nil {
			t.Fatalf("%s: %q passes and cannot be decoded: %v", b.described.OperationID, text, err)
		}
		if again, err := check(canonical); err != nil || !bytes.Equal(again, canonical) {
			t.Fatalf("%q becomes %q, which becomes %q, %v", text, canonical, again, err)
		}
	})
}

var visibleKey = regexp.MustCompile(`^[!-~]{1,255}$`)

// A key is 1 to 255 visible characters. Equal requests have the same fingerprint, whatever their white space and the
// letter case of their ids; different requests have different ones.
//
// proves: decisions/8/15-malformed
func FuzzIdempotencyKey(f *testing.F) {
	all := withBodies(f)
	all = slices.DeleteFunc(all, func(b bodied) bool { return !b.line.Starts })
	f.Add(uint8(0), "key", []byte(`{"a":[1,2.50,"x"]}`), []byte(`{"a":[1,2.5,"x"]}`))
	f.Add(uint8(1), strings.Repeat("k", 256), []byte(`{"a":1,"b":2}`), []byte("{ \"b\": 2,\r\n\"a\":1 }"))
	f.Add(uint8(2), " é\x00", []byte(`{}`), []byte(`null`))
	f.Fuzz(func(t *testing.T, n uint8, key string, first, second []byte) {
		b := all[int(n)%len(all)]
		call := func(ids func(string) string) *http.Request {
			r := httptest.NewRequest(b.line.Method, "/", http.NoBody)
			r.Header["Idempotency-Key"] = []string{key}
			vars := map[string]string{"kind": "descriptions"}
			for _, p := range b.described.Parameters {
				if p.Value.Schema.Value.Format == "uuid" {
					vars[p.Value.Name] = ids(modelA.String())
				}
			}
			return mux.SetURLVars(r, vars)
		}
		lower := call(strings.ToLower)
		described := *b.described
		described.Parameters = slices.DeleteFunc(slices.Clone(described.Parameters), func(p *openapi3.ParameterRef) bool { return p.Value.In != openapi3.ParameterInHeader })
		if err := validate.Parameters(lower, &described); (err == nil) != visibleKey.MatchString(key) {
			t.Fatalf("the key %q: got %v", key, err)
		} else if err != nil {
			return
		}
		canonical := func(text []byte) ([]byte, bool) {
			value, err := validate.Decode(text)
			if err != nil {
				return nil, false
			}
			c, err := json.Marshal(value)
			return c, err == nil
		}
		a, okA := canonical(first)
		c, okB := canonical(second)
		if !okA || !okB {
			return
		}
		fingerprint := func(r *http.Request, body []byte) string {
			k := readinesshttp.IdempotencyKey(r, b.line, b.described, body)
			if k == nil || k.Key != key {
				t.Fatalf("got %+v for the key %q", k, key)
			}
			return k.Fingerprint
		}
		of := fingerprint(lower, a)
		if same := fingerprint(lower, c) == of; same != bytes.Equal(a, c) {
			t.Fatalf("%s and %s have one fingerprint: %v", first, second, same)
		}
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, first, "\r", " \t"); err != nil {
			t.Fatal(err)
		}
		if again, ok := canonical(spaced.Bytes()); !ok || fingerprint(call(strings.ToUpper), again) != of {
			t.Fatalf("%s with spaces has another fingerprint", first)
		}
	})
}
