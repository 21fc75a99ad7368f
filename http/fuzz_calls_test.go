package http_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// fuzzedSecret begins every key in a fuzzed call. No response may contain it.
const fuzzedSecret = "sk-fuzzed-secret"

// fuzzedCall is a call as sent.
type fuzzedCall struct {
	of                  *world
	method, path, query string
	header              http.Header
	body                []byte
	wire                *wire // the raw bytes to send; nil to send it with an HTTP client
}

func (c fuzzedCall) String() string {
	body := c.body
	if len(body) > 400 {
		body = append(slices.Clone(body[:400]), "…"...)
	}
	h := c.header.Clone()
	h.Del("Authorization")
	return fmt.Sprintf("%s %.300s?%.300s %.300q body %q", c.method, c.path, c.query, fmt.Sprint(h), body)
}

// caller generates calls of one route, either valid ones from the description or from a call that is accepted, and
// then spoils each in up to three ways. The same seed generates the same calls.
type caller struct {
	*rand.Rand
	method, path string
	op           *openapi3.Operation
	parameters   openapi3.Parameters
	known        map[string][]string // values of parameters and members by name, the most plausible first
	tokens       map[*world][]string // the valid one first
	deletes      bool                // whether DELETE on the path is a route
	plain        bool                // the current call has only what is required
	odd          bool                // the current call is encoded in a way that no client uses
}

func pick[T any](c *caller, of []T) T { return of[c.IntN(len(of))] }

// likely returns the first of the values more often than the others.
func likely(c *caller, of []string) string {
	if c.plain && c.IntN(8) > 0 || c.IntN(3) > 0 {
		return of[0]
	}
	return pick(c, of)
}

// draft is a call before it is encoded.
type draft struct {
	fuzzedCall
	ids    map[string]string // as they appear in the path
	taken  *member           // the body; nil for none
	token  string
	onText []func(*fuzzedCall) // changes to the encoded call
}

// described returns a call generated from the description, spoiled.
func (c *caller) described(of *world) fuzzedCall {
	c.plain = c.IntN(3) == 0
	d := &draft{fuzzedCall: fuzzedCall{of: of, method: c.method, path: c.path, header: http.Header{}}, ids: map[string]string{}, token: c.tokens[of][0]}
	query := url.Values{}
	for _, p := range c.parameters {
		value := c.value(p.Value)
		switch p.Value.In {
		case openapi3.ParameterInPath:
			d.ids[p.Value.Name] = url.PathEscape(value)
		case openapi3.ParameterInQuery:
			if c.IntN(4) == 0 {
				query.Set(p.Value.Name, value)
			}
		case openapi3.ParameterInHeader:
			if c.IntN(4) == 0 {
				d.header.Set(p.Value.Name, value)
			}
		}
	}
	d.query = query.Encode()
	if c.op.RequestBody != nil {
		d.taken = &member{is: c.valid(c.op.RequestBody.Value.Content.Get("application/json").Schema.Value, "")}
		d.header.Set("Content-Type", "application/json")
	}
	return c.spoiled(d, []int{0, 1, 1, 1, 1, 1, 2, 2, 2, 3}[c.IntN(10)])
}

// near returns a successful call, spoiled in wrong ways.
func (c *caller) near(call routed, wrong int) fuzzedCall {
	d := &draft{fuzzedCall: fuzzedCall{of: call.of, method: c.method, path: c.path, header: http.Header{}}, ids: map[string]string{}, token: c.tokens[call.of][0]}
	path, query, _ := strings.Cut(call.path, "?")
	d.query = query
	there := strings.Split(path, "/")
	for n, segment := range strings.Split(c.path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			d.ids[strings.TrimSuffix(name, "}")] = there[n]
		}
	}
	if wrong > 0 { // an optional parameter
		for _, p := range c.parameters {
			if value := c.value(p.Value); p.Value.In == openapi3.ParameterInQuery && c.IntN(8) == 0 {
				d.query = strings.TrimPrefix(d.query+"&"+url.Values{p.Value.Name: {value}}.Encode(), "&")
			} else if p.Value.In == openapi3.ParameterInHeader && c.IntN(8) == 0 {
				d.header.Set(p.Value.Name, value)
			}
		}
	}
	if call.body != "" {
		var value any
		if json.Unmarshal([]byte(call.body), &value) != nil {
			panic(call.body)
		}
		d.taken = &member{is: nodeOf(value)}
		d.header.Set("Content-Type", "application/json")
	}
	return c.spoiled(d, wrong)
}

// spoiled encodes the call, spoiled in wrong ways.
func (c *caller) spoiled(d *draft, wrong int) fuzzedCall {
	c.odd = false
	for range wrong {
		c.spoilOne(d)
	}
	if d.taken != nil {
		d.body = d.taken.is.append(nil)
	}
	for _, spoil := range d.onText {
		spoil(&d.fuzzedCall)
	}
	for name, value := range d.ids {
		d.path = strings.ReplaceAll(d.path, "{"+name+"}", value)
	}
	if d.token != "" {
		d.header.Add("Authorization", "Bearer "+d.token)
	}
	if c.odd {
		w := c.spoilWire(d.fuzzedCall)
		d.wire = &w
	}
	return d.fuzzedCall
}

func (c *caller) spoilOne(d *draft) {
	switch n := c.IntN(23); {
	case n < 9 && d.taken != nil:
		c.spoil(pick(c, d.taken.is.all(nil)))
	case n < 13 && d.taken != nil:
		d.onText = append(d.onText, c.spoilText)
	case n == 13:
		d.token = pick(c, c.tokens[d.of])
	case n < 16:
		c.spoilHeader(d.header)
	case n == 16 && d.taken == nil:
		d.header.Set("Content-Type", "application/json")
		d.body = []byte(pick(c, oddValues))
	case n < 18 && len(d.ids) > 0:
		d.ids[pick(c, slices.Sorted(maps.Keys(d.ids)))] = c.oddID()
	case n == 18:
		d.method = pick(c, []string{http.MethodHead, http.MethodHead, http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace, "BREW", "get", "X-" + strings.Repeat("M", 300)})
		if d.method == http.MethodDelete && c.deletes { // it would delete what other calls need
			d.method = c.method
		}
	case n == 19:
		c.spoilPath(d)
	case n == 20:
		c.odd = true
	default:
		c.spoilQuery(&d.fuzzedCall)
	}
}

// spoilPath spoils the path, whatever ids it contains.
func (c *caller) spoilPath(d *draft) {
	segments := strings.Split(d.path, "/")
	at := 1 + c.IntN(len(segments)-1)
	switch c.IntN(7) {
	case 0:
		segments = slices.Insert(segments, at, pick(c, []string{"", ".", "..", "%2e%2e", "v1", "%2F", "%5c"}))
	case 1:
		segments = append(segments, pick(c, []string{"", "x", "..", "%00", "%2e"}))
	case 2:
		segments[at] += pick(c, []string{"%2f", ";a=b", "%3f", "%23", "%20", "%00", "~", "%ff", "%E2%80%AE", "%252f", "*"})
	case 3:
		if !strings.HasPrefix(segments[at], "{") {
			segments[at] = strings.ToUpper(segments[at])
		}
	case 4:
		segments = slices.Delete(segments, at, at+1)
	case 5:
		segments = slices.Insert(segments, at, segments[at])
	case 6:
		segments = append(segments[:at:at], strings.Join(segments[at:], "%2F"))
	}
	d.path = "/" + strings.TrimPrefix(strings.Join(segments, "/"), "/")
}

// tampered returns the continuation token and manipulated copies of it.
func (c *caller) tampered(token string) []string {
	at := c.IntN(len(token))
	flipped := []byte(token)
	flipped[at] ^= 1 << c.IntN(3)
	return []string{token, string(flipped), token[:at], token + "A", token + "=", token[at:], strings.ToLower(token), token + token, "AAAAAAAAAAAAAAAAAAAAAA", "eyJhIjoxfQ"}
}

// value returns a value for a parameter.
func (c *caller) value(p *openapi3.Parameter) string {
	switch known := slices.Concat(c.known[p.In+" "+p.Name], c.known[p.Name]); {
	case len(known) > 0:
		return likely(c, known)
	case p.Schema.Value.Type.Is(openapi3.TypeInteger):
		return fmt.Sprint(1 + c.IntN(500))
	}
	var text string
	raw := c.valid(p.Schema.Value, p.Name).append(nil)
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}

// node is a JSON value that may be malformed: members can be duplicated, and raw text need not be JSON.
type node struct {
	kind    byte // '{', '[', or 0 for raw text
	members []member
	items   []*node
	raw     string
}

type member struct {
	name string
	is   *node
}

// all returns the node and its descendants.
func (n *node) all(before []*node) []*node {
	before = append(before, n)
	for _, m := range n.members {
		before = m.is.all(before)
	}
	for _, i := range n.items {
		before = i.all(before)
	}
	return before
}

// nodeOf converts a JSON value to a node.
func nodeOf(value any) *node {
	switch value := value.(type) {
	case map[string]any:
		n := &node{kind: '{'}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			n.members = append(n.members, member{name, nodeOf(value[name])})
		}
		return n
	case []any:
		n := &node{kind: '['}
		for _, item := range value {
			n.items = append(n.items, nodeOf(item))
		}
		return n
	}
	raw, _ := json.Marshal(value)
	return &node{raw: string(raw)}
}

func (n *node) append(text []byte) []byte {
	switch n.kind {
	case '{':
		text = append(text, '{')
		for i, m := range n.members {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(append(append(text, asJSON(m.name)...), ':'), m.is.append(nil)...)
		}
		return append(text, '}')
	case '[':
		text = append(text, '[')
		for i, item := range n.items {
			if i > 0 {
				text = append(text, ',')
			}
			text = item.append(text)
		}
		return append(text, ']')
	}
	return append(text, n.raw...)
}

func asJSON(text string) string {
	q, _ := json.Marshal(text)
	return string(q)
}

// named returns the known values of a member, which may be named together with its parent.
func (c *caller) named(name string) []string {
	if known := c.known[name]; len(known) > 0 {
		return known
	}
	return c.known[last(name)]
}

func last(name string) string { return name[strings.LastIndexByte(name, ' ')+1:] }

// valid returns a value that the schema allows for the member name. "source kind" is the member kind of the member
// source.
func (c *caller) valid(s *openapi3.Schema, name string) *node {
	if s.Nullable && c.IntN(8) == 0 {
		return &node{raw: "null"}
	}
	for _, alternatives := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
		if len(alternatives) > 0 {
			return c.valid(pick(c, alternatives).Value, name)
		}
	}
	if s.WriteOnly {
		return &node{raw: asJSON(fmt.Sprint(fuzzedSecret, c.IntN(100)))}
	}
	if len(s.Enum) > 0 {
		value, _ := json.Marshal(pick(c, s.Enum))
		return &node{raw: string(value)}
	}
	switch {
	case s.Type.Is(openapi3.TypeObject):
		n := &node{kind: '{'}
		for _, of := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, of) || !c.plain && c.IntN(2) == 0 {
				n.members = append(n.members, member{of, c.valid(s.Properties[of].Value, last(name)+" "+of)})
			}
		}
		if more := s.AdditionalProperties.Schema; more != nil {
			for range c.IntN(3) {
				n.members = append(n.members, member{fmt.Sprint("key", c.IntN(9)), c.valid(more.Value, name)})
			}
		}
		return n
	case s.Type.Is(openapi3.TypeArray):
		n := &node{kind: '['}
		for range max(int(s.MinItems), c.IntN(3)) {
			n.items = append(n.items, c.valid(s.Items.Value, name))
		}
		return n
	case s.Type.Is(openapi3.TypeBoolean):
		return &node{raw: fmt.Sprint(c.IntN(2) == 0)}
	case s.Type.Is(openapi3.TypeInteger), s.Type.Is(openapi3.TypeNumber):
		least, most := 0, 10
		if s.Min != nil {
			least = int(*s.Min)
		}
		if s.Max != nil {
			most = int(*s.Max)
		}
		return &node{raw: fmt.Sprint(pick(c, []int{least, most, least + c.IntN(most-least+1)}))}
	}
	if known := c.named(name); len(known) > 0 {
		return &node{raw: asJSON(likely(c, known))}
	}
	if s.Format == "uuid" {
		return &node{raw: asJSON(likely(c, c.known["semanticModelId"]))}
	}
	return &node{raw: asJSON(pick(c, someTexts))}
}

var someTexts = []string{"Net sales", "How many orders were there in 2024?", "EVALUATE ROW(\"x\", [Revenue])", "Sales", "größer als 5 日本", "1234.5", "x"}

// oddValues replace other values; some are not JSON.
var oddValues = slices.Concat([]string{
	"null", "true", "false", "0", "-1", "0.5", "1e400", "-1e-400", "1E2", "1.0", "-0", "2147483648", "9223372036854775808", "-9223372036854775809", strings.Repeat("9", 400), "1e999999999",
	`""`, `" "`, `"\t\r\n"`, `"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udc00\ud800"`, `"\ud83d\ude00"`, "\"\xff\xfe\"", "\"\xc0\x80\"", "\"\x00\"", "\"\x7f\u0085\u2028\"", `"\u202egnp.exe"`, `"null"`, `"true"`, `"0"`,
	"[]", "{}", "[[]]", "[null]", `{"":1}`, `{"a":{"b":[1]}}`, `[{},[],""]`, "NaN", "Infinity", "tru", "0x10", "01", "+1", ".5", "'x'", "", "/**/1", "undefined", `"\x41"`, "\"a\nb\"",
	asJSON("'; DROP TABLE events; --"), asJSON("$(id)`id`{{7*7}}%s%n"), asJSON("<script>&</script>"), asJSON("../../../etc/passwd"), asJSON("%00"), asJSON("\\"),
	asJSON("00000000-0000-0000-0000-000000000000"), asJSON("{aaaaaaaa-0000-4000-8000-000000000001}"), asJSON("urn:uuid:aaaaaaaa-0000-4000-8000-000000000001"), asJSON("AAAAAAAA-0000-4000-8000-000000000001"),
	asJSON("aaaaaaaa00004000800000000000000001"), asJSON("2026-11-21T25:61:61Z"), asJSON("-9999-01-01T00:00:00Z"), asJSON("24:00"), asJSON("06:00 "),
	asJSON("https://user:pass@127.0.0.1:1/"), asJSON("file:///etc/passwd"), asJSON("http://[::1]:1/v1?x=1#y"), asJSON("http://127.0.0.1:99999"),
	strings.Repeat("[", 33) + strings.Repeat("]", 33), strings.Repeat("[", 32) + strings.Repeat("]", 32), strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), strings.Repeat("[", 20_000),
}, longTexts())

// longTexts have lengths around the limits.
func longTexts() (all []string) {
	for _, n := range []int{64, 100, 200, 255, 256, 1000, 2000, 4096, 10_000, 65_536} {
		for _, n := range []int{n, n + 1} {
			all = append(all, asJSON(strings.Repeat("x", n)), asJSON(strings.Repeat("é", n)))
		}
	}
	return all
}

// spoil spoils a value in one way.
func (c *caller) spoil(n *node) {
	switch choice := c.IntN(10); {
	case choice < 3 && n.kind == '{' && len(n.members) > 0:
		c.spoilMembers(n)
	case choice < 3 && n.kind == '[' && len(n.items) > 0:
		n.items = slices.Repeat(n.items, pick(c, []int{0, 2, 101, 600}))
	case choice == 3:
		n.items = append(n.items, &node{raw: pick(c, oddValues)})
	case choice == 4:
		inner := *n
		*n = node{kind: '[', items: []*node{&inner}}
	case choice == 5:
		inner := *n
		*n = node{kind: '{', members: []member{{c.oddName(), &inner}}}
	default:
		*n = node{raw: pick(c, oddValues)}
	}
}

func (c *caller) spoilMembers(n *node) {
	i := c.IntN(len(n.members))
	switch c.IntN(5) {
	case 0:
		n.members = slices.Delete(n.members, i, i+1)
	case 1: // a duplicate with the same value
		n.members = append(n.members, n.members[i])
	case 2: // a duplicate with another value
		n.members = append(n.members, member{n.members[i].name, &node{raw: pick(c, oddValues)}})
	case 3:
		n.members[i].name = cmp.Or(pick(c, []string{strings.ToUpper(n.members[i].name), n.members[i].name + " ", c.oddName()}), "x")
	case 4:
		n.members = append(n.members, member{c.oddName(), &node{raw: pick(c, oddValues)}})
	}
}

func (c *caller) oddName() string {
	return pick(c, []string{"", "x", "__proto__", "id", "ID", "accountId", "\x00", "a.b", "[0]", "$ref", "naïve", strings.Repeat("n", 5000), "<b>", "\u202e", "%s"})
}

// spoilText spoils the text of a body in one way.
func (c *caller) spoilText(call *fuzzedCall) {
	at := c.IntN(len(call.body) + 1)
	switch c.IntN(12) {
	case 0, 1:
		call.body = call.body[:at]
	case 2:
		call.body = append(call.body, pick(c, []string{"{}", " \n", "\x00", "]", ",", "null", "//", "\ufeff"})...)
	case 3:
		call.body = append([]byte(pick(c, []string{"\ufeff", " \r\n\t", "\x00", "x", ")]}',\n", "\x1f\x8b\b"})), call.body...)
	case 4, 5:
		call.body = slices.Insert(call.body, at, []byte(pick(c, []string{"\x00", "\xff", "\\", `"`, "\u2028", "{", "e", "\n", "\xed\xa0\x80"}))...)
	case 6:
		call.header.Set("Content-Type", pick(c, []string{
			"text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "application/json; charset=UTF-8", "application/json;", "application/json, text/plain", "APPLICATION/JSON",
			"multipart/form-data; boundary=x", "application/json; charset", "application/merge-patch+json", "*/*", "\xff", strings.Repeat("a/", 2000),
		}))
	case 7:
		call.header.Del("Content-Type")
	case 8:
		call.header.Set("Content-Encoding", pick(c, []string{"gzip", "identity", "br"}))
	case 9:
		call.body = []byte(pick(c, oddValues))
	case 10:
		call.body = bytes.ToUpper(call.body)
	case 11:
		if c.IntN(8) == 0 { // around the maximum body size
			call.body = append(call.body, bytes.Repeat([]byte(" "), max(0, 1<<20-len(call.body)+c.IntN(3)-1))...)
		}
	}
}

func (c *caller) spoilHeader(h http.Header) {
	odd := pick(c, []string{"", " ", "x", "*", `"x"`, `W/"x"`, `"\x00"`, "é", "\xff", strings.Repeat("k", 255), strings.Repeat("k", 256), strings.Repeat("k", 9000), "a b", "a,b", "\u202e", "-1", `"a", W/"b"`, "gzip;q=0", "bytes=0-1", strings.Repeat("k", 70_000), "00-" + strings.Repeat("0", 32) + "-" + strings.Repeat("0", 16) + "-00"})
	name := pick(c, []string{
		"Idempotency-Key", "Idempotency-Key", "If-None-Match", "If-Match", "X-Ms-Client-Request-Id", "Traceparent", "Tracestate", "Accept", "Accept-Language", "Accept-Encoding", "Authorization",
		"X-Forwarded-For", "X-Http-Method-Override", "Range", "Expect", "Origin", "Cookie",
	})
	if name == "Expect" {
		odd = "100-continue"
	}
	h.Add(name, odd)
	if c.IntN(4) == 0 {
		h.Add(name, odd)
	}
}

// oddID returns a replacement for an id in a path, already escaped.
func (c *caller) oddID() string {
	return url.PathEscape(pick(c, []string{
		"x", "", " ", ".", "..", "%", "%00", "\x00", "\xff", "a/b", "null", "-1", "0", "*", "{workspaceId}", "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"AAAAAAAA-0000-4000-8000-000000000001", "{aaaaaaaa-0000-4000-8000-000000000001}", "urn:uuid:aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa00004000800000000000000001", "aaaaaaaa-0000-4000-8000-00000000000g",
		"aaaaaaaa-0000-4000-8000-000000000001\n", " aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-0000000000011", "aaaaaaaa-0000-4000-8000-00000000000", "'; DROP TABLE events; --", "日本", "\u202e", strings.Repeat("y", 3000), "a;b=c", "a?b#c",
		nowhere.String(), finance.String(), modelC.String(), kept.String(), agent.String(), reportA.String(),
	}))
}

// spoilQuery spoils the query in one way, with a parameter of the route if it has one.
func (c *caller) spoilQuery(call *fuzzedCall) {
	name := "unknown"
	for _, p := range c.parameters {
		if p.Value.In == openapi3.ParameterInQuery && c.IntN(3) == 0 {
			name = p.Value.Name
		}
	}
	odd := pick(c, []string{
		"", "0", "-1", "501", "1.5", "1e2", "+5", "%205", "٣", "9223372036854775808", "999999999999999999999", "x", "%00", "a%00b", "%ff", "%zz", "%", "%u0041", "null", "true", "[]", "..%2f..", "';--", "%25", "_%25\\",
		strings.Repeat("q", 300), strings.Repeat("q", 5000), "eyJhIjoxfQ", "AAAAAAAAAAAAAAAAAAAAAAAA", "2026-11-21", "2026-11-21T06:00:00", "2026-11-21T06:00:00%2B25:00", "0000-00-00T00:00:00Z", "99999-01-01T00:00:00Z",
		"%F0%9F%98%80", "%E2%80%AE", "aaaaaaaa-0000-4000-8000-000000000001", "Name", "name", "Newest", "Succeeded", "succeeded",
	})
	pair := name + "=" + odd
	switch c.IntN(6) {
	case 0:
		pair += "&" + pair
	case 1:
		pair = name
	case 2:
		pair += ";" + pair
	case 3:
		pair = strings.Repeat("&", 50) + pair
	}
	call.query = strings.TrimPrefix(call.query+"&"+pair, "&")
}
