package domain_test

import (
	"strings"
	"testing"

	"readiness/domain"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 100)
	for text, want := range map[string]string{
		"":         "",
		"Sales":    "Sales",
		long:       long,
		long + "b": long + "…",
		"\xffa":    "\xffa",
	} {
		if got := domain.Excerpt(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
