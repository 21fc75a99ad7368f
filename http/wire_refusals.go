package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/http/api"
)

// ownRefusals is a listener whose connections replace the refusals that net/http writes by itself, for calls that
// never become a request, with ErrorResponses. These are headers that are too large (431), an unknown transfer
// encoding (501), a malformed request line or header (400), another HTTP version (505) and an unsupported expectation
// (417).
type ownRefusals struct{ net.Listener }

// Accept implements net.Listener.
func (l ownRefusals) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		return refusingTCP{tcp}, nil
	}
	return c, nil
}

// refusingTCP is a connection of ownRefusals. It embeds *net.TCPConn because net/http half-closes the connection
// after a refusal.
type refusingTCP struct{ *net.TCPConn }

// Write implements net.Conn. net/http writes its own refusals in one piece, bypassing the buffer of handlers'
// responses. Responses of handlers have a Date and never begin with exactly these headers.
func (c refusingTCP) Write(p []byte) (int, error) {
	own := ownRefusal(p)
	if own == nil {
		return c.TCPConn.Write(p)
	}
	if _, err := c.TCPConn.Write(own); err != nil {
		return 0, err
	}
	return len(p), nil
}

var (
	plainRefusal = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	unexpected   = []byte("HTTP/1.1 417 Expectation Failed\r\n")
)

// wireMessages are the messages for calls that net/http refuses by itself, by status.
var wireMessages = map[int]string{
	http.StatusRequestHeaderFieldsTooLarge: fmt.Sprintf("the headers of the call are larger than %d bytes; send fewer or shorter ones",
		maxHeaders),
	http.StatusNotImplemented: "the Transfer-Encoding of the call is not supported; send the body with a " +
		"Content-Length, or chunked",
	http.StatusHTTPVersionNotSupported: "the version of HTTP of the call is not supported; use HTTP/1.1",
	http.StatusExpectationFailed:       "the Expect header of the call is not supported; send it without, or as 100-continue",
}

// ownRefusal returns the response that replaces p; nil if p is not a refusal that net/http wrote by itself.
func ownRefusal(p []byte) []byte {
	line, _, found := bytes.Cut(p, []byte("\r\n"))
	if !found || !bytes.HasPrefix(p, unexpected) && !bytes.HasPrefix(p[len(line):], plainRefusal) {
		return nil
	}
	status, reason, _ := strings.Cut(strings.TrimPrefix(string(line), "HTTP/1.1 "), " ")
	code, err := strconv.Atoi(status)
	if err != nil || code < 400 {
		return nil
	}
	message, known := wireMessages[code]
	if !known {
		message = "the call is not well-formed HTTP"
		if _, why, more := strings.Cut(reason, ": "); more {
			message += ": " + why
		}
	}
	id, retriable := uuid.Must(uuid.NewV7()), false
	body, err := json.Marshal(api.ErrorResponse{ErrorCode: string(domain.InvalidRequest), Message: message, IsRetriable: &retriable,
		RequestID: id})
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: "+
		"close\r\nCache-Control: no-store\r\n"+
		"X-Content-Type-Options: nosniff\r\nX-Ms-Error-Code: %s\r\nX-Ms-Request-Id: %s\r\n\r\n%s\n", code, http.StatusText(code),
		len(body)+1, domain.InvalidRequest, id, body)
}
