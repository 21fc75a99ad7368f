// Package openai has a language model propose texts for a semantic model, over
// the chat completions interface that OpenAI, Azure OpenAI, Anthropic and local
// servers offer (regime F.3). The model's answers are checked here, whatever it
// promised: a text that is proposed keeps the limits, names only fields that
// exist and is no other object's. What cannot be had is skipped with a reason;
// only a provider that does not answer at all is an error. It never sends rows of
// data, never logs or tells a key, a prompt or an answer, and never follows a
// redirect.
package openai

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"readiness/domain"
	"readiness/domain/aiprovider"
)

// Settings say which language model answers.
type Settings struct {
	// Name is what people call the provider; errors begin with it.
	Name string
	// BaseURL is the address that chat/completions is added to; of Azure it is the
	// endpoint, https://name.openai.azure.com.
	BaseURL string
	// Model is the language model's name, of Azure the deployment's.
	Model string
	// Key may be empty for a local server.
	Key string
	// Azure marks Azure OpenAI. APIVersion is its api-version; "" is the interface
	// without versions.
	Azure      bool
	APIVersion string
	// WithoutDAX keeps the DAX of measures and columns from being sent.
	WithoutDAX bool
	// Limits are the default ones where they are zero.
	Limits aiprovider.Limits
	// NotEnforced says that a test call saw a JSON Schema not kept to: another form
	// is asked for from the start.
	NotEnforced bool
	// Anywhere lets the address be in the service's own network; else it is called
	// only where everybody could call it.
	Anywhere bool
}

// Options are what a Client works with. The zero value is of use.
type Options struct {
	// Client makes the calls of providers that may be anywhere; its redirects and
	// cookies are turned off. Others are called past it (Public).
	Client *http.Client
	Log    *slog.Logger
	// Wait pauses between attempts and ends early with the context's error.
	Wait func(context.Context, time.Duration) error
	// Timeout bounds one attempt of a provider whose Limits do not say; by default it
	// is that of aiprovider.DefaultLimits.
	Timeout time.Duration
	Now     func() time.Time // time.Now when nil
}

// Client asks one language model. What it learns of the server's capabilities
// and the answers it may give again live as long as it does.
type Client struct {
	name, model string
	withoutDAX  bool
	limits      aiprovider.Limits
	chat        openai.ChatCompletionService
	options     Options
	slots       chan struct{}
	answers     cache
	circuit     circuit

	mu    sync.Mutex
	knows capabilities
}

// placeholder stands for a key where there is none: some servers want any.
const placeholder = "none"

// New returns a client of the language model. It asks nothing yet. The process's
// OPENAI_ environment variables mean nothing to it.
func New(s Settings, o Options) (*Client, error) {
	base, err := url.Parse(s.BaseURL)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" {
		return nil, domain.Refuse(domain.OptimizationFailed, "The AI provider %s has no usable address: baseUrl must be an absolute http or https address.", s.Name)
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if s.Limits == (aiprovider.Limits{}) {
		s.Limits = aiprovider.DefaultLimits()
		s.Limits.TimeoutMs = cmp.Or(int(o.Timeout.Milliseconds()), s.Limits.TimeoutMs)
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	calls := http.Client{}
	switch {
	case !s.Anywhere:
		calls = *Public()
	case o.Client != nil:
		calls = *o.Client
	}
	calls.CheckRedirect, calls.Jar = noRedirect, nil

	c := &Client{name: s.Name, model: s.Model, withoutDAX: s.WithoutDAX, limits: s.Limits, options: o, slots: make(chan struct{}, s.Limits.MaxConcurrency)}
	if s.NotEnforced {
		c.knows.mode = toolCall
	}
	key := cmp.Or(s.Key, placeholder)
	options := []option.RequestOption{option.WithHTTPClient(&calls), option.WithMaxRetries(0), option.WithMiddleware(bounded)}
	if s.Azure {
		base, options = azure(base, s, key, options)
	} else {
		options = append(options, option.WithAPIKey(key))
	}
	c.chat = openai.NewChatCompletionService(append(options, option.WithBaseURL(strings.TrimRight(base.String(), "/")+"/"))...)
	return c, nil
}

// azure addresses a deployment of Azure OpenAI.
func azure(endpoint *url.URL, s Settings, key string, options []option.RequestOption) (*url.URL, []option.RequestOption) {
	options = append(options, option.WithHeader("Api-Key", key))
	if s.APIVersion == "" {
		return endpoint.JoinPath("openai", "v1"), options
	}
	return endpoint.JoinPath("openai", "deployments", url.PathEscape(s.Model)), append(options, option.WithQuery("api-version", s.APIVersion))
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// refuse is what the whole job ends with when the provider does not answer.
func (c *Client) refuse(f *failure) error {
	return domain.Refuse(domain.OptimizationFailed, "The AI provider %s did not answer: %s.", c.name, f.what).After(f.after)
}
