// Package openai asks a language model for texts about a semantic model, over the chat completions
// interface that OpenAI, Azure OpenAI, Anthropic and local servers offer. It checks every answer,
// whatever the model promises: a proposed text keeps the limits, names only existing fields and is not
// the text of another object. An object without a usable text is skipped with a reason; only a
// provider that does not answer at all is an error. The package never sends rows of data, never logs
// or reveals a key, a prompt or an answer, and never follows a redirect.
package openai

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/internal/pace"
	"readiness/internal/publicnet"
)

// Settings select the language model that answers.
type Settings struct {
	// Name is the provider's display name; errors start with it.
	Name string
	// BaseURL is the address to which chat/completions is added; for Azure it is the endpoint,
	// https://name.openai.azure.com.
	BaseURL string
	// Model is the name of the language model; for Azure, of the deployment.
	Model string
	// Key may be empty for a local server.
	Key string
	// Azure marks Azure OpenAI. APIVersion is its api-version; "" selects the interface without
	// versions.
	Azure      bool
	APIVersion string
	// Entra replaces the key of Azure OpenAI by a token; zero without. Key is then its secret.
	Entra aiprovider.Entra
	// Anthropic marks the Messages interface of Anthropic.
	Anthropic bool
	// WithoutDAX prevents sending the DAX of measures and columns.
	WithoutDAX bool
	// WithRows allows sending rows of data to a judge.
	WithRows bool
	// Limits bound requests; zero Limits are the default ones.
	Limits aiprovider.Limits
	// NotEnforced says that a test call found the JSON Schema not enforced: requests then start with
	// another mode.
	NotEnforced bool
	// PrivateAddresses allows an address in the service's own network; otherwise only public addresses
	// are called.
	PrivateAddresses bool
}

// Options configure a Client. The zero value is ready to use.
type Options struct {
	// Client makes the calls to providers with PrivateAddresses, with redirects and cookies disabled.
	// Calls to others use Public.
	Client *http.Client
	Log    *slog.Logger
	// Wait pauses between attempts. It returns early with the context's error.
	Wait func(context.Context, time.Duration) error
	Now  func() time.Time // time.Now when nil
	// Observe, if not nil, is called after each request with how it ended and how long it took.
	Observe func(Outcome, time.Duration)
	// Tokens opens credentials of Microsoft Entra; without it, Settings with Entra are refused.
	Tokens Tokens
}

// Tokens opens the credential of the settings, for calls by a client. The function that it returns gives a token of Azure OpenAI, from a
// cache until it expires.
type Tokens func(s Settings, calls *http.Client) (func(context.Context) (string, error), error)

// Client asks one language model. It caches answers and the server's capabilities for its lifetime.
type Client struct {
	name, model          string
	withoutDAX, withRows bool
	limits               aiprovider.Limits
	calls                http.Client
	address              string
	anthropic            bool // the Messages interface
	authorize            func(*http.Request) error
	options              Options
	slots                chan struct{}
	answers              cache
	circuit              circuit

	mu    sync.Mutex
	knows capabilities
}

// placeholder is sent when there is no key: some servers require any.
const placeholder = "none"

// New returns a client of the language model. It sends no request yet.
func New(s Settings, o Options) (*Client, error) {
	base, err := url.Parse(s.BaseURL)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" {
		return nil, domain.Refuse(domain.OptimizationFailed,
			"The AI provider %s has no usable address: baseUrl must be an absolute http or https address.", s.Name)
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if s.Limits == (aiprovider.Limits{}) {
		s.Limits = aiprovider.DefaultLimits()
	}
	if o.Wait == nil {
		o.Wait = pace.Wait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	calls := http.Client{}
	switch {
	case !s.PrivateAddresses:
		calls = http.Client{Transport: publicnet.Transport()}
	case o.Client != nil:
		calls = *o.Client
	}
	calls.CheckRedirect, calls.Jar = noRedirect, nil

	c := &Client{calls: calls, name: s.Name, model: s.Model, withoutDAX: s.WithoutDAX, withRows: s.WithRows, limits: s.Limits, options: o,
		slots: make(chan struct{}, s.Limits.MaxConcurrency)}
	if s.NotEnforced || s.Anthropic {
		c.knows.mode = toolCall
	}
	key, path := cmp.Or(s.Key, placeholder), "chat/completions"
	c.authorize = func(r *http.Request) error { r.Header.Set("Authorization", "Bearer "+key); return nil }
	switch {
	case s.Azure:
		if s.APIVersion == "" {
			base = base.JoinPath("openai", "v1")
		} else {
			base = base.JoinPath("openai", "deployments", url.PathEscape(s.Model))
			base.RawQuery = url.Values{"api-version": {s.APIVersion}}.Encode()
		}
		c.authorize = func(r *http.Request) error { r.Header.Set("Api-Key", key); return nil }
		if s.Entra != (aiprovider.Entra{}) {
			if c.authorize, err = tokens(s, o.Tokens, &c.calls); err != nil {
				return nil, err
			}
		}
	case s.Anthropic:
		c.anthropic, path = true, "messages"
		c.authorize = func(r *http.Request) error {
			r.Header.Set("X-Api-Key", key)
			r.Header.Set("Anthropic-Version", anthropicVersion)
			return nil
		}
	}
	c.address = base.JoinPath(path).String()
	return c, nil
}

// tokens returns what authorizes requests by tokens of Microsoft Entra.
func tokens(s Settings, from Tokens, calls *http.Client) (func(*http.Request) error, error) {
	if from == nil {
		return nil, domain.Refuse(domain.OptimizationFailed, "The AI provider %s signs in at Microsoft Entra, which only the service does.", s.Name)
	}
	token, err := from(s, calls)
	if err != nil {
		return nil, domain.Refuse(domain.OptimizationFailed, "The AI provider %s has no usable credential of Microsoft Entra.", s.Name)
	}
	return func(r *http.Request) error {
		t, err := token(r.Context())
		if r.Context().Err() != nil {
			return network(r.Context().Err())
		}
		if err != nil {
			return &failure{class: unreachable, status: http.StatusUnauthorized, what: "Microsoft Entra gives no token for it"}
		}
		r.Header.Set("Authorization", "Bearer "+t)
		return nil
	}, nil
}

// refuse returns the refusal for a job whose provider does not answer.
func (c *Client) refuse(f *failure) error {
	return domain.Refuse(domain.OptimizationFailed, "The AI provider %s did not answer: %s.", c.name, f.what).After(f.after)
}
