package textfile_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/definition/textfile"
)

// What makes a text unreadable is named with its cause and its place.
func TestDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"text":                       {"a\r\nb = <<<<<<< x\n", ""},
		"with a mark":                {textfile.Mark + "a", ""},
		"empty":                      {"", ""},
		"a pointer":                  {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "1:1 Git LFS pointer"},
		"UTF-16 with a mark":         {"\xff\xfea\x00", "1:1 UTF-16"},
		"UTF-16, high bytes first":   {"\xfe\xff\x00a", "1:1 UTF-16"},
		"UTF-16 without a mark":      {"t\x00a\x00b\x00l\x00e\x00", "1:1 UTF-16"},
		"NUL":                        {"ä\n xä\x00y", "2:4 NUL"},
		"NUL behind CR":              {"a\rb\x00", "2:2 NUL"},
		"Windows-1252":               {"a\r\nb\x80", "2:2 not UTF-8"},
		"a conflict":                 {"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\n", "2:1 merge conflict"},
		"a conflict at the start":    {"<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\n", "1:1 merge conflict"},
		"a conflict with CRLF":       {"a\r\n<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> main\r\n", "2:1 merge conflict"},
		"a heading":                  {"Title\n=======\n", ""},
		"a mark without its sibling": {"<<<<<<< HEAD\nb\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := textfile.Check([]byte(c.text))
			if c.want == "" {
				if d != nil {
					t.Fatalf("got %v, want none", d)
				}
				return
			}
			at, message, _ := strings.Cut(c.want, " ")
			if d == nil || fmt.Sprintf("%d:%d", d.Line, d.Column) != at || !strings.Contains(d.Message, message) {
				t.Errorf("got %v, want %s", d, c.want)
			}
		})
	}
}
