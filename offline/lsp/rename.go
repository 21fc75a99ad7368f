package lsp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"readiness/definition/textfile"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/show"
)

// annotation says in the editor's preview to which item changes belong.
type annotation struct {
	Label             string `json:"label"`
	NeedsConfirmation bool   `json:"needsConfirmation"`
}

// awaited is a renaming that the editor was told to make, and its files that were not seen so yet.
type awaited struct {
	offline.Renaming
	left map[string]fileChange
}

type fileChange struct{ before, after []byte }

// renameEdit returns the changes of a renaming, which an editor that can shows before it makes them, and awaits that it makes them.
func (s *server) renameEdit(renaming offline.Renaming) (*workspaceEdit, error) {
	w, left := &workspaceEdit{}, map[string]fileChange{}
	for _, c := range renaming.Changed {
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
		for _, p := range c.After.Parts {
			if was, _ := c.Before.Part(p.Path); !bytes.Equal(was, p.Data) {
				left[filepath.Join(c.Dir(), filepath.FromSlash(p.Path))] = fileChange{was, p.Data}
			}
		}
	}
	s.awaited = &awaited{renaming, left}
	return w, nil
}

// recordRenaming writes a record for readiness revert once the editor has made a renaming in every file. Without one, such as after a
// person took a part of the changes, nothing is awaited any more.
func (s *server) recordRenaming() {
	if s.awaited == nil {
		return
	}
	for at, c := range s.awaited.left {
		now, err := s.contents(at)
		switch {
		case err == nil && bytes.Equal(now, textfile.Trim(c.after)):
			delete(s.awaited.left, at)
		case err != nil || !bytes.Equal(now, textfile.Trim(c.before)):
			s.awaited = nil
			return
		}
	}
	if len(s.awaited.left) > 0 {
		return
	}
	renaming := s.awaited.Renaming
	s.awaited = nil
	file, err := renaming.Record(s.root, time.Now())
	if err != nil {
		s.notify("window/showMessage", map[string]any{"type": 2, "message": fmt.Sprintf("The renaming has no record, so only the editor can undo it: %s", err)})
		return
	}
	s.notify("window/showMessage", map[string]any{"type": 3, "message": show.Printable(fmt.Sprintf("%s is %s now, in %s%s. To undo it later, save all files and run "+
		"readiness revert %s --write", renaming.Field.Name, renaming.Name, show.Count(len(renaming.Files()), "file"), inReports(renaming), show.ShellPath(file)))})
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

// contents returns the text of a file as the editor has it.
func (s *server) contents(at string) ([]byte, error) {
	if d := s.open[at]; d != nil {
		return []byte(d.src), nil
	}
	data, err := os.ReadFile(at) //nolint:gosec // a file of the model or of a report on it
	return textfile.Trim(data), err
}
