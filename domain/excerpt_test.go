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

func TestFirstCharacters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text             string
		n                int
		first, shortened string
	}{
		{"", 0, "", ""},
		{"", 2, "", ""},
		{"a", 0, "", "…"},
		{"äöü", 2, "äö", "äö…"},
		{"äöü", 3, "äöü", "äöü"},
		{"äöü", 4, "äöü", "äöü"},
		{"a\xffb", 2, "a\xff", "a\xff…"},
	} {
		if got := domain.FirstCharacters(test.text, test.n); got != test.first {
			t.Errorf("the first %d of %q: got %q", test.n, test.text, got)
		}
		if got := domain.Shortened(test.text, test.n); got != test.shortened {
			t.Errorf("%q shortened to %d: got %q", test.text, test.n, got)
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
