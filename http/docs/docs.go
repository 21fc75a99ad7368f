// Package docs serves two kinds of pages without a token: the description of the interface at /docs and /docs/api, and the
// documents of this version at /docs/.
package docs

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gorilla/mux"
)

// Path is where the description of the interface is.
const Path = "/docs"

// policy allows a page to load only what this service serves.
const policy = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'; "

// viewerPolicy allows the viewer inline styles and embedded images, which it uses.
const viewerPolicy = policy + "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
	"connect-src 'self'; form-action 'none'"

var (
	//go:embed index.html
	page []byte
	//go:embed rapidoc-min.js.gz
	viewer []byte // gzip
	//go:embed rapidoc.LICENSE.txt
	license []byte
)

// Pages are the handlers of the pages.
type Pages struct {
	NotFound http.HandlerFunc
	Fail     func(http.ResponseWriter, *http.Request, error)
}

// Route adds the routes of the pages.
func (p Pages) Route(r *mux.Router) {
	r.HandleFunc(Path, serveDescription).Methods(http.MethodGet)
	r.HandleFunc(Path+"/api", serveDescription).Methods(http.MethodGet)
	r.HandleFunc(Path+"/rapidoc-min.js", p.serveViewer).Methods(http.MethodGet)
	r.HandleFunc(Path+"/rapidoc.LICENSE.txt", serveLicense).Methods(http.MethodGet)
	r.PathPrefix(Path + "/").HandlerFunc(p.serveDocument).Methods(http.MethodGet)
}

func serveDescription(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Security-Policy", viewerPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page)
}

func serveLicense(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(license)
}

func (p Pages) serveViewer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(viewer)
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(viewer))
	if err != nil {
		p.Fail(w, r, fmt.Errorf("http: the packaged viewer: %w", err))
		return
	}
	_, _ = io.Copy(w, z)
}
