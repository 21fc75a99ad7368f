package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
)

// WriteDefinition makes d the item's definition if the one on disk still has
// the hash ifHash; else ItemChanged, and nothing is written. Files of parts
// that stay the same are not touched, parts that d has no more are deleted with
// the folders that become empty, names that begin with a dot stay.
//
// A process killed at any instant leaves the old definition or the new one for
// the next call: the new parts are written beside, in .readiness, then a journal
// of what is to happen is put there at once, then files are renamed. Whoever
// opens the item next, here or in another process, goes on where it stopped, and
// leaves alone a file that somebody else has changed since.
func (p *Platform) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	if err := p.bounds.check(it, d); err != nil {
		return err
	}
	return p.within(ctx, as, it, exclusive, func(f *itemFolder) error { return f.replace(ctx, d, ifHash) })
}

// replace makes d the definition of the item, whose folder is locked, if the one
// on disk has the hash ifHash.
func (f *itemFolder) replace(ctx context.Context, d definition.Definition, ifHash string) error {
	p, it := f.platform, f.item
	old, err := f.definition(ctx)
	if err == nil {
		err = f.placed(d)
	}
	if err != nil {
		return err
	}
	if old.Hash() != ifHash {
		return changed(it)
	}
	changes := difference(old, d)
	if len(changes) == 0 {
		return nil
	}
	if err = f.stage(d, changes); err == nil {
		err = f.commit(ctx, changes)
	}
	if err == nil {
		err = f.finish()
	} else if left := f.RemoveAll(f.journal); left != nil { // nothing has happened yet to the parts
		p.logger.Warn("platform folder: a write that failed could not be cleared away; the next call tries again", "item", f.dir, "error", left)
	}
	if _, refused := domain.Refused(err); err == nil || refused {
		return err
	}
	switch {
	case errors.Is(err, errChanged):
		return changed(it)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Refuse(domain.PlatformAccessDenied, "the folder of %s may not be written (%s); ask the operator of the service for access", named(it), cause(err)).About(idName(it.Type), it.ID)
	}
	return p.unavailable(ctx, err, "%s cannot be written", named(it))
}

func changed(it item.Item) error {
	return domain.Refuse(domain.ItemChanged, "%s was changed since it was read; read it again", named(it)).About(idName(it.Type), it.ID)
}

// check refuses parts that have no place in the item's folder.
func (b bounds) check(it item.Item, d definition.Definition) error {
	refuse := func(format string, args ...any) error {
		return domain.Refuse(domain.InvalidRequest, "the definition for %s cannot be written: %s", named(it), fmt.Sprintf(format, args...)).About(idName(it.Type), it.ID)
	}
	if len(d.Parts) == 0 || len(d.Parts) > b.parts {
		return refuse("it has %d parts; 1 to %d are allowed", len(d.Parts), b.parts)
	}
	total, before := 0, ""
	for _, p := range d.Parts {
		total += len(p.Data)
		for dir := path.Dir(p.Path); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if _, both := d.Part(dir); both {
				return refuse("%q is a part and a folder", dir)
			}
		}
		switch {
		case !validPath(p.Path):
			return refuse("%q is no path inside the item's folder", p.Path)
		case p.Path <= before:
			return refuse("%q comes after %q; parts are ordered by path, each once", p.Path, before)
		case len(p.Data) > b.partBytes:
			return refuse("the part %q is larger than %d bytes", p.Path, b.partBytes)
		case total > b.definitionBytes:
			return refuse("its parts are together larger than %d bytes", b.definitionBytes)
		}
		before = p.Path
	}
	return nil
}

// validPath reports whether a part may have the path: relative, with forward
// slashes, no element empty or beginning with a dot, nothing that a file system
// reads as something else.
func validPath(name string) bool {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || !utf8.ValidString(name) || len(name) > 1024 || strings.Count(name, "/") >= MaxDepth {
		return false
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r == '\\' || r == ':' || unicode.IsControl(r) }) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(name, "/"), func(element string) bool {
		return strings.HasPrefix(element, ".") || len(element) > 255
	})
}

// journal is the folder of the journal in the folder of an item.
const journal = ".readiness"

func (f *itemFolder) commitFile() string { return f.journal + "/commit.json" }

// errChanged says that parts were changed by somebody else.
var errChanged = errors.New("the parts were changed")

// change is what a write does to one part. Old and New are the hashes of its
// bytes before and after, "" for no such part; Staged is the file in the journal
// with the new bytes.
type change struct {
	Path   string
	Staged string
	Old    string
	New    string
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// difference is what makes of one definition another, by path.
func difference(from, to definition.Definition) []change {
	var changes []change
	for _, p := range to.Parts {
		c := change{Path: p.Path, New: hash(p.Data)}
		if data, ok := from.Part(p.Path); ok {
			if bytes.Equal(data, p.Data) {
				continue
			}
			c.Old = hash(data)
		}
		c.Staged = strconv.Itoa(len(changes))
		changes = append(changes, c)
	}
	for _, p := range from.Parts {
		if _, ok := to.Part(p.Path); !ok {
			changes = append(changes, change{Path: p.Path, Old: hash(p.Data)})
		}
	}
	return changes
}

// crashPoint is called after every step on disk; tests end the process in it.
var crashPoint = func() {}

// stage writes the new parts beside the old ones.
func (f *itemFolder) stage(d definition.Definition, changes []change) error {
	if err := f.Mkdir(f.journal, 0o700); err != nil {
		return err
	}
	crashPoint()
	for _, c := range changes {
		if c.New == "" {
			continue
		}
		var mode fs.FileMode
		info, err := f.Lstat(c.Path)
		switch {
		case err == nil && info.Mode().IsRegular():
			mode = info.Mode().Perm()
		case err == nil || errors.Is(err, syscall.ENOTDIR):
			return domain.Refuse(domain.InvalidRequest, "the definition for %s cannot be written: where the part %q belongs a folder is, or a file where one of its folders belongs", named(f.item), c.Path).About(idName(f.item.Type), f.item.ID)
		case !errors.Is(err, fs.ErrNotExist):
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

// write makes a file that was not there, safely on disk; mode 0 leaves the
// mode to the process's mask.
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

// commit puts the journal in its place: from here on the write will happen.
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
	locked, err := f.lock.Stat()
	switch {
	case err != nil:
		return err
	case !os.SameFile(there, locked):
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

// sync makes a folder's names safe on disk.
func (f *itemFolder) sync(dir string) error {
	file, err := f.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// recover ends a write that was cut off: one that was not committed is undone,
// another is done.
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
	f.platform.logger.Warn("platform folder: a write that was cut off has been ended", "item", f.dir, "error", err)
	if errors.Is(err, errChanged) {
		err = nil
	}
	return err
}

// finish does what the journal says and removes it. A part that is neither as
// it was nor as it will be was changed by somebody else: it stays, and when
// nothing has been done yet nothing is; errChanged tells so.
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

// uncommitted reports whether what lies in the journal's place is no write that is
// to be finished.
func (f *itemFolder) uncommitted() bool {
	info, err := f.Lstat(f.journal)
	if err != nil || !info.IsDir() {
		return true
	}
	_, err = f.Lstat(f.commitFile())
	return gone(err)
}

// leftover is what is left of a write that is committed.
type leftover struct {
	todo []change
	// done is how many of its changes have been made, foreign how many parts
	// somebody else has changed since.
	done, foreign int
}

// dropped reports whether nothing of it is made any more.
func (l leftover) dropped() bool { return l.foreign > 0 && l.done == 0 }

func (f *itemFolder) left(changes []change) (l leftover) {
	for _, c := range changes {
		switch f.hashOf(c.Path) {
		case c.New:
			l.done++
			if c.New == "" {
				l.todo = append(l.todo, c) // its folders may be left
			}
		case c.Old:
			if _, err := f.Lstat(f.journal + "/" + c.Staged); c.New != "" && gone(err) {
				l.foreign++ // somebody cleared the new bytes away
				continue
			}
			l.todo = append(l.todo, c)
		default:
			l.foreign++
		}
	}
	return l
}

// committed reads the journal. Its paths are checked again: the folder is
// anybody's.
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
			return nil, fmt.Errorf("the journal %s names %q, which is no part; remove it", f.commitFile(), c.Path)
		}
	}
	return changes, nil
}

// hashOf is the hash of a part on disk: "" when there is none, and no hash at
// all when something stands there that is no part.
func (f *itemFolder) hashOf(name string) string {
	r := partReader{item: f.item, bounds: f.platform.bounds}
	switch err := r.part(f.Root, name, name); {
	case gone(err):
		return ""
	case err != nil:
		return "unreadable"
	}
	return hash(r.parts[0].Data)
}

// apply deletes and renames. It may be done again from any point of it.
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
			// A folder that still holds something cannot be removed.
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
