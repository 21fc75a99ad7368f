package offline_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/domain/optimization"
	"readiness/offline"
	"readiness/test/samples"
)

// fileOf writes a text to a file and returns its path.
func fileOf(t testing.TB, text []byte) string {
	t.Helper()
	return filepath.Join(files(t, map[string]string{"file": string(text)}), "file")
}

// unread checks an error: it names the file and fits on a screen.
func unread(t *testing.T, file string, err error) {
	t.Helper()
	if !strings.Contains(err.Error(), filepath.ToSlash(file)) || len(err.Error()) > 4000 {
		t.Fatalf("%d bytes: %.500v", len(err.Error()), err)
	}
}

// An ignore file is either read, or rejected with a line; no entry lacks a rule or a reason.
func FuzzIgnores(f *testing.F) {
	for _, seed := range []string{
		"ignore:\n- rule: DSC-01\n  model: Sales\n  table: Orders\n  object: Total\n  reason: |\n    as agreed\n", "ignore: [{rule: '*', table: 1, reason: \"x\"}]", "ignore:\n", "", "---\nignore: []\n---\nignore: []\n", "ignore: *a", "ignore: &a [*a]",
		"ignore:\n- rule: DSC-01\n  rule: DSC-02\n  reason: x", "ignore:\n- rule: dsc-1\n  reason: x\n", "? [a]\n: b", "ignore:\n- {}", "ignore: !!binary x", "{ignore: [{rule: >-\n DSC-01, reason: x}]}", "\ufeffignore: []", "ignore:\n\t- x", "<<: {ignore: []}", "ignore:\n- rule: DSC-01\n  reason: \"\\x00\"",
	} {
		f.Add([]byte(seed))
	}
	for _, text := range samples.Texts(f, samples.Ending(".yaml")) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := fileOf(t, text)
		got, err := offline.ReadIgnores(file)
		if err != nil {
			unread(t, file, err)
			return
		}
		for _, e := range got.Entries {
			if e.Rule == "" || strings.TrimSpace(e.Reason) == "" || e.Line < 1 || e.Line > bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r"))+1 {
				t.Fatalf("%q ignores %+v", text, e)
			}
		}
	})
}

// A baseline is either read or rejected, and white space in it does not change the result.
func FuzzBaseline(f *testing.F) {
	const complete = `{"format":"readiness-assessment/1","regime":"2026-11","items":[{"path":"Sales.SemanticModel","findings":[{"dimension":"descriptions","ruleIds":["DSC-01"],"key":{"table":"T"}}]}]}`
	for _, seed := range []string{complete, `{"format":"readiness-assessment/1"}`, `{"format":"readiness-assessment/2","items":null}`, `{"format":"readiness-assessment/1","items":[null,{}]}`, "[]", "null", "", "{", `{"items":[{"findings":[null]}]}`} {
		f.Add([]byte(seed))
	}
	f.Add(written(f, func(b *bytes.Buffer) error {
		return offline.WriteJSON(b, assess(f, offline.AssessOptions{}, samplesRoot, workspaces+"/Seasonal Campaigns"))
	}))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := fileOf(t, text)
		got, err := offline.ReadBaseline(file)
		if err != nil {
			unread(t, file, err)
			return
		}
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, text, " ", "\t"); err != nil {
			t.Fatalf("%q is read and is not JSON: %v", text, err)
		}
		again, err := offline.ReadBaseline(fileOf(t, spaced.Bytes()))
		if err != nil || again.Regime != got.Regime {
			t.Fatalf("%q with spaces reads differently: %v", text, err)
		}
	})
}

// A record that is read refers only to models below the root, and each write has its intent.
func FuzzRecord(f *testing.F) {
	const model = `{"path":"Sales.SemanticModel","definitionHash":"a","writtenHash":"b","applies":[{"kind":"aiInstructions","writes":[{}],"intended":[{"write":0}]}]}`
	for _, seed := range []string{
		`{"format":"readiness-apply/1","appliedAtUtc":"2026-11-21T06:00:00Z","models":[` + model + `]}`, `{"format":"readiness-apply/1","models":[` + strings.Replace(model, "Sales", "../Sales", 1) + `]}`, `{"format":"readiness-apply/1","models":[` + strings.Replace(model, "Sales", "a/./b", 1) + `]}`,
		`{"format":"readiness-apply/1","models":[` + strings.Replace(model, ".SemanticModel", ".Report", 1) + `]}`, `{"format":"readiness-apply/1","models":[` + strings.Replace(model, `"write":0`, `"write":1`, 1) + `]}`, `{"format":"readiness-apply/1","models":[` + strings.Replace(model, `[{}]`, `[]`, 1) + `]}`,
		`{"format":"readiness-apply/1","models":[` + strings.Replace(model, "Sales.SemanticModel", `a b/Sales.BIM","form":"bim`, 1) + `]}`, `{"format":"readiness-apply/1","models":[` + strings.Replace(model, "Sales.SemanticModel", `a/definition","form":"tmdl`, 1) + `]}`,
		`{"format":"readiness-apply/1","models":[` + strings.Replace(model, "Sales.SemanticModel", `a/../x","form":"folder`, 1) + `]}`, `{"format":"readiness-apply/1","models":null}`, `{"format":"readiness-apply/2"}`, `{"x":1}`, "null", "", "[]",
	} {
		f.Add([]byte(seed))
	}
	record := filepath.Join(f.TempDir(), "record.json")
	if _, _, err := offline.Write(f.Context(), propose(f, embedded(optimization.AIInstructions), copied(f, "Seasonal Campaigns")), record, time.Now()); err != nil {
		f.Fatal(err)
	}
	complete, err := os.ReadFile(record)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(complete)
	f.Fuzz(func(t *testing.T, text []byte) {
		file := fileOf(t, text)
		got, err := offline.ReadRecord(file)
		if err != nil {
			unread(t, file, err)
			return
		}
		for _, m := range got.Models {
			extension := strings.ToLower(filepath.Ext(m.Path))
			fits := map[string]bool{
				"": extension == ".semanticmodel" || extension == ".dataset", "bim": extension == ".bim",
				"tmdl": extension != ".semanticmodel", "folder": extension != ".semanticmodel",
			}[m.Form]
			if !filepath.IsLocal(m.Path) || slices.Contains(strings.Split(m.Path, "/"), "..") || !fits {
				t.Fatalf("%q refers to %q", text, m.Path)
			}
			for _, a := range m.Applies {
				if len(a.Intended) != len(a.Writes) {
					t.Fatalf("%q has %d writes and %d intents", text, len(a.Writes), len(a.Intended))
				}
			}
		}
	})
}
