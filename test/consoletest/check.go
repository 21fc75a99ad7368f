package consoletest

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// maxPage is the largest size of a page with its style and script, as they are sent, in bytes.
const maxPage = 50 << 10

// CheckPage fails the test if a page breaks a rule of all pages: its weight, one heading of the first level, labels of its
// fields, no repeated id, nothing inline that the policy forbids, and nothing from elsewhere.
func (b *Browser) CheckPage(got Answer) {
	t := b.w.t
	t.Helper()
	root, err := html.Parse(strings.NewReader(got.Body))
	if err != nil {
		t.Fatal(err)
	}
	p := &checked{t: t, at: got.Request.URL.Path, ids: map[string]int{}}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			p.element(n)
		}
	}
	p.labels()
	if p.headings != 1 {
		p.wrong("%d headings of the first level", p.headings)
	}
	weight := got.Size
	for _, path := range p.loads {
		weight += b.Get(path).Size
	}
	if weight > maxPage {
		p.wrong("%d bytes with style and script, at most %d", weight, maxPage)
	}
}

// checked is a page that is being checked.
type checked struct {
	t        testing.TB
	at       string
	headings int
	ids      map[string]int
	fields   []*html.Node
	fors     []string
	loads    []string
}

func (p *checked) wrong(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf("%s: "+format, append([]any{p.at}, args...)...)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (p *checked) element(n *html.Node) {
	for _, a := range n.Attr {
		switch {
		case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
			p.wrong("<%s %s> is forbidden by the policy", n.Data, a.Key)
		case a.Key == "id":
			if p.ids[a.Val]++; p.ids[a.Val] == 2 {
				p.wrong("the id %q is repeated", a.Val)
			}
		case (a.Key == "src" || a.Key == "action") && !strings.HasPrefix(a.Val, "/"):
			p.wrong("<%s %s=%q> is elsewhere", n.Data, a.Key, a.Val)
		}
	}
	switch n.Data {
	case "h1":
		p.headings++
	case "style":
		p.wrong("an inline style")
	case "script":
		if n.FirstChild != nil {
			p.wrong("an inline script")
		}
		p.loads = append(p.loads, attribute(n, "src"))
	case "link":
		if attribute(n, "rel") == "stylesheet" {
			p.loads = append(p.loads, attribute(n, "href"))
		}
	case "label":
		p.fors = append(p.fors, attribute(n, "for"))
	case "input", "select", "textarea":
		hidden := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
		if attribute(n, "type") != "hidden" && !hidden {
			p.fields = append(p.fields, n)
		}
	}
}

// labels checks that each field has a label.
func (p *checked) labels() {
	for _, field := range p.fields {
		if attribute(field, "aria-label") != "" || slices.Contains(p.fors, attribute(field, "id")) && attribute(field, "id") != "" {
			continue
		}
		labelled := false
		for above := range field.Ancestors() {
			labelled = labelled || above.Data == "label"
		}
		if !labelled {
			p.wrong("a field named %q has no label", attribute(field, "name"))
		}
	}
}
