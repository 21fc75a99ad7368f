package lsp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/show"
)

// annotation says in the editor's preview to which item changes belong.
type annotation struct {
	Label             string `json:"label"`
	NeedsConfirmation bool   `json:"needsConfirmation"`
}

// awaited is a renaming that the editor was told to make, and its files that were not seen with it yet.
type awaited struct {
	offline.Renaming
	left []changedFile
}

// changedFile is a part of an item of a renaming.
type changedFile struct {
	item     int
	part, at string
}

// renameEdit returns the changes of a renaming, which an editor that can shows before it makes them, and awaits that it makes them.
func (s *server) renameEdit(renaming offline.Renaming) (*workspaceEdit, error) {
	w, left := &workspaceEdit{}, []changedFile(nil)
	for n, c := range renaming.Changed {
		if can := s.client.Workspace.WorkspaceEdit; can.DocumentChanges && can.ChangeAnnotations != nil {
			if w.annotation = "Semantic model " + show.Printable(c.Name); c.IsReport() {
				w.annotation = "Report " + show.Printable(c.Name)
			}
			if w.Annotations == nil {
				w.Annotations = map[string]annotation{}
			}
			w.Annotations[w.annotation] = annotation{w.annotation, true}
		}
		if err := s.editIn(w, c.Dir(), c.Before, c.After); err != nil {
			return nil, err
		}
		for _, part := range c.Parts() {
			left = append(left, changedFile{n, part, filepath.Join(c.Dir(), filepath.FromSlash(part))})
		}
	}
	s.awaited = &awaited{renaming, left}
	return w, nil
}

// recordRenaming writes a record for readiness revert once every file of a renaming is saved with it. Editors may add a line end. If a person
// takes only a part of the changes, that never comes; the next renaming is awaited instead.
func (s *server) recordRenaming() {
	if s.awaited == nil {
		return
	}
	for len(s.awaited.left) > 0 {
		f := s.awaited.left[0]
		c := &s.awaited.Changed[f.item]
		saved, err := os.ReadFile(f.at)
		want, _ := c.After.Part(f.part)
		if err != nil || !bytes.Equal(bytes.TrimRight(saved, "\r\n"), bytes.TrimRight(want, "\r\n")) {
			return
		}
		c.After = c.After.With(map[string][]byte{f.part: saved})
		s.awaited.left = s.awaited.left[1:]
	}
	renaming := s.awaited.Renaming
	s.awaited = nil
	file, err := renaming.Record(s.root, time.Now())
	if err != nil {
		s.notify("window/showMessage", map[string]any{"type": 2, "message": fmt.Sprintf("The renaming has no record, so only the editor can undo it: %s", err)})
		return
	}
	said := fmt.Sprintf("%s is %s now, in %s%s. To undo it: readiness revert %s --write", renaming.Field.Name, renaming.Name,
		show.Count(len(renaming.Files()), "file"), inReports(renaming), show.ShellPath(file))
	s.notify("window/showMessage", map[string]any{"type": 3, "message": show.Printable(said)})
}

// inReports names the reports that a renaming changes.
func inReports(r offline.Renaming) string {
	names := lists.Map(lists.Where(r.Changed, offline.Renamed.IsReport), func(c offline.Renamed) string { return c.Name })
	switch len(names) {
	case 0:
		return ""
	case 1:
		return ", also of the report " + names[0]
	}
	return ", also of the reports " + strings.Join(names, ", ")
}
