package spelling_test

import (
	"testing"

	"readiness/definition/spelling"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ name, spaces string }{
		"":                     {"", ""},
		" \t ":                 {"", ""},
		"Net Sales":            {"net sales", "net sales"},
		" Net \u00a0\n Sales ": {"net \u00a0\n sales", "net sales"},
		"Cafe\u0301":           {"caf\u00e9", "caf\u00e9"},
		"ÄÖ":                   {"äö", "äö"},
	} {
		if got := spelling.Fold(text); got != want.name {
			t.Errorf("Fold(%q) is %q, want %q", text, got, want.name)
		}
		if got := spelling.Field(text, "X "); got != [2]string{want.name, "x"} {
			t.Errorf("Field(%q) is %q", text, got)
		}
		if got := spelling.FoldSpace(text); got != want.spaces {
			t.Errorf("FoldSpace(%q) is %q, want %q", text, got, want.spaces)
		}
	}
}
