package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/testscript"

	"readiness/domain/account"
	"readiness/http/token"
)

// caller is the person who makes the calls of a script.
type caller struct {
	account account.Declaration
	person  string
	scopes  []string
	bearer  string // sent unchanged instead of a token made for the person
}

// answer is the last answer a script got.
type answer struct {
	method string
	status int
	header http.Header
	text   []byte
	Body   any
}

// as makes later calls as a person.
func as(ts *testscript.TestScript, w *Service, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: as PERSON [SCOPE…]")
	}
	w.caller = caller{person: args[0], scopes: []string{token.ScopeRead, token.ScopeReadWrite}}
	if len(args) > 1 {
		w.caller.scopes = args[1:]
	}
	if args[0] == "-" {
		w.caller.person = ""
		return
	}
	i := slices.IndexFunc(w.declared, func(d account.Declaration) bool {
		return slices.ContainsFunc(d.People, func(p account.Person) bool { return p.Person.ID == args[0] })
	})
	if i >= 0 { // a stranger's token names no account
		w.caller.account = w.declared[i]
	}
}

func (w *Service) token() string {
	if w.caller.bearer != "" || w.caller.person == "" {
		return w.caller.bearer
	}
	t, err := w.issuer.Mint(w.caller.account.AccountID, w.caller.person, w.caller.scopes, w.Now(), time.Hour)
	check(w.T, err)
	w.minted = append(w.minted, t)
	return t
}

// call makes a call: METHOD STATUS PATH [FILE].
func call(ts *testscript.TestScript, w *Service, method string, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: %s STATUS PATH [FILE]", method)
	}
	address := args[1]
	if strings.HasPrefix(address, "/") {
		address = Base + address
	}
	var body io.Reader
	if len(args) == 3 {
		body = strings.NewReader(os.Expand(ts.ReadFile(args[2]), ts.Getenv))
	}
	r, err := http.NewRequestWithContext(w.T.Context(), method, address, body)
	ts.Check(err)
	if tok := w.token(); tok != "" {
		r.Header.Set("Authorization", "Bearer "+tok)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range w.headers {
		r.Header[name] = values
		if len(values) == 1 && values[0] == "" {
			r.Header.Del(name)
		}
	}
	w.headers = http.Header{}
	got, err := w.Client.Do(r)
	ts.Check(err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	ts.Check(err)
	w.Last = answer{method: method, status: got.StatusCode, header: got.Header, text: text}
	if len(text) > 0 && strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
		ts.Check(json.Unmarshal(text, &w.Last.Body))
		var out bytes.Buffer
		ts.Check(json.Indent(&out, text, "", "  "))
		text = append(out.Bytes(), '\n')
	}
	if want := args[0]; strconv.Itoa(got.StatusCode) != want {
		ts.Fatalf("%s %s answered %d, want %s\n%s", method, args[1], got.StatusCode, want, text)
	}
	switch moves := method == http.MethodGet && strings.HasPrefix(args[1], "/v1/operations/"); {
	case got.StatusCode == http.StatusAccepted:
		w.accepted(ts)
	case got.StatusCode >= http.StatusBadRequest || !moves: // an operation that waits for its owner resumes with the owner's read
		w.didNothing(ts)
	}
	fmt.Fprint(ts.Stdout(), w.stable(string(text)))
	for _, name := range slices.Sorted(maps.Keys(got.Header)) {
		if name != "Date" && name != "Content-Length" {
			fmt.Fprintf(ts.Stderr(), "%s: %s\n", name, w.stable(got.Header.Get(name)))
		}
	}
}

// accepted names the operation that was started or replayed.
func (w *Service) accepted(ts *testscript.TestScript) {
	var body struct{ OperationID uuid.UUID }
	ts.Check(json.Unmarshal(w.Last.text, &body))
	if w.names[body.OperationID] == "" {
		w.started++
		w.names[body.OperationID] = fmt.Sprintf("op%d", w.started)
	}
	ts.Setenv("op", body.OperationID.String())
	ts.Setenv(w.names[body.OperationID], body.OperationID.String())
}

// didNothing fails if a refused call appended an event or enqueued a step. Calls that create, change or delete without an operation do
// so at once, and a list records the items that it finds deleted (docs/decisions.md 8.8).
func (w *Service) didNothing(ts *testscript.TestScript) {
	if w.Last.method != http.MethodGet && w.Last.method != http.MethodHead && w.Last.status == http.StatusOK {
		return
	}
	var events, jobs int
	ts.Check(w.Pool.QueryRow(w.T.Context(), `
		SELECT (SELECT count(*) FROM events WHERE metadata->>'requestId' = $1 AND NOT ($2 AND metadata->>'causation' IS NOT DISTINCT FROM 'listing')), (SELECT count(*) FROM river_job WHERE args->>'requestId' = $1)`,
		w.Last.header.Get("x-ms-request-id"), w.Last.status == http.StatusOK).Scan(&events, &jobs))
	if events+jobs > 0 {
		ts.Fatalf("the call answered %d, appended %d events and enqueued %d steps; want none", w.Last.status, events, jobs)
	}
}

var (
	anID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	aTime   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	aDay    = regexp.MustCompile(`\d{4}-\d\d-\d\d`)
	aToken  = regexp.MustCompile(`("continuationToken": "|continuationToken=)[A-Za-z0-9_-]+`)
	aTag    = regexp.MustCompile(`^"[A-Za-z0-9_-]{16}"$`)
	aWindow = regexp.MustCompile(`;r=\d+;t=\d+`)
)

// stable replaces values that differ between runs: ids by the names that the script knows, times, tokens and tags.
func (w *Service) stable(text string) string {
	text = anID.ReplaceAllStringFunc(text, func(id string) string {
		if name := w.names[uuid.MustParse(id)]; name != "" {
			return "<" + name + ">"
		}
		return "<id>"
	})
	text = aTime.ReplaceAllString(text, "<time>")
	text = aDay.ReplaceAllString(text, "<day>")
	text = aToken.ReplaceAllString(text, "$1<token>")
	text = aWindow.ReplaceAllString(text, ";r=<n>;t=<seconds>")
	return aTag.ReplaceAllString(text, "<etag>")
}

// Member returns the value of the last answer at a path: value.0.score, value.length for the count,
// changes.key=Sales|.proposed for the element with that key, or header:NAME.
func (w *Service) Member(path string) (v any, there bool) {
	if name, ok := strings.CutPrefix(path, "header:"); ok {
		values := w.Last.header.Values(name)
		return strings.Join(values, ", "), len(values) > 0
	}
	v = w.Last.Body
	for step := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			if v, there = at[step]; !there {
				return nil, false
			}
		case []any:
			if step == "length" {
				v = float64(len(at))
				continue
			}
			if name, value, ok := strings.Cut(step, "="); ok {
				i := slices.IndexFunc(at, func(e any) bool {
					m, _ := e.(map[string]any)
					return m != nil && Bare(m[name]) == value
				})
				if i < 0 {
					return nil, false
				}
				v = at[i]
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// Bare formats a member as scripts write it: strings bare, other values as JSON.
func Bare(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}
