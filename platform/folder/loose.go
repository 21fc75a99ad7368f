package folder

import (
	"context"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/domain"
)

func isBIM(name string) bool  { return strings.EqualFold(path.Ext(name), ".bim") }
func isTMDL(name string) bool { return strings.EqualFold(path.Ext(name), ".tmdl") }

// contents lists what a folder holds, as far as it serves to recognize models. Names that begin with a dot are only in
// hidden; links are nowhere.
type contents struct {
	folders, hidden, bims []string // sorted by name
	// pbism, definition and bim report whether there is a definition.pbism, a folder called definition and a model.bim;
	// tmdl, a model.tmdl or database.tmdl.
	pbism, definition, bim, tmdl bool
}

// project reports whether the folder's contents make it a semantic model, whatever its name: reports refer to such
// folders by path.
func (c contents) project() bool { return c.pbism && (c.definition || c.bim) }

// holds lists what a folder holds.
func (p *Platform) holds(ctx context.Context, at *os.Root) (c contents, err error) {
	f, err := at.Open(".")
	if err != nil {
		return c, err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(1000)
		for _, e := range entries {
			name := e.Name()
			is := func(other string) bool { return strings.EqualFold(name, other) }
			switch {
			case e.IsDir() && strings.HasPrefix(name, "."):
				c.hidden = append(c.hidden, name)
			case e.IsDir():
				c.folders = append(c.folders, name)
				c.definition = c.definition || is("definition")
			case !e.Type().IsRegular() || strings.HasPrefix(name, "."):
			case isBIM(name):
				c.bims = append(c.bims, name)
				c.bim = c.bim || is("model.bim")
			default:
				c.pbism = c.pbism || is("definition.pbism")
				c.tmdl = c.tmdl || is("model.tmdl") || is("database.tmdl")
			}
		}
		switch {
		case ctx.Err() != nil:
			return c, ctx.Err()
		case err == io.EOF || gone(err):
			slices.Sort(c.folders)
			slices.Sort(c.hidden)
			slices.Sort(c.bims)
			return c, nil
		case err != nil:
			return c, err
		}
	}
}

// journal returns the folder of the item's journal, relative to Folder. In a folder whose name does not mark it as an
// item, .readiness may be something else, such as the service's own data. There the journal's name says which item it
// belongs to.
func (i TreeItem) journal() string {
	_, named := TypeOf(path.Base(i.Path))
	switch {
	case i.Form == AsTMDL:
		return ".tmdl" + journal
	case i.Form == AsBIM:
		return "." + path.Base(i.Path) + journal
	case !named:
		return ".model" + journal
	}
	return journal
}

// read reads the parts into r.
func (f *itemFolder) read(r *partReader) error {
	if f.form == AsBIM {
		return r.named(f.Root, f.file, f.file)
	}
	if f.form == AsTMDL {
		r.skip = func(at *os.Root, e os.DirEntry) (bool, error) { return f.foreign(r.ctx, at, e) }
	}
	return r.read(f.Root, "", 1)
}

// foreign reports whether an entry next to TMDL files is not part of the model: any other file, and folders that are
// models themselves or hold scripts. A link that could be one of the model's files or folders is not foreign.
func (f *itemFolder) foreign(ctx context.Context, at *os.Root, e os.DirEntry) (bool, error) {
	name := e.Name()
	switch {
	case e.Type()&os.ModeSymlink != 0:
		return !isTMDL(name) && path.Ext(name) != "", nil
	case !e.IsDir():
		return !isTMDL(name), nil
	case strings.EqualFold(name, "TMDLScripts"):
		return true, nil
	}
	if _, isItem := TypeOf(name); isItem {
		return true, nil
	}
	below, err := at.OpenRoot(name)
	if err != nil {
		return false, err
	}
	defer below.Close()
	c, err := f.platform.holds(ctx, below)
	return c.project() || c.tmdl, err
}

// owns reports whether a part with the path can belong to the item.
func (f *itemFolder) owns(name string) bool {
	switch f.form {
	case AsBIM:
		return name == f.file
	case AsTMDL:
		return isTMDL(name)
	default:
		return true
	}
}

// placed refuses parts that a loose model cannot have.
func (f *itemFolder) placed(d definition.Definition) error {
	for _, p := range d.Parts {
		if !f.owns(p.Path) {
			return domain.Refuse(domain.InvalidRequest, "the definition for %s cannot be written: %q is not one of its files",
				named(f.item), p.Path)
		}
	}
	return nil
}
