package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxMessage bounds a message in bytes. A larger one is passed over.
const maxMessage = 32 << 20

// message is a request, a notification or an answer of JSON-RPC 2.0.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure is why a request is refused.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

// The codes of the protocol.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	internalError  = -32603
	notInitialized = -32002
	requestFailed  = -32803
)

func refuse(code int, format string, args ...any) *failure {
	return &failure{code, fmt.Sprintf(format, args...)}
}

// errTooLarge is a message that was passed over.
var errTooLarge = errors.New("the message is too large")

// readMessage reads a message behind its headers. After errTooLarge and a *failure the next one can be read.
func readMessage(r *bufio.Reader) (m message, err error) {
	length := -1
	for {
		header, err := r.ReadSlice('\n')
		if err != nil {
			return m, err
		}
		header = bytes.TrimSpace(header)
		if len(header) == 0 {
			break
		}
		name, value, _ := strings.Cut(string(header), ":")
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 {
				return m, fmt.Errorf("the header %q has no length", header)
			}
		}
	}
	switch {
	case length < 0:
		return m, errors.New("a message has no header Content-Length")
	case length > maxMessage:
		if _, err := io.CopyN(io.Discard, r, int64(length)); err != nil {
			return m, err
		}
		return m, errTooLarge
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return m, err
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return message{}, refuse(parseError, "the message is not JSON-RPC: %s", err)
	}
	return m, nil
}

// writeMessage writes a message behind its header.
func writeMessage(w io.Writer, m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}
