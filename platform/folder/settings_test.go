package folder_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, json string
		anna       bool
	}{
		{"no workspace.json", "", true},
		{"no members", `{}`, true},
		{"null", `{"members":null}`, true},
		{"a member", `{"members":["ben","anna"]}`, true},
		{"no member", `{"members":["ben"]}`, false},
		{"letter case", `{"members":["Anna"]}`, false},
		{"nobody", `{"members":[]}`, false},
		// An unreadable file opens nothing.
		{"no JSON", `{"members":["anna"]`, false},
		{"a misspelled member", `{"member":["ben"]}`, false},
		{"trailing text", `{"members":["anna"]} x`, false},
		{"an empty id", `{"members":["anna",""]}`, false},
		{"another kind", `{"members":"anna"}`, false},
		{"an id that is none", `{"id":"1"}`, false},
		{"an unknown state", `{"capacity":{"state":"Pasued"}}`, false},
		{"too large", `{"displayName":"` + strings.Repeat("x", folder.MaxSettingsBytes) + `"}`, false},
	} {
		tree := map[string]string{"ws/A.Report/x": "", "other/B.Report/x": ""}
		if c.json != "" {
			tree["ws/workspace.json"] = c.json
		}
		root := files(t, tree)
		p := open(t, root)
		all, err := p.Workspaces(t.Context(), anna)
		if err != nil || len(all) != map[bool]int{true: 2, false: 1}[c.anna] {
			t.Errorf("%s: got %v, %v, visible to anna should be %v", c.name, all, err, c.anna)
		}
		if c.anna {
			continue
		}
		// The errors are the same as if the workspace did not exist, for every call.
		if err := os.Remove(filepath.Join(root, "ws/workspace.json")); err != nil {
			t.Fatal(err)
		}
		var hidden item.Workspace
		seen, err := p.Workspaces(t.Context(), anna)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range seen {
			if w.DisplayName == "ws" {
				hidden = w
			}
		}
		it := items(t, p, hidden.ID, item.Report)[0]
		put(t, root, map[string]string{"ws/workspace.json": c.json})
		_, absent := p.Workspace(t.Context(), anna, uuid.Nil)
		for what, err := range map[string]error{
			"Workspace":       second(p.Workspace(t.Context(), anna, hidden.ID)),
			"Capacity":        second(p.Capacity(t.Context(), anna, hidden.ID)),
			"Items":           second(p.Items(t.Context(), anna, hidden.ID, item.Report)),
			"Item":            second(p.Item(t.Context(), anna, hidden.ID, item.Report, it.ID)),
			"Definition":      second(p.Definition(t.Context(), anna, it)),
			"WriteDefinition": p.WriteDefinition(t.Context(), anna, it, one, "x"),
		} {
			want := strings.ReplaceAll(absent.Error(), uuid.Nil.String(), hidden.ID.String())
			if !domain.IsRefused(err, domain.WorkspaceNotFound) || err.Error() != want {
				t.Errorf("%s: %s: got %v, want %s", c.name, what, err, want)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// An unreadable workspace.json is logged for the operator.
func TestABrokenWorkspaceIsLogged(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"ws/workspace.json": `{"member":[]}`})
	var logged bytes.Buffer
	p, err := folder.Open(root, folder.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Workspaces(t.Context(), anna); err != nil {
		t.Fatal(err)
	}
	if got := logged.String(); !strings.Contains(got, "ws/workspace.json") || !strings.Contains(got, `is unknown`) {
		t.Errorf("got %q", got)
	}
}

func TestAnIrregularWorkspaceFileOpensNothing(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"pipe/A.Report/x": "", "link/A.Report/x": "", "folder/workspace.json/x": "", "open.json": "{}"})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe/workspace.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../open.json", filepath.Join(root, "link/workspace.json")); err != nil {
		t.Fatal(err)
	}
	if all, err := open(t, root).Workspaces(t.Context(), anna); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v, want none", all, err)
	}
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]item.CapacityState{
		`{}`:                      item.CapacityActive,
		`{"capacity":{"id":"c"}}`: item.CapacityActive,
		`{"capacity":{"id":"c","state":"Active"}}`: item.CapacityActive,
		`{"capacity":{"state":"Paused"}}`:          item.CapacityPaused,
		`{"capacity":{"state":"Unknown"}}`:         item.CapacityUnknown,
		`{"capacity":null}`:                        item.CapacityActive,
	} {
		root := files(t, map[string]string{"ws/workspace.json": text, "ws/A.Report/x": "y"})
		p := open(t, root)
		w := only(t, p)
		got, err := p.Capacity(t.Context(), anna, w.ID)
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
		it := items(t, p, w.ID, item.Report)[0]
		d, err := p.Definition(t.Context(), anna, it)
		writeErr := p.WriteDefinition(t.Context(), anna, it, one, d.Hash())
		if want == item.CapacityPaused {
			refused(t, text+": Definition", err, domain.CapacityPaused)
			refused(t, text+": WriteDefinition", writeErr, domain.CapacityPaused)
		} else if err != nil || writeErr != nil {
			t.Errorf("%s: got %v, %v", text, err, writeErr)
		}
		if data, _ := os.ReadFile(filepath.Join(root, "ws/A.Report/x")); (string(data) == "y") != (want == item.CapacityPaused) {
			t.Errorf("%s: the part is now %q", text, data)
		}
	}
	_, err := open(t, files(t, nil)).Capacity(t.Context(), anna, uuid.New())
	refused(t, "an unknown workspace", err, domain.WorkspaceNotFound)
}
