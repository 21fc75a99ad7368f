// Package site renders Markdown documents as a site of static pages with a navigation and a search. The pages load
// only the site's own style sheet, script and images, and links between them are relative, so the site works below any
// address and in a folder.
package site

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Site is the result of Build.
type Site struct {
	// Files are the contents of the site, by path. The site begins at index.html.
	Files map[string][]byte
	// Broken describes each link to a page or a heading that does not exist.
	Broken []string
	// Sources are the paths of the other files of the repository that pages link to.
	Sources []string
}

// Options say what surrounds the site.
type Options struct {
	// Source is the address of the repository's folder. Links to files that are no pages lead below it; without it they are
	// text.
	Source string
	// Interface is the address of the interface's description. Without it there is no link to it.
	Interface string
}

const (
	folder = "docs/" // the site shows this folder at its top
	start  = "index.html"
)

var (
	//go:embed style.css
	style []byte
	//go:embed search.js
	search []byte
)

// fileTypes are the extensions of files that pages may show or link to.
var fileTypes = []string{".gif", ".jpeg", ".jpg", ".json", ".png", ".svg", ".webp"}

// Build renders the Markdown files of tree. Files of the folder docs are at the top of the site, next to those of the
// tree's root. It fails if two documents would have the same path.
func Build(tree fs.FS, o Options) (*Site, error) {
	b := builder{options: o, pages: map[string]*document{}, images: map[string]string{}, sources: map[string]bool{}}
	s := &Site{Files: map[string][]byte{"style.css": style, "search.js": search, start: nil}}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		ext := path.Ext(name)
		to := strings.TrimPrefix(name, folder)
		if ext == ".md" {
			to = strings.TrimSuffix(to, ext) + ".html"
		} else if !slices.Contains(fileTypes, ext) {
			return nil
		}
		if _, taken := s.Files[to]; taken {
			return fmt.Errorf("two files have the path %s in the site, one of them is %s", to, name)
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		s.Files[to] = text
		if ext == ".md" {
			b.pages[name] = parse(name, to, text)
		} else {
			b.images[name] = to
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("docsite: %w", err)
	}
	if err := b.render(s.Files); err != nil {
		return nil, fmt.Errorf("docsite: %w", err)
	}
	s.Broken, s.Sources = b.broken, slices.Sorted(maps.Keys(b.sources))
	return s, nil
}

// builder collects the documents and what their links refer to.
type builder struct {
	options Options
	pages   map[string]*document // by path in the repository
	images  map[string]string    // path in the site, by path in the repository
	broken  []string
	sources map[string]bool
}

// render replaces the text of each document in files by its page, and adds the first page.
func (b *builder) render(files map[string][]byte) error {
	inOrder := slices.Sorted(maps.Keys(b.pages))
	for _, name := range inOrder {
		d := b.pages[name]
		b.link(d)
		var text bytes.Buffer
		if err := markdown.Renderer().Render(&text, d.text, d.root); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		page, err := b.page(d, text.String())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files[d.path] = page
	}
	first, err := b.first()
	files[start] = first
	return err
}
