package nearest_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/internal/nearest"
)

func TestNames(t *testing.T) {
	t.Parallel()
	known := []string{"Score", "scope", "Weight", "SCORES"}
	for written, want := range map[string]string{
		"score":                        "Score scope SCORES Weight",
		"wieght":                       "Weight Score scope SCORES",
		"":                             "Score scope Weight SCORES",
		strings.Repeat("é", 1_000_000): "Score scope Weight SCORES",
		"scor\xff":                     "Score scope SCORES Weight",
	} {
		if got := strings.Join(nearest.Names(written, known), " "); got != want {
			t.Errorf("%.20q: %s, want %s", written, got, want)
		}
	}
	if !slices.Equal(known, []string{"Score", "scope", "Weight", "SCORES"}) || len(nearest.Names("x", nil)) != 0 {
		t.Error("the known names were changed")
	}
}
