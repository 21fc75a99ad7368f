package house_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The picture of docs/architecture.md shows every top folder with Go files once, on floors from above: what a folder imports outside tests
// is on a lower one. Files and folders that the page names exist.
func TestArchitecture(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(tree, "docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, picture, _ := strings.Cut(string(text), "```\n")
	picture, _, _ = strings.Cut(picture, "```")
	floors := map[string]int{}
	floor := 0
	for line := range strings.Lines(picture) {
		floor++
		for _, m := range regexp.MustCompile(`(?:^|  )([a-z]+)  `).FindAllStringSubmatch(line, -1) {
			if floors[m[1]] != 0 {
				t.Errorf("the picture has %s twice", m[1])
			}
			floors[m[1]] = floor
		}
	}
	all, err := sources(tree)
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, s := range all {
		from := top(s.pkg)
		if floors[from] == 0 && from != "." && !slices.Contains(missing, from) {
			missing = append(missing, from)
			t.Errorf("the picture has no folder %s", from)
		}
		if s.test {
			continue
		}
		for _, p := range s.imports() {
			local, isLocal := strings.CutPrefix(p, module)
			if to := top(local); isLocal && to != from && floors[to] <= floors[from] {
				t.Errorf("%s imports %s, which the picture shows no lower than %s", s.path, local, from)
			}
		}
	}
	for _, m := range regexp.MustCompile("`([a-z]+/[a-z_/A-Z.]+)`").FindAllStringSubmatch(string(text), -1) {
		if _, err := fs.Stat(tree, strings.Replace(m[1], "/DIMENSION", "", 1)); err != nil {
			t.Errorf("the page names %s: %v", m[1], err)
		}
	}
}
