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

func TestExcerptID(t *testing.T) {
	t.Parallel()
	id := "00000000-0000-0000-0000-000000000101"
	for text, want := range map[string]string{"": "", "7": "7", id: id, id + " and more": id, id[1:] + "ü": id[1:]} {
		if got := domain.ExcerptID(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
