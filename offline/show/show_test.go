package show_test

import (
	"testing"

	"readiness/offline/show"
)

func TestShellPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"models/Sales.SemanticModel": "models/Sales.SemanticModel",
		"Retail Analytics":           `"Retail Analytics"`,
		"a&b;c":                      `"a&b;c"`,
		"$HOME":                      "'$HOME'",
		`it's "$x"`:                  `'it'\''s "$x"'`,
		"-rf":                        "./-rf",
		"":                           `""`,
	} {
		if got := show.ShellPath(path); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
}
