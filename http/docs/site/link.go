package site

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// link gives the links and images of a document their addresses in the site, and replaces those that have none by
// their text.
func (b *builder) link(d *document) {
	var links []ast.Node // the tree must not change while it is walked
	d.walk(func(n ast.Node) {
		switch n.(type) {
		case *ast.Link, *ast.Image, *ast.AutoLink:
			links = append(links, n)
		}
	})
	for _, n := range links {
		switch n := n.(type) {
		case *ast.Link:
			address, ok := b.target(d, string(n.Destination))
			if !ok {
				unwrap(n)
				continue
			}
			n.Destination = []byte(address)
		case *ast.AutoLink: // goldmark keeps those that run scripts
			if _, ok := b.target(d, string(n.URL(d.text))); !ok && n.AutoLinkType == ast.AutoLinkURL {
				words := ast.NewString(n.Label(d.text))
				words.SetRaw(true)
				n.Parent().ReplaceChild(n.Parent(), n, words)
			}
		case *ast.Image:
			name, _, ok := inside(d, string(n.Destination))
			if to := b.images[name]; ok && to != "" {
				n.Destination = []byte(d.up() + to)
				continue
			}
			if ok {
				b.broken = append(b.broken, fmt.Sprintf("%s: there is no image %s", d.source, n.Destination))
			}
			unwrap(n)
		}
	}
}

// target returns the address of a link, or false if it has none in the site.
func (b *builder) target(d *document, destination string) (address string, ok bool) {
	name, u, ok := inside(d, destination)
	if !ok {
		return destination, u != nil && slices.Contains([]string{"http", "https", "mailto"}, u.Scheme)
	}
	to := b.pages[name]
	if to == nil {
		to = b.pages[path.Join(name, "README.md")]
	}
	fragment := ""
	if u.Fragment != "" {
		fragment = "#" + u.EscapedFragment()
	}
	switch {
	case to != nil && u.Fragment != "" && !to.has(u.Fragment):
		b.broken = append(b.broken, fmt.Sprintf("%s: %s has no heading %q", d.source, to.source, u.Fragment))
		return d.up() + to.path, true
	case to == d && fragment != "":
		return fragment, true
	case to != nil:
		return d.up() + to.path + fragment, true
	case b.images[name] != "":
		return d.up() + b.images[name], true
	case path.Ext(name) == ".md" && strings.HasPrefix(name, folder):
		b.broken = append(b.broken, fmt.Sprintf("%s: there is no page %s", d.source, name))
		return "", false
	}
	b.sources[name] = true
	if b.options.Source == "" {
		return "", false
	}
	return strings.TrimSuffix(b.options.Source, "/") + "/" + (&url.URL{Path: name}).EscapedPath() + fragment, true
}

// inside returns the path in the repository of what a document refers to, or false if it is elsewhere. The address is
// nil if it is malformed.
func inside(d *document, destination string) (name string, u *url.URL, ok bool) {
	u, err := url.Parse(destination)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" {
		return "", u, false
	}
	switch {
	case u.Path == "":
		name = d.source
	case strings.HasPrefix(u.Path, "/"):
		name = path.Clean(u.Path)[1:]
	default:
		name = path.Join(path.Dir(d.source), u.Path)
	}
	return name, u, !strings.HasPrefix(name, "..")
}

// up returns the relative address of the site's top for a document.
func (d *document) up() string { return strings.Repeat("../", strings.Count(d.path, "/")) }

// unwrap replaces a node by what it contains.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for c := n.FirstChild(); c != nil; c = n.FirstChild() {
		parent.InsertBefore(parent, n, c)
	}
	parent.RemoveChild(parent, n)
}
