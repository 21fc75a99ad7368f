package http

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/domain"
	"readiness/http/health"
	"readiness/http/validate"
)

const (
	// pixieFolder is the prefix of the paths of Pixies.
	pixieFolder = "/p/"
	pixiePath   = pixieFolder + "{id}.gif"
)

// pixel is a GIF image of one transparent pixel.
const pixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff" +
	"!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// Collector counts views of pages that carry a Pixie.
type Collector interface {
	// See counts a view of the Pixie with the id, if it exists. It must not block.
	See(id string)
}

// imagesFirst answers GET and HEAD of Pixies' images, and passes other calls to next. Images are more than all other calls together, and
// need nothing of what these need: no time limit, since they never wait, no trace and no line of the log.
func (s *Server) imagesFirst(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, is := imageOf(r.URL.Path); is && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			s.pixie(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// imageOf returns the id in a path that pixiePath matches.
func imageOf(path string) (id string, is bool) {
	id, is = strings.CutPrefix(path, pixieFolder)
	if is {
		id, is = strings.CutSuffix(id, ".gif")
	}
	return id, is && id != "" && !strings.Contains(id, "/")
}

// pixie handles GET /p/{id}.gif. The response is the same for every id. A HEAD does not count as a view.
func (s *Server) pixie(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	if id, _ := imageOf(r.URL.Path); s.collector != nil && r.Method == http.MethodGet {
		s.collector.See(id)
	}
	h := w.Header()
	s.setCommon(h, r, uuid.Must(uuid.NewV7()))
	h.Set("Content-Type", "image/gif")
	h.Set("Content-Length", strconv.Itoa(len(pixel)))
	_, _ = io.WriteString(w, pixel)
	s.metrics.images[r.Method].note(time.Since(began))
}

// ImagesOptions configures a server of Pixies' images alone.
type ImagesOptions struct {
	Collector Collector
	Registry  *prometheus.Registry
	// MetricsElsewhere leaves /metrics out, because health.Watching serves it.
	MetricsElsewhere bool
	Log              *slog.Logger
}

// NewImages returns a Server of Pixies' images, as New serves them, and of health and metrics. It has no other route. It is always ready,
// because it answers images also while views cannot be published.
func NewImages(o ImagesOptions) (*Server, error) {
	m, err := newMetrics(o.Registry)
	if err != nil {
		return nil, err
	}
	s := &Server{
		collector: o.Collector, checks: health.NewChecks(nil, health.DefaultLimit, o.Log), metrics: m, log: o.Log, now: time.Now,
		waitLimits: waitLimits{health.DefaultLimit, health.DefaultLimit}, matched: map[*mux.Route]matched{},
		router: mux.NewRouter().SkipClean(true),
	}
	if o.MetricsElsewhere {
		o.Registry = nil
	}
	s.routeImages(s.router, o.Registry)
	err = s.router.Walk(func(m *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, err := m.GetPathTemplate()
		s.matched[m] = matched{path: path}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	s.router.Use(s.match)
	s.router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, withStatus{domain.Refuse(domain.InvalidRequest, "there is no route %s; this process serves images of Pixies alone",
			validate.Truncated(r.URL.Path)), http.StatusNotFound})
	})
	s.router.MethodNotAllowedHandler = http.HandlerFunc(s.methodNotAllowed)
	s.handler = s.imagesFirst(traced(s.observe(headAsGet(s.router))))
	return s, nil
}
