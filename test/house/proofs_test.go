package house_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// marker names, in a comment of a test or scenario, the rules that it proves.
	marker = regexp.MustCompile(`^\s*(?://|#)\s*proves:\s*(.*)$`)
	// ruleSection is the section of a rule's id.
	ruleSection = regexp.MustCompile(`^(?:decisions/)?\d+(?:\.\d+)?`)
	// rulesOf is how docs/specification.md gives the ids of the list that follows.
	rulesOf = regexp.MustCompile("`(\\d[\\w./-]*)/…`")
)

// proofs returns where tests and scenarios say what they prove, by the ids of the rules.
func proofs(t *testing.T) map[string]string {
	t.Helper()
	proven := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && len(d.Name()) > 2 && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".txtar"):
			return nil
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if m := marker.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
				for _, id := range strings.Fields(m[1]) {
					proven[id] = path
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return proven
}

// specifiedRules returns the ids of the numbered rules of docs/specification.md, and of its error codes.
func specifiedRules(t *testing.T) (ids []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/specification.md")
	if err != nil {
		t.Fatal(err)
	}
	prefix, section := "", ""
	for line := range strings.Lines(string(page)) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			section, _, _ = strings.Cut(strings.TrimSpace(heading), " ")
			section = strings.TrimSuffix(section, ".")
			prefix = section
		}
		if m := rulesOf.FindStringSubmatch(line); m != nil {
			prefix = m[1]
		} else if strings.HasSuffix(line, ":\n") && !listed.MatchString(line) { // before a list without ids of its own
			prefix = section
		}
		if m := listed.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line[len(m[0]):], "Open:") {
			ids = append(ids, prefix+"/"+m[1])
		}
		if prefix == "7.2" && !strings.HasPrefix(line, "An id") && strings.Contains(line, ", ") {
			for code := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(", .\n", r) }) {
				ids = append(ids, "7.2/"+code)
			}
		}
	}
	return ids
}

// Every numbered rule and every code of docs/specification.md has a test that says it proves it, and no test names a section that is not there.
func TestRulesAreProven(t *testing.T) {
	t.Parallel()
	proven := proofs(t)
	ids := specifiedRules(t)
	if len(ids) < 110 {
		t.Fatalf("found %d rules only", len(ids))
	}
	for _, id := range ids {
		of := func(marked string) bool {
			return marked == id || strings.HasPrefix(marked, id+"/") || strings.HasPrefix(marked, id+"-")
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(proven)), of) {
			t.Errorf("no test proves %s: add one with the comment %q", id, "proves: "+id)
		}
	}
	sections := map[string]map[string]bool{"": cited(t, "specification.md"), "decisions/": cited(t, "decisions.md")}
	for id, where := range proven {
		section := ruleSection.FindString(id)
		page := section[:len(section)-len(strings.TrimPrefix(section, "decisions/"))]
		if number := section[len(page):]; number == "" || !sections[page][number] {
			t.Errorf("%s proves %s, and there is no such section", where, id)
		}
	}
}
