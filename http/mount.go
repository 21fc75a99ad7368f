package http

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/http/token"
	"readiness/http/validate"
)

// Bounds of the calls of mounted paths in progress: of all people, and of one.
const (
	maxMounted         = 64
	maxMountedOfPerson = 8
)

// Mount serves the calls of a path by a handler that makes calls of the interface on the caller's behalf. Those are admitted and counted
// like all others. Mount admits a call only with a valid token of a person, and bounds how many are in progress. It
// refuses pages of other origins and host names that are not the service's, so that a web page cannot call a service on the reader's
// machine by DNS rebinding. Where an issuer has a sign-in, refusals say where the path is described.
// Call Mount before Serve.
func (s *Server) Mount(path string, h http.Handler) {
	var busy inProgress
	description := s.describeMounted(path)
	m := s.router.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		callOf(r.Context()).metadata = description
		if err := s.sameOrigin(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		_, id, err := s.identify(r)
		if err == nil {
			err = principal{Identity: id}.permitted(token.ScopeRead)
		}
		if err == nil {
			err = busy.begin(id.Person)
		}
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		defer busy.end(id.Person)
		h.ServeHTTP(w, r)
	})
	s.matched[m] = matched{path: path}
}

// Pages serves the paths, and addresses that have no route, to browsers by handler h. The handler knows who is signed in, and
// makes calls of the interface on their behalf. Call Pages before Serve.
func (s *Server) Pages(h http.Handler, paths ...string) {
	for _, path := range paths {
		s.matched[s.router.Handle(path, h)] = matched{path: path}
	}
	s.pages = h
}

// forBrowser reports whether a page answers a request for an address that has no route.
func (s *Server) forBrowser(r *http.Request) bool {
	return s.pages != nil && !strings.HasPrefix(r.URL.Path, "/v1/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// sameOrigin refuses a call with an Origin that is not the service's own, or with a Host that is neither the service's nor
// a loopback address.
func (s *Server) sameOrigin(r *http.Request) error {
	base, err := url.Parse(s.base)
	if err != nil {
		return err
	}
	origins := r.Header.Values("Origin")
	switch own := base.Scheme + "://" + base.Host; {
	case len(origins) > 0 && !slices.Equal(origins, []string{own}):
		return withStatus{domain.Refuse(domain.InvalidRequest, "a page of another origin made the call; only pages of %s may", own),
			http.StatusForbidden}
	case !strings.EqualFold(r.Host, base.Host) && !loopback(r.Host):
		return withStatus{domain.Refuse(domain.InvalidRequest, "the host %q is not the service's; call %s", validate.Truncated(r.Host),
			own),
			http.StatusForbidden}
	}
	return nil
}

// loopback reports whether a host, with or without port, is a name or an address of this machine's loopback.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// inProgress counts calls in progress.
type inProgress struct {
	mu  sync.Mutex
	all int
	of  map[item.Person]int
}

// begin counts a call, or refuses it.
func (b *inProgress) begin(p item.Person) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all >= maxMounted || b.of[p] >= maxMountedOfPerson {
		return domain.Refuse(domain.RequestBlocked, "%d calls of this kind are in progress, %d of them yours; at most %d and %d may be",
			b.all, b.of[p], maxMounted, maxMountedOfPerson).After(time.Second)
	}
	if b.of == nil {
		b.of = map[item.Person]int{}
	}
	b.all++
	b.of[p]++
	return nil
}

func (b *inProgress) end(p item.Person) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all--
	if b.of[p]--; b.of[p] == 0 {
		delete(b.of, p)
	}
}
