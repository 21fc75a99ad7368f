package offline

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"readiness/domain/item"
	"readiness/internal/durable"
	"readiness/internal/filefault"
	"readiness/internal/indentedjson"
	"readiness/internal/jsonerror"
	"readiness/platform/folder"
)

// recordFormat identifies the format of a record; it changes if readers must change.
const recordFormat = "readiness-apply/1"

// maxRecord bounds a record, in bytes.
const maxRecord = 256 << 20

// Record is what an apply writes: with it the models can be restored byte for byte. It is completely on disk before the
// first model is changed. Which models were written is visible only in the models.
type Record struct {
	Format    string          `json:"format"`
	AppliedAt time.Time       `json:"appliedAtUtc"`
	Models    []RecordedModel `json:"models"`
	// Together is true if either all models are restored or none, as for a renaming.
	Together bool `json:"together,omitempty"`
}

// RecordedModel is what an apply writes to one model, or a renaming to a model or a report.
type RecordedModel struct {
	// Path is relative to the root, with forward slashes.
	Path string `json:"path"`
	// Form is how the model is stored: "" for a folder that ends in .SemanticModel, else a value of formOf.
	Form string `json:"form,omitempty"`
	// DefinitionHash is the hash of the definition before the apply, WrittenHash the hash after it.
	DefinitionHash string  `json:"definitionHash"`
	WrittenHash    string  `json:"writtenHash"`
	Applies        []Apply `json:"applies"`
	// Parts are the parts that a renaming or an upgrade of the preparation for AI writes; an apply has none.
	Parts []RecordedPart `json:"parts,omitempty"`
}

// RecordedPart is a part that is written as a whole.
type RecordedPart struct {
	Path string `json:"path"`
	// Before is its content; nil if it does not exist.
	Before []byte `json:"before"`
	// Written is the hash of what is written.
	Written string `json:"writtenHash"`
}

func newRecord(all []Proposal, now time.Time) Record {
	r := Record{Format: recordFormat, AppliedAt: now.UTC()}
	for _, p := range all {
		if p.Error == nil && p.Changes() > 0 {
			r.Models = append(r.Models, RecordedModel{p.Shown, formOf(p.TreeItem), p.Before.Hash(), p.After.Hash(), p.Applies, nil})
		}
	}
	return r
}

// write writes the record to a new file and syncs it to disk, completely or not at all. With file "" it derives a name
// in dir from the content, where "" is the current folder. It returns the name.
func (r Record) write(dir, file string) (string, error) {
	var body bytes.Buffer
	if err := indentedjson.Write(&body, r); err != nil {
		return "", err
	}
	if file == "" {
		sum := sha256.Sum256(body.Bytes())
		file = "readiness-apply-" + hex.EncodeToString(sum[:6]) + ".json"
		if model, err := holding(filepath.Join(dir, file)); err != nil {
			return "", err
		} else if model != "" { // the folder is in a model, whose parts do not begin with a dot
			file = "." + file
		}
		file = filepath.Join(dir, file)
	}
	if model, err := holding(file); err != nil {
		return "", err
	} else if model != "" {
		return "", fmt.Errorf("the record %s would become a part of %s, so nothing was written; choose a file elsewhere with --record, or "+
			"one whose name begins with a dot", filepath.ToSlash(file), filepath.Base(model))
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // as readable as the models
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("the record %s already exists; choose another file with --record, so that the existing record can still "+
			"be reverted", filepath.ToSlash(file))
	}
	if err == nil {
		_, err = out.Write(body.Bytes())
		err = errors.Join(err, out.Sync(), out.Close(), syncFolder(filepath.Dir(file)))
	}
	if err != nil {
		if out != nil {
			_ = os.Remove(file) // best effort
		}
		return "", fmt.Errorf("the record %s cannot be written, so nothing was written: %s", filepath.ToSlash(file), filefault.With(err))
	}
	return file, nil
}

// holding returns the folder of the model of which a file would become a part; "" if there is none. Files and folders
// whose names begin with a dot are no parts.
func holding(file string) (string, error) {
	at, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	model := cmp.Or(enclosing(at), project(at))
	if model == "" {
		return "", nil
	}
	below, err := relative(model, at)
	if err != nil || strings.HasPrefix(below, ".") || strings.Contains(below, "/.") {
		return "", err
	}
	return model, nil
}

// syncFolder makes the entries of a folder durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir) //nolint:gosec // the folder of the record
	if err != nil {
		return err
	}
	return durable.CloseFolder(f)
}

// ReadRecord reads a record. It validates the paths, because the file may have been edited.
func ReadRecord(file string) (Record, error) {
	data, err := ReadText(file, maxRecord)
	if err != nil {
		return Record{}, fmt.Errorf("the record: %w", err)
	}
	shown := filepath.ToSlash(file)
	var r Record
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("the record %s cannot be read: %w; it must be what apply --write wrote", shown, jsonerror.Explain(err))
	}
	if r.Format != recordFormat {
		return Record{}, fmt.Errorf("the record %s has the format %q, not %q; it must be what apply --write wrote", shown, r.Format,
			recordFormat)
	}
	for _, m := range r.Models {
		if !insideRoot(m.Path) || !m.isModel() {
			return Record{}, fmt.Errorf("the record %s names %q, which is not a semantic model or report below the root", shown, m.Path)
		}
		for _, a := range m.Applies {
			if err := a.check(); err != nil {
				return Record{}, fmt.Errorf("the record %s: %s: %w", shown, m.Path, err)
			}
		}
	}
	return r, nil
}

// formOf returns how a record names the form of a model.
func formOf(i folder.TreeItem) string {
	_, named := folder.TypeOf(path.Base(i.Path))
	switch {
	case i.Form == folder.AsTMDL:
		return "tmdl"
	case i.Form == folder.AsBIM:
		return "bim"
	case !named:
		return "folder"
	}
	return ""
}

// isModel reports whether the path can be a semantic model of the form, or a report of which parts were written.
func (m RecordedModel) isModel() bool {
	kind, named := folder.TypeOf(path.Base(m.Path))
	switch m.Form {
	case "", "folder", "tmdl":
		if m.Path == "." { // the root, whose name a record does not have
			return true
		}
	}
	switch m.Form {
	case "":
		return named && (kind == item.SemanticModel || kind == item.Report && len(m.Applies) == 0)
	case "bim":
		return strings.EqualFold(path.Ext(m.Path), ".bim")
	case "tmdl", "folder":
		return !named
	}
	return false
}

// check returns an error if the writes and intents do not match.
func (a Apply) check() error {
	if len(a.Intended) != len(a.Writes) {
		return fmt.Errorf("%s has %d writes and %d intents", a.Kind, len(a.Writes), len(a.Intended))
	}
	for n, i := range a.Intended {
		if i.Write != n {
			return fmt.Errorf("%s has write %d at index %d", a.Kind, i.Write, n)
		}
	}
	return nil
}

// insideRoot reports whether a shown path is the root or below it.
func insideRoot(shown string) bool { return fs.ValidPath(shown) }
