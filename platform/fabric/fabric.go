// Package fabric implements the analytics platform as Microsoft Fabric and Power BI, over REST, as the signed-in person.
//
// A bearer goes to the configured hosts and to no other, whatever an answer's Location or continuationUri says;
// redirects are not followed. Every call has a timeout, every answer a limit that holds while it is read, and every
// loop over pages an end. Errors are *domain.Refusal, mapped by the platform's errorCode rather than by the status.
// What a person may not see is reported as not found.
//
// Reading a definition needs write permission on the item: the platform has no permission to only read one.
package fabric

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"

	"readiness/domain/item"
	"readiness/internal/pace"
	"readiness/platform/fabric/iq"
	"readiness/platform/fabric/mcpclient"
)

// The addresses of the public cloud.
const (
	DefaultURL        = "https://api.fabric.microsoft.com"
	DefaultPowerBIURL = "https://api.powerbi.com"
)

// PermissionCapacity is the optional permission to read the states of capacities. A person who has not granted it sees
// the state Unknown.
const PermissionCapacity item.Permission = "capacity"

// Platform is Fabric and Power BI. It is safe for concurrent use.
type Platform struct {
	fabric, powerBI *url.URL
	client          *http.Client
	slow            *http.Client // for answers that take long to begin
	tokens          func(context.Context, item.Caller, item.Permission) (string, error)
	challenged      func(context.Context, item.Caller, item.Permission, string) (string, error)
	valid           func(item.Caller) error
	lasting         func(context.Context, item.Caller, time.Duration) (string, time.Time, error)
	limits          Limits
	reads           Reads
	exports         Exports
	wait            func(context.Context, time.Duration) error
	now             func() time.Time
	log             *slog.Logger
	showsCopilot    bool
	writing         func(context.Context, item.Caller) error
	probed          func(item.Person) Answers
	iq              *iq.Client
	mcp             *mcpclient.Client
	labels          labels
	asJSON          *expirable.LRU[personIn, struct{}] // who is answered queries in JSON alone, and where
	bounds          bounds
}

// bounds limit what is read. A definition beyond them is refused with ItemNotReadable, another answer with
// PlatformUnavailable. Sizes are in bytes.
type bounds struct {
	parts           int           // of a definition
	partBytes       int           // of one part
	definitionBytes int           // of all parts of a definition
	answerBytes     int           // of any other answer
	pages           int           // of a list
	listed          int           // elements of a list
	listBytes       int           // of all pages of a list
	agentLasts      time.Duration // how long a data agent may take; 0 for the usual time
}

// Options configures New. Tokens is required.
type Options struct {
	// URL and PowerBIURL are the addresses of the two hosts, without a path; by default those of the public cloud. IQURL is
	// that of Fabric IQ; without it, Fabric IQ is not asked.
	URL, PowerBIURL, IQURL string
	// Tokens exchanges the token that the caller sent to the service for one that acts as them with a permission. Its
	// errors reach the caller.
	Tokens func(ctx context.Context, as item.Caller, p item.Permission) (string, error)
	// Valid returns a refusal once the caller's token has ended, whatever token it was exchanged for. It is asked right before a
	// call is sent, because a call may have waited since Tokens gave its token. nil refuses none.
	Valid func(as item.Caller) error
	// Challenged exchanges it again after the platform refused a token with claims, which are JSON in base64url; nil refuses
	// the call.
	Challenged func(ctx context.Context, as item.Caller, p item.Permission, claims string) (string, error)
	// Lasting returns a token that outlasts the caller's, for work or a schedule; nil for the caller's own.
	Lasting func(ctx context.Context, as item.Caller, life time.Duration) (token string, expires time.Time, err error)
	// Limits limits the calls of all processes; nil admits every call.
	Limits Limits
	// Reads remembers the reads that the platform has not finished; nil remembers none.
	Reads Reads
	// Exports keeps bulk exports; nil for single reads only.
	Exports Exports
	// ShowsCopilot says that a definition has all parts below Copilot/. Otherwise what their absence means is not known.
	ShowsCopilot bool
	// Writing returns a refusal unless the caller's definitions may be written; nil if none may.
	Writing func(ctx context.Context, as item.Caller) error
	// Probed returns what is known about the person's tenant; nil if no tenant was probed.
	Probed func(item.Person) Answers
	// Transport carries the calls; nil for one of this package's own.
	Transport http.RoundTripper
	// Wait returns nil after the time, or ctx.Err() when ctx ends first; nil for a timer.
	Wait func(ctx context.Context, d time.Duration) error
	Now  func() time.Time // by default time.Now
	Log  *slog.Logger     // by default none
}

// New returns the platform. It calls nothing.
func New(o Options) (*Platform, error) {
	p := &Platform{
		tokens: o.Tokens, challenged: o.Challenged, valid: o.Valid, lasting: o.Lasting, limits: o.Limits, reads: o.Reads,
		mcp:     mcpclient.New(),
		exports: o.Exports, wait: o.Wait, now: o.Now, log: o.Log, showsCopilot: o.ShowsCopilot, writing: o.Writing, probed: o.Probed,
		bounds: bounds{parts: 20_000, partBytes: 64 << 20, definitionBytes: 256 << 20, answerBytes: 16 << 20, pages: 1000, listed: 200_000,
			listBytes: 128 << 20},
	}
	p.labels = labels{}.made()
	p.asJSON = expirable.NewLRU[personIn, struct{}](10_000, nil, time.Hour)
	var err error
	if p.fabric, err = hostOf(o.URL, DefaultURL, "/v1"); err != nil {
		return nil, err
	}
	if p.powerBI, err = hostOf(o.PowerBIURL, DefaultPowerBIURL, "/v1.0/myorg"); err != nil {
		return nil, err
	}
	if o.IQURL != "" {
		if _, err = hostOf(o.IQURL, iq.DefaultURL, ""); err != nil {
			return nil, err
		}
	}
	if o.Transport == nil {
		o.Transport = NewTransport(nil)
	}
	p.client = &http.Client{
		Transport:     o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	slow := *p.client
	if t, is := o.Transport.(*http.Transport); is {
		patient := t.Clone()
		patient.ResponseHeaderTimeout = 0 // each call has its own
		slow.Transport = patient
	}
	p.slow = &slow
	if o.IQURL != "" {
		p.iq = &iq.Client{URL: o.IQURL, Transport: o.Transport, Tokens: o.Tokens, MCP: p.mcp}
	}
	if p.valid == nil {
		p.valid = func(item.Caller) error { return nil }
	}
	if p.limits == nil {
		p.limits = unlimited{}
	}
	if p.reads == nil {
		p.reads = forgotten{}
	}
	if p.wait == nil {
		p.wait = pace.Wait
	}
	if p.now == nil {
		p.now = time.Now
	}
	p.log = cmp.Or(p.log, slog.New(slog.DiscardHandler))
	return p, nil
}

// NewTransport returns a transport that trusts the certificate authorities; nil for those of the system.
func NewTransport(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: callTimeout, IdleConnTimeout: 90 * time.Second,
		MaxIdleConnsPerHost: 32, MaxConnsPerHost: 64, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10,
	}
}

// Check implements the readiness check of a platform: each call asks this platform itself, so an outage does not make the service
// unready.
func (p *Platform) Check(context.Context) error { return nil }

// hostOf returns the address with the path at which its interface begins.
func hostOf(address, fallback, path string) (*url.URL, error) {
	address = cmp.Or(address, fallback)
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("%q must be an https address without a path, such as %s", address, fallback)
	}
	u.Path = path
	return u, nil
}
