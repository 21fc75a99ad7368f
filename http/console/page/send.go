package page

import (
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// compressors are reused, because each has a large buffer.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// minCompressed is the size from which answers are compressed, in bytes.
const minCompressed = 1 << 10

// send sends an answer, compressed if the browser takes that. Pages can be compressed safely: none contains a secret, because
// requests of other origins are refused by their headers and not by a hidden value.
func send(w http.ResponseWriter, r *http.Request, status int, kind string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Vary", "Accept-Encoding")
	if len(content) < minCompressed || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(status)
		_, _ = w.Write(content)
		return
	}
	h.Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	z := compressors.Get().(*gzip.Writer)
	defer compressors.Put(z)
	z.Reset(w)
	_, _ = z.Write(content)
	_ = z.Close()
}
