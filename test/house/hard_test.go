package house_test

import (
	"go/ast"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// TestNamesOfHardTests checks the convention of make test/hard: it builds the
// packages that have a file with the build tag hard and runs the tests whose names
// begin with TestHard. A test with only the tag would never run, and one with only
// the name would run with every test.
func TestNamesOfHardTests(t *testing.T) {
	t.Parallel()
	wrong, err := hardTestsMisnamed(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		t.Error(w)
	}
	broken := fstest.MapFS{
		"a/tag_test.go":  {Data: []byte("//go:build hard\n\npackage a\n\nfunc TestSlow() {}\nfunc TestHardSlow() {}\nfunc helper() {}\n")},
		"a/name_test.go": {Data: []byte("package a\n\nfunc TestHardOne() {}\nfunc TestOne() {}\n")},
	}
	if wrong, err := hardTestsMisnamed(broken); err != nil || len(wrong) != 2 {
		t.Errorf("found %q (%v), want two misnamed tests", wrong, err)
	}
}

// hardTestsMisnamed describes the tests that have the tag hard or the name of a
// hard test, but not both.
func hardTestsMisnamed(tree fs.FS) (wrong []string, err error) {
	all, err := sources(tree)
	for _, s := range all {
		if !s.test {
			continue
		}
		text, err := fs.ReadFile(tree, s.path)
		if err != nil {
			return nil, err
		}
		hard := strings.HasPrefix(string(text), "//go:build hard\n")
		for _, d := range s.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") || f.Name.Name == "TestMain" {
				continue
			}
			if named := strings.HasPrefix(f.Name.Name, "TestHard"); named != hard {
				wrong = append(wrong, s.path+": "+f.Name.Name+": a test in a file that begins with //go:build hard must be named TestHard…, and no other test may be")
			}
		}
	}
	return wrong, err
}
