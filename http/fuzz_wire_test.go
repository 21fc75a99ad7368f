package http_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"readiness/test/openapitest"
)

// wire is the raw bytes of an HTTP/1.1 request with one fault that no client would send.
type wire struct {
	line    string // the request line
	headers []string
	body    []byte // with its framing
	end     string // of every line
}

func (w wire) bytes() []byte {
	return append([]byte(strings.Join(append(append([]string{w.line}, w.headers...), "", ""), w.end)), w.body...)
}

// headEnd matches the end of the headers.
var headEnd = regexp.MustCompile(`\n\r?\n`)

// ends reports whether the bytes end before the request is complete.
func (w wire) ends() bool {
	text := w.bytes()
	if !headEnd.Match(text) {
		return true
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	return err != nil && strings.Contains(err.Error(), "EOF")
}

// wired sends a call as raw bytes. When net/http cannot parse them, it refuses in one line and closes the connection
// before the service sees the request.
func (f *fuzzed) wired(t *testing.T, call fuzzedCall) answered {
	sent, cut := call.wire.bytes(), call.wire.ends()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(call.of.base, "http://"))
	check(t, err)
	defer c.Close()
	check(t, c.SetDeadline(time.Now().Add(patience)))
	go func() { // an early refusal does not read the rest
		_, _ = c.Write(sent)
		if cut { // end an incomplete request; after a complete one, this would mean that the caller hung up
			_ = c.(*net.TCPConn).CloseWrite()
		}
	}()
	method, _, _ := strings.Cut(call.wire.line, " ")
	from, asked := bufio.NewReader(c), &http.Request{Method: method}
	answer, err := http.ReadResponse(from, asked)
	for err == nil && answer.StatusCode == http.StatusContinue {
		answer, err = http.ReadResponse(from, asked)
	}
	var text []byte
	if err == nil {
		defer answer.Body.Close()
		text, err = io.ReadAll(answer.Body)
	}
	if err != nil {
		// When the service refuses before it has read everything, up to this size, the response may be lost.
		if !cut && (len(sent) <= 4096 || !errors.Is(err, syscall.ECONNRESET)) {
			t.Errorf("%.600q: no response: %v", sent, err)
		}
		return answered{}
	}
	if answer.Header.Get("X-Ms-Request-Id") == "" {
		own := []int{http.StatusBadRequest, http.StatusExpectationFailed, http.StatusRequestHeaderFieldsTooLarge, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported}
		everywhere := answer.StatusCode == http.StatusOK && bytes.HasPrefix(sent, []byte("OPTIONS * ")) // RFC 9110 9.3.7
		if !slices.Contains(own, answer.StatusCode) && !everywhere || len(text) > 200 || leaks.Match(text) {
			t.Errorf("%.600q: got %d %q, not from the service", sent, answer.StatusCode, text)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.statuses[fmt.Sprint("net/http ", answer.StatusCode)]++
		return answered{}
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(sent)))
	if err != nil {
		t.Errorf("%.600q: got %d for a request that cannot be parsed: %v", sent, answer.StatusCode, err)
		return answered{}
	}
	if err := openapitest.Check(r, answer.StatusCode, answer.Header, text); err != nil {
		t.Errorf("%.600q: returned %d, which does not match openapi.yaml: %v\n%s", sent, answer.StatusCode, err, text)
	}
	return answered{answer.StatusCode, answer.Header, text}
}

// spoilWire encodes a call and spoils the encoding in one way.
func (c *caller) spoilWire(call fuzzedCall) wire {
	target := call.path
	if call.query != "" {
		target += "?" + call.query
	}
	w := wire{line: call.method + " " + target + " HTTP/1.1", end: "\r\n", body: call.body}
	host := strings.TrimPrefix(call.of.base, "http://")
	for name, values := range call.header {
		for _, value := range values {
			w.headers = append(w.headers, name+": "+value)
		}
	}
	slices.Sort(w.headers)
	length := fmt.Sprint("Content-Length: ", len(w.body))
	framed := append(w.headers[:len(w.headers):len(w.headers)], "Host: "+host, length, "Connection: close")
	switch c.IntN(8) {
	case 0, 1: // the request line
		w.headers = framed
		w.line = fmt.Sprintf(pick(c, requestLines), call.method, target)
	case 2, 3: // an additional or a different header
		w.headers = append(framed, pick(c, oddHeaders))
	case 4: // the length of the body
		w.headers = append(w.headers, "Host: "+host, "Connection: close")
		w.headers = append(w.headers, pick(c, oddLengths)...)
	case 5: // a chunked body
		w.headers = append(w.headers, "Host: "+host, "Connection: close", "Transfer-Encoding: chunked", "Trailer: Authorization")
		size := fmt.Sprintf("%x", len(w.body))
		w.body = fmt.Appendf(nil, pick(c, oddChunks), size, w.body)
	case 6: // the request is cut off
		w.headers = framed
		text := w.bytes()
		w.line, w.headers, w.end = string(text[:c.IntN(len(text))]), nil, ""
		w.body = nil
	case 7: // line endings, or bytes before the request
		w.headers = framed
		switch c.IntN(5) {
		case 0:
			w.end = "\n"
		case 1:
			w.end = "\r"
		case 2:
			w.line = pick(c, []string{"\r\n", "\n\n", " ", "\x00", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\ufeff"}) + w.line
		case 3:
			w.line, w.headers, w.body = "PRI * HTTP/2.0", nil, []byte("SM\r\n\r\n")
		case 4: // more bytes than the length says, which form another request
			w.body = append(slices.Clone(w.body), "POST /v1/operations HTTP/1.1\r\nHost: x\r\n\r\n"...)
		}
	}
	return w
}

// requestLines are formats for the method and the target.
var requestLines = []string{
	"%s  %s HTTP/1.1", "%s %s", "%s %s HTTP/1.0", "%s %s HTTP/1.2", "%s %s HTTP/2.0", "%s %s HTTP/9.9", "%s %s http/1.1", "%s %s HTTP/1.1 ", "%s\t%s\tHTTP/1.1", " %s %s HTTP/1.1", "%s %s HTTP/1.1x", "%s %s HTTP/-1.1",
	"%s http://elsewhere.example%s HTTP/1.1", "%s https://user:pass@elsewhere.example:1%s HTTP/1.1", "%s file://%s HTTP/1.1", "%s //elsewhere.example%s HTTP/1.1", "%s ..%s HTTP/1.1", "%s /%s HTTP/1.1", "%s /./%s HTTP/1.1",
	"%s %s/%%zz HTTP/1.1", "%s %s/%% HTTP/1.1", "%s %s%%2 HTTP/1.1", "%s %s/\x00 HTTP/1.1", "%s %s/\xff HTTP/1.1", "%s %s/a b HTTP/1.1", "%s %s#x HTTP/1.1", "%s %s?# HTTP/1.1", "%s %s?%%zz HTTP/1.1", "%s %s?\xff=\x7f HTTP/1.1", "%s %s\\..\\x HTTP/1.1",
	"%s *%.0s HTTP/1.1", "%s example.com:443%.0s HTTP/1.1", "%s ?%s HTTP/1.1", "CONNECT%.0s %s HTTP/1.1", "%s\x00 %s HTTP/1.1", "%s, %s HTTP/1.1", "%s %s HTTP/1.1\r\n folded", "%s %s" + strings.Repeat("/x", 5000) + " HTTP/1.1", "%s %s?" + strings.Repeat("a=b&", 20_000) + " HTTP/1.1",
	"OPTIONS%.0s *%.0s HTTP/1.1",
}

// oddHeaders are appended to the headers.
var oddHeaders = []string{
	"no colon", ": no name", "Space : x", " Folded: x", "X: a\r\n folded", "X: a\x00b", "X\x00: a", "Näme: x", "X: \xff", "X: \x7f", "X: a\rb", "X(y): z", "Host: elsewhere.example", "Host:", "Host: a b", "Content-Length: 0", "Content-Length: 7",
	"Content-Type: application/json", "Content-Type: text/plain", "Authorization: Bearer x", "authorization: Basic eDp5", "Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: \x0bchunked",
	"Expect: 100-continue", "Expect: 200-ok", "Expect: 100-continue, x", "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: Upgrade, HTTP2-Settings", "Upgrade: websocket\r\nConnection: Upgrade", "Connection: authorization", "Connection: x, y, z", "TE: trailers",
	"X: " + strings.Repeat("x", 2<<20), strings.TrimSuffix(strings.Repeat("X: y\r\n", 5000), "\r\n"), strings.Repeat("X", 70_000) + ": y", "If-None-Match: " + strings.Repeat(`"x", `, 9000) + `"x"`, "Range: bytes=0-", "Proxy-Connection: keep-alive", "Idempotency-Key: a\r\nIdempotency-Key: b",
}

// oddLengths are headers that declare the length of the body.
var oddLengths = [][]string{
	{"Content-Length: -1"}, {"Content-Length: +5"}, {"Content-Length: 5, 5"}, {"Content-Length: 0x5"}, {"Content-Length: five"}, {"Content-Length: "}, {"Content-Length: 5.0"}, {"Content-Length: 99999999999999999999"}, {"Content-Length: 9223372036854775807"},
	{"Content-Length: 1073741824"}, {"Content-Length: 1048577"}, {"Content-Length: 1048576"}, {"Content-Length: 3", "Content-Length: 4"}, {"Content-Length: 3", "Content-Length: 3"}, {"Content-Length: 3", "Transfer-Encoding: chunked"}, {"Content-Length : 3"},
	{"Transfer-Encoding: chunked, chunked"}, {"Transfer-Encoding: chunked", "Transfer-Encoding: chunked"}, {"Transfer-Encoding: xchunked"}, {}, {"Content-Length: 1"},
}

// oddChunks are formats for the size of the body and the body.
var oddChunks = []string{
	"%s\r\n%s\r\n0\r\n\r\n", "%s\r\n%s\r\n0\r\nAuthorization: Bearer x\r\n\r\n", "%s\r\n%s\r\n", "%s\r\n%s", "%s", "%s\r\n%s\r\n0", "%s\r\n%s\r\n0\r\n\r", "%s\n%s\n0\n\n", "0%s\r\n%s\r\n0\r\n\r\n", "%s;x=y;z\r\n%s\r\n0\r\n\r\n", "-%s\r\n%s\r\n0\r\n\r\n", "+%s\r\n%s\r\n0\r\n\r\n", "0x%s\r\n%s\r\n0\r\n\r\n",
	"f%s\r\n%s\r\n0\r\n\r\n", "fffffffffffffffff%s\r\n%s\r\n0\r\n\r\n", "zz%s\r\n%s\r\n", " %s\r\n%s\r\n0\r\n\r\n", "%s \r\n%s\r\n0\r\n\r\n", "%s\r\n%sxx0\r\n\r\n", "%s\r\n%s\r\n0\r\n\r\ntrailing garbage", "%s\r\n%s\r\n0\r\nno colon\r\n\r\n", "%s;" + strings.Repeat("x", 70_000) + "\r\n%s\r\n0\r\n\r\n",
	"%.0s%.0s0\r\n\r\n", "%.0s%.0s" + strings.Repeat("1\r\n \r\n", 3000) + "0\r\n\r\n",
}
