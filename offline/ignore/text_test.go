package ignore_test

import (
	"strings"
	"testing"

	"readiness/offline/ignore"
)

// An ignore file may begin with a byte order mark and have the line ends of Windows; what makes it unreadable is named.
func TestParseTexts(t *testing.T) {
	t.Parallel()
	const file = "ignore:\r\n  - rule: NAM-03\r\n    table: T\r\n    reason: ours\r\n"
	for name, c := range map[string]struct{ text, want string }{
		"with a mark": {"\ufeff" + file, ""},
		"UTF-16":      {"\xff\xfei\x00", "i.yaml:1:1: this is UTF-16 text"},
		"a conflict":  {"<<<<<<< HEAD\n" + file + "=======\n>>>>>>> x\n", "i.yaml:1:1: this is an unsolved merge conflict"},
		"a pointer":   {"version https://git-lfs.github.com/spec/v1\n", "i.yaml:1:1: this is a Git LFS pointer"},
	} {
		got, err := ignore.Parse("i.yaml", []byte(c.text))
		switch {
		case c.want == "" && (err != nil || len(got.Entries) != 1):
			t.Errorf("%s: got %v, %v", name, got, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}
