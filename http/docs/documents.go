package docs

import (
	"cmp"
	"net/http"
	"path"
	"strings"
	"sync"

	"readiness"
	"readiness/http/docs/site"
)

// documentPolicy allows the search field to call the service, and no inline styles.
const documentPolicy = policy + "style-src 'self'; img-src 'self'; form-action 'self'"

// contentTypes are those of the site's files. The lists of the system differ between machines.
var contentTypes = map[string]string{
	".json": "application/schema+json", ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".gif": "image/gif", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".png": "image/png", ".svg": "image/svg+xml", ".webp": "image/webp",
}

// loadSite renders the documents at the first request for one of them. All servers of the process share the result.
var loadSite = sync.OnceValues(func() (*site.Site, error) {
	return site.Build(readiness.Documents, site.Options{Interface: Path})
})

// serveDocument returns a file of the site, which begins at /docs/.
func (p Pages) serveDocument(w http.ResponseWriter, r *http.Request) {
	site, err := loadSite()
	if err != nil {
		p.Fail(w, r, err)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, Path+"/")
	name = cmp.Or(name, "index.html")
	text, ok := site.Files[name]
	if page := name + ".html"; !ok && path.Ext(name) == "" {
		name = page
		text, ok = site.Files[name]
	}
	if !ok {
		p.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", documentPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Type", contentTypes[path.Ext(name)])
	_, _ = w.Write(text)
}
