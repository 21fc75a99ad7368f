package folder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"readiness/definition"
	"readiness/domain"
	"readiness/internal/durable"
)

// journal is the name of the journal's folder in an item's folder.
const journal = ".readiness"

func (f *itemFolder) commitFile() string { return f.journal + "/commit.json" }

// errChanged means that another program changed parts.
var errChanged = errors.New("the parts were changed")

// change is what a write does to one part. Old and New are the SHA-256 hashes of its bytes before and after; "" means
// no such part. Staged is the file in the journal's folder with the new bytes.
type change struct {
	Path   string
	Staged string
	Old    string
	New    string
}

// crashPoint is called after every step on disk; tests end the process in it.
var crashPoint = func() {}

// stage writes the new parts into the journal's folder.
func (f *itemFolder) stage(d definition.Definition, changes []change) error {
	for _, c := range changes {
		if c.New == "" {
			continue
		}
		var mode fs.FileMode
		info, err := f.Lstat(c.Path)
		switch {
		case err == nil && info.Mode().IsRegular():
			mode = info.Mode().Perm()
		case errors.Is(err, fs.ErrNotExist): // first, because a missing folder is ENOTDIR too on Windows
		case err == nil || errors.Is(err, syscall.ENOTDIR):
			return domain.Refuse(domain.InvalidRequest,
				"the definition for %s cannot be written: a folder is in the place of the part %q, or a file in the place of one of "+
					"its folders", named(f.item), c.Path).About(f.item.Type.IDName(), f.item.ID)
		default:
			return err
		}
		data, _ := d.Part(c.Path)
		if err := f.write(f.journal+"/"+c.Staged, data, mode); err != nil {
			return err
		}
		crashPoint()
	}
	return nil
}

// write creates a new file and syncs it to disk. Mode 0 leaves the mode to the process's umask.
func (f *itemFolder) write(name string, data []byte, mode fs.FileMode) error {
	file, err := f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if mode != 0 {
		err = errors.Join(err, file.Chmod(mode))
	}
	return errors.Join(err, file.Sync(), file.Close())
}

// commit renames the journal into place. From here on the write will be finished.
func (f *itemFolder) commit(ctx context.Context, changes []change) error {
	data, err := json.Marshal(changes)
	if err == nil {
		err = f.write(f.commitFile()+".new", data, 0)
	}
	if err != nil {
		return err
	}
	crashPoint()
	there, err := f.root.Stat(f.dir)
	if err != nil && !gone(err) {
		return err
	}
	held, err := f.Stat(".")
	switch {
	case err != nil:
		return err
	case !os.SameFile(there, held):
		return errChanged // the folder was removed or replaced
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if err := f.Rename(f.commitFile()+".new", f.commitFile()); err != nil {
		return err
	}
	crashPoint()
	return errors.Join(f.sync(f.journal), f.sync("."))
}

// sync makes a folder's entries durable.
func (f *itemFolder) sync(dir string) error {
	file, err := f.Open(dir)
	if err != nil {
		return err
	}
	return durable.CloseFolder(file)
}

// recover ends an interrupted write: it rolls back an uncommitted one and finishes a committed one.
func (f *itemFolder) recover() error {
	if _, err := f.Lstat(f.journal); err != nil {
		if gone(err) {
			return nil
		}
		return err
	}
	if f.uncommitted() {
		return f.RemoveAll(f.journal)
	}
	err := f.finish()
	f.platform.logger.Warn("platform folder: ended an interrupted write", "item", f.dir, "error", err)
	if errors.Is(err, errChanged) {
		err = nil
	}
	return err
}

// undo makes old the definition of the item again after a write of d whose journal could not be applied, by a journal of its own in
// that one's place.
func (f *itemFolder) undo(ctx context.Context, d, old definition.Definition) error {
	changes := difference(d, old)
	for i, c := range changes {
		if c.New != "" {
			changes[i].Staged = "undo" + c.Staged
		}
	}
	err := f.stage(old, changes)
	if err == nil {
		err = f.commit(context.WithoutCancel(ctx), changes)
	}
	if err == nil {
		err = f.apply(f.left(changes).todo)
	}
	if err == nil {
		err = f.RemoveAll(f.journal)
	}
	return err
}

// finish applies the journal and removes it. A part that has neither its old nor its new content was changed by another
// program and is left alone. If that is so before any change was applied, finish applies none. It returns errChanged if
// it left any part alone.
func (f *itemFolder) finish() error {
	changes, err := f.committed()
	if err != nil {
		return err
	}
	left := f.left(changes)
	if !left.dropped() {
		if err := f.apply(left.todo); err != nil {
			return err
		}
	}
	if err := f.RemoveAll(f.journal); err != nil {
		return err
	}
	crashPoint()
	if left.foreign > 0 {
		return errChanged
	}
	return f.sync(".")
}

// uncommitted reports whether the journal's folder holds no committed write.
func (f *itemFolder) uncommitted() bool {
	info, err := f.Lstat(f.journal)
	if err != nil || !info.IsDir() {
		return true
	}
	_, err = f.Lstat(f.commitFile())
	return gone(err)
}

// leftover is what remains to do of a committed write.
type leftover struct {
	todo []change
	// done counts the changes already made; foreign counts the parts that another program has changed since.
	done, foreign int
}

// dropped reports whether the rest of the write is abandoned.
func (l leftover) dropped() bool { return l.foreign > 0 && l.done == 0 }

func (f *itemFolder) left(changes []change) (l leftover) {
	for _, c := range changes {
		switch f.hashOf(c.Path) {
		case c.New:
			l.done++
			if c.New == "" {
				l.todo = append(l.todo, c) // empty folders may remain
			}
		case c.Old:
			if _, err := f.Lstat(f.journal + "/" + c.Staged); c.New != "" && gone(err) {
				l.foreign++ // the staged bytes were removed
				continue
			}
			l.todo = append(l.todo, c)
		default:
			l.foreign++
		}
	}
	return l
}

// committed reads the journal. It validates the paths again, because other programs can write to the folder.
func (f *itemFolder) committed() ([]change, error) {
	data, err := readFile(f.Root, f.commitFile(), MaxPartBytes)
	if err != nil {
		return nil, err
	}
	var changes []change
	if err := json.Unmarshal(data, &changes); err != nil {
		return nil, fmt.Errorf("the journal %s cannot be read: %w; remove it", f.commitFile(), err)
	}
	for _, c := range changes {
		if !validPath(c.Path) || !f.owns(c.Path) || strings.ContainsAny(c.Staged, "./\\") {
			return nil, fmt.Errorf("the journal %s names %q, which is not a part; remove it", f.commitFile(), c.Path)
		}
	}
	return changes, nil
}

// hashOf returns the hash of a part on disk: "" if it does not exist, and a string that is no hash if something other
// than a regular part is there.
func (f *itemFolder) hashOf(name string) string {
	r := partReader{item: f.item, platform: f.platform}
	switch err := r.part(f.Root, name, name); {
	case gone(err):
		return ""
	case err != nil:
		return "unreadable"
	}
	return hash(r.parts[0].Data)
}

// apply deletes and renames. It is idempotent, also after a partial run.
func (f *itemFolder) apply(changes []change) error {
	dirs := map[string]bool{".": true}
	for _, c := range changes {
		if c.New != "" {
			continue
		}
		if err := f.Remove(c.Path); err != nil && !gone(err) {
			return err
		}
		crashPoint()
		dir := path.Dir(c.Path)
		for ; dir != "."; dir = path.Dir(dir) {
			// A folder that is not empty cannot be removed.
			if err := f.Remove(dir); err != nil && !gone(err) {
				break
			}
			crashPoint()
		}
		dirs[dir] = true
	}
	for _, c := range changes {
		if c.New == "" {
			continue
		}
		dir := path.Dir(c.Path)
		if err := f.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		crashPoint()
		if err := f.Rename(f.journal+"/"+c.Staged, c.Path); err != nil {
			return err
		}
		crashPoint()
		for ; dir != "."; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		if err := f.sync(dir); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}
