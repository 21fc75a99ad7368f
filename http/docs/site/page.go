package site

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// view is what page.html shows.
type view struct {
	Title, Root, Interface string
	Text                   template.HTML // of a document
	Headings               []heading     // of a document
	Groups                 []group       // the navigation
	Index                  []entry       // of the first page
}

// group is a part of the navigation.
type group struct {
	Name  string
	Open  bool
	Pages []reference
}

// reference is a page in the navigation.
type reference struct {
	Title, Path string
	Current     bool
}

// entry is what the search knows of a page.
type entry struct {
	Title    string      `json:"title"`
	Path     string      `json:"path"`
	Headings [][2]string `json:"headings"` // id and text
	Words    string      `json:"words"`
}

// groupNames are the names of folders in the navigation, in its order. Other folders follow under their own names.
var groupNames = [][2]string{{".", "Start"}, {"docs", "Documents"}, {"docs/rules", "Rules"}, {"docs/adr", "Records of decisions"}}

// page returns the page of a document.
func (b *builder) page(d *document, text string) ([]byte, error) {
	v := view{Title: d.title, Root: d.up(), Interface: b.options.Interface, Groups: b.groups(d),
		Text: template.HTML(text)} //nolint:gosec // goldmark rendered it, without raw HTML
	for _, h := range d.headings {
		if h.level == 2 || h.level == 3 {
			v.Headings = append(v.Headings, h)
		}
	}
	return v.render()
}

// first returns the page with the list of all pages, and the search.
func (b *builder) first() ([]byte, error) {
	v := view{Title: "All pages", Interface: b.options.Interface, Groups: b.groups(nil)}
	for _, g := range v.Groups {
		for _, p := range g.Pages {
			d := b.at(p.Path)
			e := entry{Title: d.title, Path: d.path, Headings: [][2]string{}, Words: d.vocabulary()}
			for _, h := range d.headings {
				e.Headings = append(e.Headings, [2]string{h.ID, h.Text})
			}
			v.Index = append(v.Index, e)
		}
	}
	return v.render()
}

// at returns the document with the path in the site.
func (b *builder) at(to string) *document {
	for _, d := range b.pages {
		if d.path == to {
			return d
		}
	}
	return nil
}

// groups returns the navigation of a page, or of the first page, where every group is open.
func (b *builder) groups(current *document) []group {
	byFolder := map[string][]reference{}
	for _, name := range slices.Sorted(maps.Keys(b.pages)) {
		d := b.pages[name]
		byFolder[path.Dir(name)] = append(byFolder[path.Dir(name)], reference{d.title, d.path, d == current})
	}
	var groups []group
	for _, dir := range slices.SortedFunc(maps.Keys(byFolder), func(x, y string) int {
		return cmp.Or(cmp.Compare(place(x), place(y)), cmp.Compare(x, y))
	}) {
		name := strings.TrimPrefix(dir, folder)
		if i := place(dir); i < len(groupNames) {
			name = groupNames[i][1]
		}
		groups = append(groups, group{name, current == nil || path.Dir(current.source) == dir, byFolder[dir]})
	}
	return groups
}

// place returns the position in groupNames of a folder; others come last.
func place(dir string) int {
	if i := slices.IndexFunc(groupNames, func(g [2]string) bool { return g[0] == dir }); i >= 0 {
		return i
	}
	return len(groupNames)
}

func (v view) render() ([]byte, error) {
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, v)
	return out.Bytes(), err
}
