package token

import "testing"

func TestAskable(t *testing.T) {
	t.Parallel()
	for audience, want := range map[string]string{
		"readiness":                            "Service.Read.All",
		"api://readiness":                      "api://readiness/Service.Read.All",
		"https://readiness.example.com/":       "https://readiness.example.com/Service.Read.All",
		"5b1f6a0e-1111-4222-8333-444455556666": "api://5b1f6a0e-1111-4222-8333-444455556666/Service.Read.All",
	} {
		if got := askable(audience, ScopeRead); got != want {
			t.Errorf("%s: got %s, want %s", audience, got, want)
		}
	}
}
