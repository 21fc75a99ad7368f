package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"readiness/mcp"
	"readiness/offline"
	"readiness/test/samples"
)

// An agent lists the record of a rename, and undoes it to the byte in the model and in the report.
func TestRevertRename(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(samples.Workspaces(t))); err != nil {
		t.Fatal(err)
	}
	items, _, err := offline.Find(t.Context(), root, []string{filepath.Join(root, filepath.FromSlash(inventory))})
	if err != nil {
		t.Fatal(err)
	}
	renaming, _, err := offline.Rename(t.Context(), items[0], "Stock on Hand", "Units in Stock")
	if err != nil || len(renaming.Changed) != 2 {
		t.Fatalf("%+v %v", renaming.Files(), err)
	}
	before := map[string]string{}
	for _, file := range renaming.Files() {
		before[file] = text(t, filepath.Join(root, filepath.FromSlash(file)))
	}
	const record = "readiness-apply-1.json"
	if _, _, err := renaming.Write(t.Context(), filepath.Join(root, record), time.Now()); err != nil {
		t.Fatal(err)
	}
	s := on(t, root, true)
	listed := get[mcp.RecordsOutput](t, s, "list_records", args{})
	if len(listed.Rows) != 1 || len(listed.Rows[0].Models) != 2 {
		t.Errorf("records: %+v", listed)
	}
	shown := get[mcp.WrittenOutput](t, s, "preview_revert", args{"record": record})
	if !strings.Contains(shown.Note, "Inventory Monitor.Report: ") || !strings.Contains(shown.Note, " as before.") {
		t.Errorf("preview: %+v", shown)
	}
	get[mcp.WrittenOutput](t, s, "revert", args{"previewId": shown.PreviewID})
	for file, want := range before {
		if got := text(t, filepath.Join(root, filepath.FromSlash(file))); got != want {
			t.Errorf("%s is not as before: %s", file, got)
		}
	}
}

func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
