package rewrite_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/test/samples"
)

// corpus returns the definitions of the semantic models of public projects, by path,
// except those that the reader refuses.
func corpus(t testing.TB) map[string]definition.Definition {
	t.Helper()
	root, _ := samples.Corpus(t)
	models := modelsBelow(t, root)
	if len(models) < 8 {
		t.Fatalf("the corpus has %d models that can be read", len(models))
	}
	return models
}

// modelsBelow returns the definitions of the readable semantic models in a folder,
// by path.
func modelsBelow(t testing.TB, root string) map[string]definition.Definition {
	t.Helper()
	parts := map[string][]definition.Part{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		folder, file, in := strings.Cut(path, ".SemanticModel/")
		if err != nil || entry.IsDir() || !in || strings.HasPrefix(file, ".") {
			return err
		}
		data, err := os.ReadFile(path)
		parts[folder] = append(parts[folder], definition.Part{Path: file, Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]definition.Definition{}
	for folder, parts := range parts {
		d := definition.New(parts...)
		if _, err := semanticmodel.Read(d); err == nil {
			models[strings.TrimPrefix(folder, root)] = d
		}
	}
	return models
}

// variants are the encodings of a definition's files.
var variants = []string{"LF", "CRLF", "CR", "mixed", "byte order mark", "no last line end", "JSON in CRLF"}

// variant returns the definition with its files in another encoding.
func variant(d definition.Definition, kind string) definition.Definition {
	parts := make([]definition.Part, len(d.Parts))
	for i, p := range d.Parts {
		s := strings.ReplaceAll(string(p.Data), "\r\n", "\n")
		isTMDL := strings.HasSuffix(p.Path, ".tmdl")
		switch kind {
		case "CRLF":
			s = strings.ReplaceAll(s, "\n", "\r\n")
		case "CR":
			if isTMDL {
				s = strings.ReplaceAll(s, "\n", "\r")
			}
		case "mixed":
			s = mixedEnds(s)
		case "byte order mark":
			s = "\ufeff" + s
		case "no last line end":
			s = strings.TrimRight(s, "\n")
		case "JSON in CRLF":
			if !isTMDL {
				s = strings.ReplaceAll(s, "\n", "\r\n")
			}
		}
		parts[i] = definition.Part{Path: p.Path, Data: []byte(s)}
	}
	return definition.New(parts...)
}

// mixedEnds gives every third line a CRLF.
func mixedEnds(s string) string {
	var b strings.Builder
	n := 0
	for line := range strings.SplitAfterSeq(s, "\n") {
		if n++; n%3 == 0 && strings.HasSuffix(line, "\n") {
			line = strings.TrimSuffix(line, "\n") + "\r\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
