package aiprovider

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/internal/lists"
)

// The bounds of a configuration's members. Texts are in characters.
const (
	maxText        = 256
	MaxConcurrency = 16
	MinTimeoutMs   = 1_000
	MaxTimeoutMs   = 280_000 // a proposal may take five minutes in all
	MaxRetries     = 5
	MinTokens      = 256
	MaxTokens      = 65_536
	MaxPrice       = 1_000_000 // of a million tokens
)

// wrong refuses a member as invalid.
func wrong(member, format string, args ...any) error {
	return domain.Refuse(domain.InvalidRequest, member+" "+format, args...).About("member", member)
}

// checked returns the configuration with its name trimmed and its purposes in order, or
// refuses the first invalid member.
func (c Configuration) checked() (Configuration, error) {
	c.Name = strings.TrimSpace(c.Name)
	if c.Name == "" {
		return c, wrong("name", "must not be blank")
	}
	if c.Kind == Rules {
		return c, wrong("kind", "cannot be rules: the embedded provider is always there")
	}
	if !c.Kind.Remote() && c.Kind != DataAgent {
		return c, wrong("kind", "must be one of openai, anthropic, openai_compatible, azure_openai, data_agent")
	}
	for _, t := range []struct{ member, text string }{{"name", c.Name}, {"baseUrl", c.BaseURL}, {"model", c.Model},
		{"apiVersion", c.APIVersion}} {
		if !plain(t.text) {
			return c, wrong(t.member, "must be one line of at most %d characters, without blanks at either end", maxText)
		}
	}
	if err := c.members(); err != nil {
		return c, err
	}
	if err := c.Limits.check(); err != nil {
		return c, err
	}
	if err := c.Prices.check(c.Kind); err != nil {
		return c, err
	}
	for _, p := range c.Purposes {
		if !c.Kind.serves(p) {
			return c, wrong("purposes", "cannot hold %q for kind %s, which serves %s", short(string(p)), c.Kind, list(c.Kind.Purposes()))
		}
	}
	all := c.Purposes
	c.Purposes = []Purpose{}
	for _, p := range c.Kind.Purposes() {
		if slices.Contains(all, p) {
			c.Purposes = append(c.Purposes, p)
		}
	}
	return c, nil
}

// members checks the members that only some kinds have.
func (c Configuration) members() error {
	switch {
	case c.BaseURL != "" && !address(c.BaseURL):
		return wrong("baseUrl", "must be an absolute http or https address without credentials, query and fragment")
	case c.BaseURL == "" && c.Kind.NeedsAddress():
		return wrong("baseUrl", "must be given for kind %s", c.Kind)
	case c.BaseURL != "" && c.Kind == DataAgent:
		return wrong("baseUrl", "is only for language models, which kind %s is not: leave it out, or set it to null", c.Kind)
	case c.Model == "" && c.Kind.Remote():
		return wrong("model", "must be given for kind %s", c.Kind)
	case c.Model != "" && c.Kind == DataAgent:
		return wrong("model", "is only for language models, which kind %s is not: leave it out, or set it to null", c.Kind)
	case c.Entra != nil && c.Kind != AzureOpenAI:
		return wrong("entra", "is only for kind %s: leave it out, or set it to null", AzureOpenAI)
	case c.APIVersion != "" && c.Kind != AzureOpenAI:
		return wrong("apiVersion", "is only for kind %s: leave it out, or set it to null", AzureOpenAI)
	}
	if c.Entra != nil {
		if member, problem := c.Entra.Problem(false); problem != "" {
			return wrong("entra."+member, "%s", problem)
		}
	}
	for _, i := range []struct {
		member string
		id     uuid.UUID
	}{{"workspaceId", c.WorkspaceID}, {"dataAgentId", c.DataAgentID}} {
		switch {
		case i.id == uuid.Nil && c.Kind == DataAgent:
			return wrong(i.member, "must be given for kind %s", c.Kind)
		case i.id != uuid.Nil && c.Kind != DataAgent:
			return wrong(i.member, "is only for kind %s: leave it out, or set it to null", DataAgent)
		}
	}
	return nil
}

func (l Limits) check() error {
	for _, b := range []struct {
		member          string
		value, lo, most int
	}{
		{"limits.maxConcurrency", l.MaxConcurrency, 1, MaxConcurrency},
		{"limits.timeoutMs", l.TimeoutMs, MinTimeoutMs, MaxTimeoutMs},
		{"limits.maxRetries", l.MaxRetries, 0, MaxRetries},
		{"limits.maxOutputTokens", l.MaxOutputTokens, MinTokens, MaxTokens},
	} {
		if b.value < b.lo || b.value > b.most {
			return wrong(b.member, "must be %d to %d", b.lo, b.most)
		}
	}
	return nil
}

func (p *Prices) check(k Kind) error {
	if p == nil {
		return nil
	}
	if !k.Remote() {
		return wrong("prices", "are only for language models, which kind %s is not: leave them out, or set them to null", k)
	}
	for _, b := range []struct {
		member string
		value  float64
	}{{"prices.input", p.Input}, {"prices.output", p.Output}} {
		if !(0 <= b.value && b.value <= MaxPrice) { // also refuses NaN
			return wrong(b.member, "must be 0 to %d", MaxPrice)
		}
	}
	return nil
}

// plain reports whether s is one line of at most maxText characters without blanks
// around it.
func plain(s string) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxText && !strings.ContainsFunc(s, unicode.IsControl) &&
		s == strings.TrimSpace(s)
}

func address(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && u.RawQuery == "" &&
		!u.ForceQuery && u.Fragment == ""
}

// MayCarryKey reports whether a key may be sent to the address: over https, or to this
// machine. An empty address stands for the vendor's own, which is https.
func MayCarryKey(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme == "https" || baseURL == "" {
		return err == nil
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// keyInClear refuses an address to which a key would travel unencrypted.
func keyInClear() error {
	return wrong("baseUrl", "must be an https address for a provider with a key, unless it is this machine (localhost): others on the "+
		"network could read a key sent over http")
}

func list(purposes []Purpose) string {
	names := lists.Map(purposes, func(p Purpose) string { return string(p) })
	return strings.Join(names, ", ")
}
