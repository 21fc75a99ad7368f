package consoletest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"testing"

	"readiness/test/testworld"
)

func decompressed(t testing.TB, res *http.Response, sent []byte) string {
	t.Helper()
	if res.Header.Get("Content-Encoding") != "gzip" {
		return string(sent)
	}
	z, err := gzip.NewReader(bytes.NewReader(sent))
	testworld.Check(t, err)
	text, err := io.ReadAll(z)
	testworld.Check(t, err)
	return string(text)
}
