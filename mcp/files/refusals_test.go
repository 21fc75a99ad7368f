package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/mcp"
)

func sorted(texts []string) []string { slices.Sort(texts); return texts }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hints are the annotations of each tool: read-only, destructive, idempotent.
var hints = map[string][3]bool{
	"ai_view": {true, false, true}, "assess": {true, false, true}, "compare": {true, false, true}, "explain": {true, false, true},
	"list_answers": {true, false, true}, "list_changes": {true, false, true}, "list_findings": {true, false, true},
	"list_models": {true, false, true}, "list_records": {true, false, true}, "preview": {true, false, true},
	"preview_revert": {true, false, true}, "run_questions": {true, false, true}, "evaluate": {true, false, true}, "lift": {true, false, true},
	"apply": {false, true, false}, "revert": {false, true, true},
}

// TestToolsAndTheirHints lists the tools with and without --write.
func TestToolsAndTheirHints(t *testing.T) {
	t.Parallel()
	for _, write := range []bool{false, true} {
		s := onSamples(t, write)
		got := map[string]bool{}
		for tool, err := range s.Tools(t.Context(), nil) {
			check(t, err)
			got[tool.Name] = true
			a, want := tool.Annotations, hints[tool.Name]
			if a.ReadOnlyHint != want[0] || *a.DestructiveHint != want[1] || a.IdempotentHint != want[2] || *a.OpenWorldHint {
				t.Errorf("%s: got the hints %+v", tool.Name, a)
			}
			in := tool.InputSchema.(map[string]any)
			if in["type"] != "object" || in["additionalProperties"] == nil || tool.OutputSchema != nil || tool.Description == "" {
				t.Errorf("%s lacks a schema or a description", tool.Name)
			}
			if properties, _ := in["properties"].(map[string]any); properties["operationId"] != nil || properties["texts"] != nil {
				t.Errorf("%s takes what only the service has", tool.Name)
			}
			if !tool.Annotations.ReadOnlyHint && in["required"] == nil {
				t.Errorf("%s writes without an id of a preview", tool.Name)
			}
		}
		for name, want := range hints {
			if offered := want[0] || write; got[name] != offered {
				t.Errorf("write %v: the tool %s is offered: %v", write, name, got[name])
			}
		}
		if len(got) > len(hints) {
			t.Errorf("there are tools without a test: %v", got)
		}
	}
}

// maxTools bounds the definitions of all tools, which every conversation of an agent carries: 4,000 tokens of at least 3.5 bytes each.
const maxTools = 4000 * 7 / 2

// proves: decisions/19/small
func TestDefinitionsAreSmall(t *testing.T) {
	t.Parallel()
	s := onSamples(t, true)
	listed, err := s.ListTools(t.Context(), nil)
	check(t, err)
	text, err := json.Marshal(listed.Tools)
	check(t, err)
	if len(text) > maxTools {
		t.Errorf("the definitions of %d tools have %d bytes; at most %d are right", len(listed.Tools), len(text), maxTools)
	}
}

// TestReadOnly calls the tools that write on a server that was started without --write.
//
// proves: decisions/19/read-only
func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := onSamples(t, false)
	p := get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "descriptions"})
	s.refuse(t, "apply", args{"previewId": p.PreviewID}, `unknown tool "apply"`)
	s.refuse(t, "revert", args{"previewId": p.PreviewID}, `unknown tool "revert"`)
	if !strings.Contains(s.InitializeResult().Instructions, "--write") {
		t.Error("the instructions do not say how to write")
	}
}

// TestNearestNames gives names that are almost right.
func TestNearestNames(t *testing.T) {
	t.Parallel()
	s := onSamples(t, true)
	p := get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "descriptions"})
	key := p.Changes.Rows()[0].Key
	w := get[mcp.WrittenOutput](t, s, "apply", args{"previewId": p.PreviewID, "keys": []string{key}})
	p = get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "properties"})
	for tool, row := range map[string]struct {
		in           args
		near, notice string
	}{
		"assess":         {args{"model": "inventory"}, `["` + inventory + `"]`, "There is nothing at this path."},
		"preview":        {args{"model": "Retail Analytics/Inventry.SemanticModel", "kind": "properties"}, inventory, "There is nothing at this path."},
		"list_models":    {args{"within": "Retail Analytic"}, `["Retail Analytics"`, "There is nothing at this path."},
		"explain":        {args{"rule": "dsc1"}, `["DSC-01"]`, "There is no rule with this id."},
		"preview_revert": {args{"record": strings.ToUpper(w.Record)}, `["` + w.Record + `"]`, "There is nothing at this path."},
		"apply": {args{"previewId": p.PreviewID, "keys": []string{"Calendar|Weeks"}}, `["Calendar|Week"`,
			"1 of the keys are not in the preview, so nothing was written."},
	} {
		s.refuse(t, tool, row.in, row.near)
		s.refuse(t, tool, row.in, row.notice)
	}
	text, _ := s.call(t, "assess", args{"model": "a wholly different name"})
	if strings.Contains(text, "nearest") {
		t.Errorf("a name that is like none is said to be near: %s", text)
	}
	a := get[mcp.AssessmentSummary](t, s, "assess", args{"model": inventory})
	about := func(table string) mcp.FindingsOutput {
		return get[mcp.FindingsOutput](t, s, "list_findings", args{"model": inventory, "assessmentId": a.AssessmentID, "table": table})
	}
	if typo, right := about("Stock Level"), about("stock levels"); typo.Total != 0 || !slices.Equal(typo.Nearest, []string{"Stock Levels"}) ||
		right.Total == 0 || right.Nearest != nil {
		t.Errorf("got %+v for a wrong name, and %+v in other letters", typo, right)
	}
}

// TestPathsStayInside names models and records outside of the root, and through links.
//
// proves: decisions/19/inside-the-folder
func TestPathsStayInside(t *testing.T) {
	t.Parallel()
	s := onSamples(t, true)
	outside := t.TempDir()
	check(t, os.CopyFS(filepath.Join(outside, "Secret.SemanticModel"), os.DirFS(filepath.Join(s.root, filepath.FromSlash(inventory)))))
	check(t, os.WriteFile(filepath.Join(outside, "record.json"), []byte(`{}`), 0o600))
	check(t, os.Symlink(outside, filepath.Join(s.root, "linked")))
	check(t, os.Symlink(filepath.Join(outside, "Secret.SemanticModel"), filepath.Join(s.root, "Secret.SemanticModel")))
	check(t, os.Symlink(filepath.Join(outside, "record.json"), filepath.Join(s.root, "readiness-apply-0.json")))
	check(t, os.Symlink("/etc/hostname", filepath.Join(s.root, filepath.FromSlash(inventory), "definition", "tables", "Leak.tmdl")))
	check(t, os.WriteFile(filepath.Join(s.root, "out.pbip"), []byte(`{"artifacts": [{"report": {"path": "../`+filepath.Base(outside)+
		`/x.Report"}}]}`), 0o600))
	before := treeOf(t, outside)
	for path, reason := range map[string]string{
		"": "not one below", "..": "not one below", "../" + filepath.Base(outside): "not one below", "/etc": "not one below",
		"a/../../b": "not one below", `..\x`: "not one below", "a\x00b": "not one below", filepath.ToSlash(outside): "not one below",
		"linked": "link", "linked/Secret.SemanticModel": "link", "Secret.SemanticModel": "link",
		"nothing": "nothing at this path", "Retail Analytics": "not that of one semantic model", "out.pbip": "The reason",
	} {
		s.refuse(t, "assess", args{"model": path}, reason)
		s.refuse(t, "preview", args{"model": path, "kind": "descriptions"}, reason)
		s.refuse(t, "ai_view", args{"model": path}, reason)
		s.refuse(t, "run_questions", args{"model": path}, reason)
	}
	for path, reason := range map[string]string{
		"../" + filepath.Base(outside) + "/record.json": "not one below", "linked/record.json": "link", "readiness-apply-0.json": "link",
		"out.pbip": "The reason",
	} {
		s.refuse(t, "preview_revert", args{"record": path}, reason)
		if path != "out.pbip" {
			s.refuse(t, "lift", args{"model": inventory, "questions": path}, reason)
			for _, of := range []args{{"questions": path, "answers": []string{"out.pbip"}}, {"questions": "out.pbip", "answers": []string{path}},
				{"questions": "out.pbip", "answers": []string{"out.pbip"}, "baseline": path}} {
				of["model"] = inventory
				s.refuse(t, "evaluate", of, reason)
			}
		}
	}
	s.refuse(t, "list_models", args{"within": ".."}, "not one below")
	if rows := get[mcp.RecordsOutput](t, s, "list_records", args{}).Rows; len(rows) != 0 {
		t.Errorf("a link is listed as a record: %v", rows)
	}
	for _, row := range get[mcp.ModelsOutput](t, s, "list_models", args{}).Rows {
		if strings.Contains(row.ID, "Secret") || strings.Contains(row.ID, "linked") {
			t.Errorf("the model %s outside of the root is listed", row.ID)
		}
	}
	s.refuse(t, "assess", args{"model": inventory}, "is a link") // its part Leak.tmdl
	if changed := differing(before, treeOf(t, outside)); len(changed) > 0 {
		t.Errorf("files outside of the root changed: %v", changed)
	}
	if r, err := s.ReadResource(t.Context(),
		&sdk.ReadResourceParams{URI: "readiness://ai-view/..%2F" + filepath.Base(outside)}); err == nil {
		t.Errorf("a resource outside of the root was read: %v", r)
	}
}

// TestRefusals calls tools with what they must refuse, without a trace.
//
// proves: decisions/19/writes-need-a-preview
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := onSamples(t, true)
	const other = "Retail Analytics/Retail Sales.SemanticModel"
	a := get[mcp.AssessmentSummary](t, s, "assess", args{"model": inventory})
	p := get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "descriptions"})
	empty := get[mcp.PreviewSummary](t, s, "preview", args{"model": other, "kind": "aiInstructions"})
	for name, tt := range map[string]struct {
		tool   string
		args   args
		reason string
	}{
		"an unknown preview":  {"apply", args{"previewId": "abc", "keys": []string{"a|"}}, "no such preview"},
		"no preview":          {"apply", args{}, "previewId"},
		"a foreign preview":   {"apply", args{"previewId": a.AssessmentID, "keys": []string{"a|"}}, "no such preview"},
		"a key that it lacks": {"apply", args{"previewId": p.PreviewID, "keys": []string{"No|Such"}}, "not in the preview"},
		"one of two keys": {"apply", args{"previewId": p.PreviewID, "keys": []string{p.Changes.Rows()[0].Key, "x"}}, "1 of " +
			"the keys"},
		"no key":                          {"apply", args{"previewId": p.PreviewID, "keys": []string{}}, "keys"},
		"null for keys":                   {"apply", args{"previewId": p.PreviewID, "keys": nil}, "keys"},
		"nothing for keys":                {"apply", args{"previewId": p.PreviewID}, "keys"},
		"no words":                        {"preview", args{"model": inventory, "kind": "descriptions", "words": []args{}}, "words"},
		"no question":                     {"run_questions", args{"model": inventory, "questions": []args{}}, "questions"},
		"an unknown member":               {"apply", args{"previewId": p.PreviewID, "keys": []string{"a|"}, "force": true}, "force"},
		"texts, which only services take": {"apply", args{"previewId": p.PreviewID, "keys": []string{"a|"}, "texts": []args{}}, "texts"},
		"a preview without changes":       {"apply", args{"previewId": empty.PreviewID, "keys": []string{"aiInstructions"}}, "no changes"},
		"an unknown revert":               {"revert", args{"previewId": "abc"}, "no such preview of a revert"},
		"the preview of an apply":         {"revert", args{"previewId": p.PreviewID}, "no such preview of a revert"},
		"an unknown kind":                 {"preview", args{"model": inventory, "kind": "everything"}, "enum"},
		"words of another kind": {"preview", args{"model": inventory, "kind": "properties", "words": []args{{"key": "a",
			"text": "b"}}}, "cannot be written"},
		"words for no AI instructions": {"preview", args{"model": inventory, "kind": "aiInstructions", "words": []args{{"key": "a|",
			"text": "b"}}}, "1 keys"},
		"words for no object": {"preview", args{"model": inventory, "kind": "descriptions", "words": []args{{"key": "a",
			"text": "b"}}}, "1 keys"},
		"an assessment of another model": {"list_findings", args{"model": other, "assessmentId": a.AssessmentID}, "no such assessment"},
		"an unknown assessment": {"compare", args{"model": inventory, "before": a.AssessmentID, "after": "b"}, "no such " +
			"assessment"},
		"a cursor of no list": {"list_findings", args{"model": inventory, "assessmentId": a.AssessmentID, "cursor": "-1"},
			"cursor"},
		"a cursor behind the end": {"list_models", args{"cursor": "11"}, "cursor"},
		"an unknown rule":         {"explain", args{"rule": "XYZ-01"}, "no rule"},
		"an unknown list":         {"list_changes", args{"previewId": p.PreviewID, "what": "everything"}, "enum"},
		"an unknown run":          {"list_answers", args{"model": inventory, "runId": "x"}, "no such run"},
		"too many questions":      {"run_questions", args{"model": inventory, "count": 101}, "100"},
		"a question without answer": {"run_questions", args{"model": inventory, "questions": []args{{"question": "How much?"}}},
			"does not describe"},
		"an unknown verdict":   {"list_answers", args{"model": inventory, "runId": "x", "verdict": "fine"}, "enum"},
		"no file of questions": {"evaluate", args{"model": inventory, "questions": "none.csv", "answers": []string{"a.csv"}}, "nothing at this path"},
		"a file of something else": {"evaluate", args{"model": inventory, "questions": inventory + "/.platform", "answers": []string{inventory +
			"/.platform"}}, "no golden questions"},
		"no answers":             {"evaluate", args{"model": inventory, "questions": "a.csv", "answers": []string{}}, "answers"},
		"parts of no known size": {"lift", args{"model": inventory, "by": "table"}, "enum"},
		"a missing record":       {"preview_revert", args{"record": "readiness-apply-1.json"}, "nothing at this path"},
	} {
		t.Run(name, func(t *testing.T) { s.refuse(t, tt.tool, tt.args, tt.reason) }) // in turn: they share a session
	}
}

// TestStale changes models between preview and write.
//
// proves: decisions/19/writes-need-a-preview
func TestStale(t *testing.T) {
	t.Parallel()
	s := onSamples(t, true)
	p := get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "descriptions"})
	file := filepath.Join(s.root, filepath.FromSlash(inventory), "definition", "tables", "Calendar.tmdl")
	text, err := os.ReadFile(file)
	check(t, err)
	check(t, os.WriteFile(file, append([]byte("/// Changed by someone else.\n"), text...), 0o600))
	s.refuse(t, "apply", args{"previewId": p.PreviewID, "keys": keysOf(p.Changes.Rows())}, "changed since the preview")
	check(t, os.WriteFile(file, text, 0o600))
	w := get[mcp.WrittenOutput](t, s, "apply", args{"previewId": p.PreviewID, "keys": keysOf(p.Changes.Rows())})
	s.refuse(t, "apply", args{"previewId": p.PreviewID, "keys": keysOf(p.Changes.Rows())}, "it was applied")

	r := get[mcp.WrittenOutput](t, s, "preview_revert", args{"record": w.Record})
	text, err = os.ReadFile(file)
	check(t, err)
	check(t, os.WriteFile(file, append([]byte("\n"), text...), 0o600))
	s.refuse(t, "revert", args{"previewId": r.PreviewID}, "changed since the preview of the revert")
	check(t, os.WriteFile(file, text, 0o600))
	get[mcp.WrittenOutput](t, s, "revert", args{"previewId": r.PreviewID})
	s.refuse(t, "revert", args{"previewId": r.PreviewID}, "it was used")
	again := get[mcp.WrittenOutput](t, s, "preview_revert", args{"record": w.Record})
	if again.Changes.Total != 0 || !strings.Contains(again.Note, "already as before") {
		t.Errorf("got %+v", again)
	}
	s.refuse(t, "revert", args{"previewId": again.PreviewID}, "restores nothing")
}
