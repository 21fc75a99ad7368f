package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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
	"readiness/internal/filefault"
	"readiness/internal/filelock"
)

// WriteDefinition makes d the item's definition if the one on disk still has the hash ifHash; otherwise it returns
// ItemChanged and writes nothing. It does not touch files of unchanged parts, or names that begin with a dot and are no part. It deletes
// parts that d lacks, and folders that become empty.
//
// If the process is killed at any point, the next call finds either the old definition or the new one. WriteDefinition
// first stages the new parts in .readiness, then puts a journal there atomically, then renames the files. The next call
// that opens the item, in any process, finishes the write; it leaves alone files that were changed since. If a file or
// folder cannot be changed, WriteDefinition restores the others in the same way.
func (p *Platform) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	if err := p.bounds.check(it, d); err != nil {
		return err
	}
	return p.within(ctx, as, it, filelock.Exclusive, func(f *itemFolder) error { return f.replace(ctx, d, ifHash) })
}

// FinishWrite reports that WriteDefinition leaves no write to be finished.
func (p *Platform) FinishWrite(context.Context, item.Caller, item.Item, string) (item.Ending, error) {
	return item.Ending{Made: true}, nil
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
	if err = f.Mkdir(f.journal, 0o700); err == nil {
		crashPoint()
		err = f.stage(d, changes)
	}
	if err == nil {
		err = f.commit(ctx, changes)
	}
	if err == nil {
		if err = f.finish(); err != nil && !errors.Is(err, errChanged) {
			if left := f.undo(ctx, d, old); left != nil {
				p.logger.Warn("platform folder: a write failed halfway; the next call tries again to end it", "item", f.dir, "error", left)
				return p.unavailable(ctx, err, "%s is written in part, which the next write of it ends, because the rest cannot be", named(it))
			}
		}
	} else if left := f.RemoveAll(f.journal); left != nil { // no part has been changed yet
		p.logger.Warn("platform folder: could not clean up after a failed write; the next call tries again", "item", f.dir, "error", left)
	}
	if _, refused := domain.Refused(err); err == nil || refused {
		return err
	}
	switch {
	case errors.Is(err, errChanged):
		return changed(it)
	case !p.own && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)):
		return domain.Refuse(domain.PlatformAccessDenied,
			"the folder of %s may not be written (%s); ask the operator of the service for access", named(it),
			p.cause(err)).About(it.Type.IDName(), it.ID)
	}
	what := named(it)
	if at := filefault.Path(err); p.own && f.form != AsBIM && fs.ValidPath(at) && !strings.HasPrefix(at, f.journal) {
		what = path.Join(what, at)
	}
	return p.unavailable(ctx, err, "%s cannot be written", what)
}

func changed(it item.Item) error {
	return domain.Refuse(domain.ItemChanged, "%s was changed since it was read; read it again", named(it)).About(it.Type.IDName(), it.ID)
}

// check refuses parts that cannot be in the item's folder.
func (b bounds) check(it item.Item, d definition.Definition) error {
	refuse := func(format string, args ...any) error {
		return domain.Refuse(domain.InvalidRequest, "the definition for %s cannot be written: %s", named(it),
			fmt.Sprintf(format, args...)).About(it.Type.IDName(), it.ID)
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
// are empty, or begin with a dot and are no file of a table, and without characters that some file systems interpret.
func validPath(name string) bool {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || !utf8.ValidString(name) || len(name) > 1024 ||
		strings.Count(name, "/") >= MaxDepth {
		return false
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r == '\\' || r == ':' || unicode.IsControl(r) }) {
		return false
	}
	folders, file := path.Split(name)
	return len(file) <= 255 && (!strings.HasPrefix(file, ".") || tableFile(file)) &&
		!slices.ContainsFunc(strings.Split(folders, "/"), func(element string) bool {
			return strings.HasPrefix(element, ".") || len(element) > 255
		})
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
