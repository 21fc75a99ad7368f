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

// WriteDefinition makes d the item's definition if the one on disk still has the hash ifHash; otherwise it returns
// ItemChanged and writes nothing. It does not touch files of unchanged parts or names that begin with a dot. It deletes
// parts that d lacks, and folders that become empty.
//
// If the process is killed at any point, the next call finds either the old definition or the new one. WriteDefinition
// first stages the new parts in .readiness, then puts a journal there atomically, then renames the files. The next call
// that opens the item, in any process, finishes the write; it leaves alone files that were changed since.
func (p *Platform) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	if err := p.bounds.check(it, d); err != nil {
		return err
	}
	return p.within(ctx, as, it, exclusive, func(f *itemFolder) error { return f.replace(ctx, d, ifHash) })
}

// replace makes d the definition of the item, whose folder is locked, if the one on disk has the hash ifHash.
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
	} else if left := f.RemoveAll(f.journal); left != nil { // no part has been changed yet
		p.logger.Warn("platform folder: could not clean up after a failed write; the next call tries again", "item", f.dir, "error", left)
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

// check refuses parts that cannot be in the item's folder.
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
				return refuse("%q is both a part and a folder", dir)
			}
		}
		switch {
		case !validPath(p.Path):
			return refuse("%q is not a path inside the item's folder", p.Path)
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

// validPath reports whether a part may have the path. It must be relative, with forward slashes, without elements that
// are empty or begin with a dot, and without characters that some file systems interpret.
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

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// difference returns the changes that turn one definition into another: first the parts of to, then the removed ones,
// each by path.
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

// stage writes the new parts into the journal's folder.
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
			return domain.Refuse(domain.InvalidRequest, "the definition for %s cannot be written: a folder is in the place of the part %q, or a file in the place of one of its folders", named(f.item), c.Path).About(idName(f.item.Type), f.item.ID)
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

// sync makes a folder's entries durable.
func (f *itemFolder) sync(dir string) error {
	file, err := f.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
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
	r := partReader{item: f.item, bounds: f.platform.bounds}
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
