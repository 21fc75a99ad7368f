package aiprovider

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// addresses are where the kinds that need none are asked.
var addresses = map[Kind]string{
	OpenAI:    "https://api.openai.com/v1",
	Anthropic: "https://api.anthropic.com/v1",
}

// Address returns where a provider of the kind is asked that names no address; "" for a kind that needs one.
func (k Kind) Address() string { return addresses[k] }

// SameModel reports whether both configurations ask the same model at the same address, whatever they are called. For Azure
// OpenAI the model is the deployment.
func (c Configuration) SameModel(o Configuration) bool {
	return c.Kind.Remote() && o.Kind.Remote() && strings.EqualFold(c.model(), o.model()) && c.address() == o.address()
}

// model returns the model without the tag that Ollama adds where there is none.
func (c Configuration) model() string { return strings.TrimSuffix(c.Model, ":latest") }

// azure are the domains of a resource of Azure OpenAI. Its name is the same in all of them.
var azure = []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"}

// address returns the address in one form. All names of this machine are one, and so are the addresses of an Azure resource, whose
// paths are forms of its interface.
func (c Configuration) address() string {
	text := c.BaseURL
	if text == "" {
		text = c.Kind.Address()
	}
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	for _, domain := range azure {
		if resource, ok := strings.CutSuffix(host, domain); ok {
			return resource + " at Azure"
		}
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() {
		host = "localhost"
	}
	return host + ":" + port + strings.TrimRight(u.EscapedPath(), "/")
}

// Aliases returns the ids and, with them, those of the saved providers that ask the same model as one of them.
func (s Providers) Aliases(ids []string) []string {
	all := slices.Clone(ids)
	for _, one := range s.All {
		for _, other := range s.All {
			if slices.Contains(ids, one.ProviderID) && one.SameModel(other.Configuration) && !slices.Contains(all, other.ProviderID) {
				all = append(all, other.ProviderID)
			}
		}
	}
	return all
}
