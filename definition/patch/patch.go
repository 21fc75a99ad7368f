// Package patch writes the difference of two definitions as a unified diff. Both git
// apply and patch -p1 turn the one definition into the other with it, byte for byte.
package patch

import (
	"bytes"
	"fmt"
	"iter"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"readiness/definition"
)

// Of yields the diff of each part that differs, in order of path. folder is the
// item's folder, relative to where the diff is applied, with forward slashes.
func Of(folder string, from, to definition.Definition) iter.Seq[string] {
	return func(yield func(string) bool) {
		i, j := 0, 0
		for i < len(from.Parts) || j < len(to.Parts) {
			var before, after *definition.Part
			if j == len(to.Parts) || i < len(from.Parts) && from.Parts[i].Path <= to.Parts[j].Path {
				before = &from.Parts[i]
			}
			if before == nil || j < len(to.Parts) && to.Parts[j].Path == before.Path {
				after = &to.Parts[j]
			}
			if before != nil {
				i++
			}
			if after != nil {
				j++
			}
			if before != nil && after != nil && bytes.Equal(before.Data, after.Data) {
				continue
			}
			if !yield(file(folder, before, after)) {
				return
			}
		}
	}
}

// file returns the diff of one part; nil means that the part is absent. Empty files
// have no hunk, so the diff includes Git's own header and mode lines.
func file(folder string, before, after *definition.Part) string {
	var b strings.Builder
	var old, now []byte
	oldShown, newShown, mode, name := "/dev/null", "/dev/null", "", ""
	if before != nil {
		old, name = before.Data, path.Join(folder, before.Path)
		oldShown = headerName("a/" + name)
	} else {
		mode = "new file mode 100644\n"
	}
	if after != nil {
		now, name = after.Data, path.Join(folder, after.Path)
		newShown = headerName("b/" + name)
	} else {
		mode = "deleted file mode 100644\n"
	}
	if len(old) == 0 && len(now) == 0 {
		// For an empty file patch reads only these names, and ends them at a blank
		// unless they are quoted.
		return fmt.Sprintf("diff --git \"%s\" \"%s\"\n%s", escaped("a/"+name), escaped("b/"+name), mode)
	}
	fmt.Fprintf(&b, "diff --git %s %s\n%s--- %s\n+++ %s\n", quoted("a/"+name), quoted("b/"+name), mode, oldShown, newShown)
	hunks := diff.Diff("", old, "", now)
	if at := bytes.Index(hunks, []byte("\n@@ ")); at >= 0 {
		b.Write(hunks[at+1:])
	}
	return b.String()
}

// headerName returns a path as written after --- and +++. A tab ends a path with a blank,
// as Git writes it; otherwise patch takes the text after the blank for a date.
func headerName(name string) string {
	q := quoted(name)
	if q == name && strings.Contains(name, " ") {
		return q + "\t"
	}
	return q
}

// quoted returns a path as Git writes it: in quotes if it must be escaped, or if
// patch would drop a blank at its end.
func quoted(name string) string {
	if e := escaped(name); e != name || strings.HasSuffix(name, " ") {
		return `"` + e + `"`
	}
	return name
}

// escaped returns a path with quotes, backslashes, control characters and invalid
// UTF-8 escaped as in C.
func escaped(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		c := name[i]
		switch at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); {
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
		case c < ' ' || c == 0x7f || r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	return b.String()
}
