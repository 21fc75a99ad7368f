package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/ai/openai"
	"readiness/domain"
)

func TestNewAddressesTheServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*openai.Settings)
		want   []string // path, query, Authorization, Api-Key
	}{
		"a server":        {func(*openai.Settings) {}, []string{"/v1/chat/completions", "", "Bearer " + secret, ""}},
		"an ending slash": {func(s *openai.Settings) { s.BaseURL += "/" }, []string{"/v1/chat/completions", "", "Bearer " + secret, ""}},
		"no key":          {func(s *openai.Settings) { s.Key = "" }, []string{"/v1/chat/completions", "", "Bearer none", ""}},
		"Azure":           {func(s *openai.Settings) { s.Azure, s.BaseURL = true, strings.TrimSuffix(s.BaseURL, "/v1") }, []string{"/openai/v1/chat/completions", "", "", secret}},
		"Azure of a version": {func(s *openai.Settings) {
			s.Azure, s.BaseURL, s.APIVersion, s.Model = true, strings.TrimSuffix(s.BaseURL, "v1"), "2026-05-01-preview", "my texts"
		}, []string{"/openai/deployments/my texts/chat/completions", "api-version=2026-05-01-preview", "", secret}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(_ int, r request) reply { return obey(r) })
			c := s.client(t, func(of *openai.Settings, _ *openai.Options) { tt.change(of) })
			if _, _, err := c.Describe(t.Context(), sales("a"), measures("a")); err != nil {
				t.Fatal(err)
			}
			r := s.asked()[0]
			if diff := cmp.Diff(tt.want, []string{r.path, r.query, r.auth, r.apiKey}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	for _, address := range []string{"", "x", "ftp://example.com", "https://", "http://a b"} {
		if _, err := openai.New(openai.Settings{BaseURL: address}, openai.Options{}); !domain.IsRefused(err, domain.OptimizationFailed) {
			t.Errorf("%q: got error %v, want OptimizationFailed", address, err)
		}
	}
}

// An account does not use the keys and addresses of the process.
func TestNewIgnoresTheEnvironment(t *testing.T) {
	other := serve(t, func(_ int, r request) reply { return obey(r) })
	t.Setenv("OPENAI_BASE_URL", other.URL)
	t.Setenv("OPENAI_API_KEY", "sk-of-the-process")
	t.Setenv("OPENAI_ORG_ID", "org-of-the-process")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "Api-Key: sk-of-the-process")
	s := serve(t, func(_ int, r request) reply { return obey(r) })
	c := s.client(t, func(of *openai.Settings, _ *openai.Options) { of.Key = "" })
	if _, _, err := c.Describe(t.Context(), sales("a"), measures("a")); err != nil {
		t.Fatal(err)
	}
	if r := s.asked()[0]; r.auth != "Bearer none" || r.apiKey != "" || len(other.asked()) != 0 {
		t.Errorf("asked with %q, %q, and the other server %d times", r.auth, r.apiKey, len(other.asked()))
	}
}
