package aiprovider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/aiprovider"
)

func TestSameModel(t *testing.T) {
	t.Parallel()
	at := func(kind aiprovider.Kind, url, model string) aiprovider.Configuration {
		return aiprovider.Configuration{Kind: kind, BaseURL: url, Model: model}
	}
	const compatible, azure = aiprovider.OpenAICompatible, aiprovider.AzureOpenAI
	for name, row := range map[string]struct {
		a, b aiprovider.Configuration
		same bool
	}{
		"equal":                          {at(compatible, "https://ai.example/v1", "m"), at(compatible, "https://ai.example/v1", "m"), true},
		"another model":                  {at(compatible, "https://ai.example/v1", "m"), at(compatible, "https://ai.example/v1", "n"), false},
		"another host":                   {at(compatible, "https://ai.example/v1", "m"), at(compatible, "https://bi.example/v1", "m"), false},
		"another port":                   {at(compatible, "http://ai.example:1/v1", "m"), at(compatible, "http://ai.example:2/v1", "m"), false},
		"another path":                   {at(compatible, "https://ai.example/a", "m"), at(compatible, "https://ai.example/b", "m"), false},
		"letters, port and slash":        {at(compatible, "https://AI.example./v1/", "M"), at(compatible, "https://ai.example:443/v1", "m"), true},
		"the address of the kind":        {at(aiprovider.OpenAI, "", "gpt"), at(compatible, "https://api.openai.com/v1", "gpt"), true},
		"kinds of other addresses":       {at(aiprovider.OpenAI, "", "m"), at(aiprovider.Anthropic, "", "m"), false},
		"this machine":                   {at(compatible, "http://localhost:11434/v1", "m"), at(compatible, "http://127.0.0.1:11434/v1", "m"), true},
		"this machine, by IPv6":          {at(compatible, "http://[::1]:11434/v1", "m"), at(compatible, "http://[::ffff:127.0.0.2]:11434/v1", "m"), true},
		"another machine":                {at(compatible, "http://localhost:11434/v1", "m"), at(compatible, "http://10.0.0.1:11434/v1", "m"), false},
		"the tag that is meant":          {at(compatible, "http://localhost:11434/v1", "qwen3"), at(compatible, "http://localhost:11434/v1", "qwen3:latest"), true},
		"another tag":                    {at(compatible, "http://localhost:11434/v1", "qwen3"), at(compatible, "http://localhost:11434/v1", "qwen3:4b"), false},
		"a deployment by its v1 address": {at(azure, "https://x.openai.azure.com", "d"), at(compatible, "https://X.openai.azure.com/openai/v1/", "d"), true},
		"a deployment by other domains":  {at(azure, "https://x.cognitiveservices.azure.com", "d"), at(compatible, "https://x.services.ai.azure.com/openai/v1", "d"), true},
		"two resources":                  {at(azure, "https://x.openai.azure.com", "d"), at(azure, "https://y.openai.azure.com", "d"), false},
		"one deployment":                 {at(azure, "https://x.openai.azure.com", "d"), at(azure, "https://x.openai.azure.com/", "d"), true},
		"two deployments":                {at(azure, "https://x.openai.azure.com", "d"), at(azure, "https://x.openai.azure.com", "e"), false},
		"data agents ask no one model":   {at(aiprovider.DataAgent, "", ""), at(aiprovider.DataAgent, "", ""), false},
		"rules":                          {at(aiprovider.Rules, "", ""), at(aiprovider.Rules, "", ""), false},
		"an address that is none at all": {at(compatible, "%", "m"), at(compatible, "%", "m"), true},
	} {
		if row.a.SameModel(row.b) != row.same || row.b.SameModel(row.a) != row.same {
			t.Errorf("%s: want %v", name, row.same)
		}
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	one := func(id, url string) aiprovider.Provider {
		return aiprovider.Provider{Configuration: aiprovider.Configuration{ProviderID: id, Kind: aiprovider.OpenAICompatible, BaseURL: url, Model: "m"}}
	}
	p := aiprovider.Providers{All: []aiprovider.Provider{one("a", "https://x.example"), one("b", "https://y.example"), one("c", "https://X.example/")}}
	for name, row := range map[string]struct{ ids, want []string }{
		"none":            {nil, nil},
		"alone":           {[]string{"b"}, []string{"b"}},
		"under two names": {[]string{"c", "", "gone"}, []string{"c", "", "gone", "a"}},
	} {
		if diff := cmp.Diff(row.want, p.Aliases(row.ids)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
