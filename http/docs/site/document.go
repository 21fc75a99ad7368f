package site

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"readiness/internal/lists"
)

// markdown is Markdown as GitHub reads it. It omits raw HTML and the addresses of links that run scripts. Tables are
// aligned by attributes because the policy of the service allows no inline styles.
var markdown = goldmark.New(goldmark.WithExtensions(
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
	extension.Linkify, extension.Strikethrough, extension.TaskList,
))

// document is a parsed Markdown file.
type document struct {
	source, path string // in the repository, in the site
	title        string
	text         []byte // Markdown
	root         ast.Node
	headings     []heading
}

// heading is a heading of a document, and its id in the page.
type heading struct {
	level    int
	ID, Text string
}

// parse reads a document and gives its headings the ids that GitHub gives them.
func parse(source, to string, content []byte) *document {
	d := &document{source: source, path: to, title: source, text: content, root: markdown.Parser().Parse(text.NewReader(content))}
	taken := map[string]bool{}
	titled := false
	d.walk(func(n ast.Node) {
		h, ok := n.(*ast.Heading)
		if !ok {
			return
		}
		words := d.words(h)
		id := Anchor(words)
		for i := 1; taken[id]; i++ {
			id = Anchor(words) + "-" + strconv.Itoa(i)
		}
		taken[id] = true
		h.SetAttributeString("id", []byte(id))
		d.headings = append(d.headings, heading{h.Level, id, words})
		if h.Level == 1 && !titled && words != "" {
			d.title, titled = words, true
		}
	})
	return d
}

// Anchor returns the id that GitHub gives the first heading with this text of a page.
func Anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// has reports whether the document has a heading with the id.
func (d *document) has(id string) bool {
	return slices.ContainsFunc(d.headings, func(h heading) bool { return h.ID == id })
}

// walk visits every node in the order of the text.
func (d *document) walk(visit func(ast.Node)) {
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // fails only if visit does
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// words returns the text in a node without its marks.
func (d *document) words(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // fails only if the function does
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(n.Value(d.text)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(n.Label(d.text))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// word is what the search can find.
var word = regexp.MustCompile(`[\p{L}\p{N}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_]`)

// vocabulary returns every word of the document once, in lower case.
func (d *document) vocabulary() string {
	all := lists.Set(word.FindAllString(strings.ToLower(string(d.text)), -1))
	return strings.Join(slices.Sorted(maps.Keys(all)), " ")
}
