package site_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"readiness"
	"readiness/http/docs/site"
)

// elements are those that a page may have.
var elements = strings.Fields(`html head meta title link script body a header form label input div nav details summary ul ol li main p
	section h1 h2 h3 h4 h5 h6 pre code em strong del table thead tbody tr th td blockquote hr br img`)

// attributes are those that elements may have. None runs a script or has a style.
var attributes = strings.Fields(`lang charset name content rel href src defer class id role action type maxlength autocomplete aria-label
	aria-current open hidden alt title align start checked disabled`)

// nodes returns the elements of a page.
func nodes(t *testing.T, page []byte) []*html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// elementProblems names elements and attributes that the page may not have, and what it loads from elsewhere.
func elementProblems(t *testing.T, page []byte) (problems []string) {
	t.Helper()
	scripts := map[string]int{}
	for _, n := range nodes(t, page) {
		if !slices.Contains(elements, n.Data) {
			problems = append(problems, "the element "+n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(attributes, a.Key) {
				problems = append(problems, "the attribute "+a.Key)
			}
		}
		if n.Data == "script" {
			scripts[attribute(n, "src")+attribute(n, "type")]++
		}
		for _, key := range []string{"src", "href", "action"} {
			u, err := url.Parse(attribute(n, key))
			switch {
			case err != nil, key != "href" && (u.Host != "" || u.Scheme != ""), n.Data == "link" && u.Host != "":
				problems = append(problems, fmt.Sprintf("%s loads %s", n.Data, attribute(n, key)))
			case !slices.Contains([]string{"", "http", "https", "mailto"}, u.Scheme):
				problems = append(problems, fmt.Sprintf("%s leads to %s", n.Data, attribute(n, key)))
			}
		}
	}
	if len(scripts) > 0 && (len(scripts) != 2 || scripts["search.js"] != 1 || scripts["application/json"] != 1) {
		problems = append(problems, fmt.Sprintf("the scripts %v", scripts))
	}
	return problems
}

func repository(t *testing.T) *site.Site {
	t.Helper()
	s, err := site.Build(readiness.Documents, site.Options{Interface: "/docs"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every link of every page of this repository leads to a file of the site and to a heading in it, every source file that
// the documents link to exists, and no page loads anything from elsewhere.
func TestPagesOfTheRepository(t *testing.T) {
	t.Parallel()
	s := repository(t)
	for _, problem := range s.Broken {
		t.Error(problem)
	}
	for _, name := range s.Sources {
		if _, err := os.Stat(filepath.Join("../../..", name)); err != nil {
			t.Errorf("a document links to %s: %v", name, err)
		}
	}
	ids := map[string]bool{} // page#id
	for name, text := range s.Files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, n := range nodes(t, text) {
			if id := attribute(n, "id"); id != "" {
				if ids[name+"#"+id] {
					t.Errorf("%s has the id %s twice", name, id)
				}
				ids[name+"#"+id] = true
			}
		}
	}
	checked := 0
	for name, text := range s.Files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, problem := range elementProblems(t, text) {
			t.Errorf("%s: %s", name, problem)
		}
		for _, n := range nodes(t, text) {
			for _, key := range []string{"href", "src", "action"} {
				u, err := url.Parse(attribute(n, key))
				if err != nil || u.Scheme != "" || u.String() == "" || u.Path == "/docs" {
					continue
				}
				checked++
				to := name
				if u.Path != "" {
					to = path.Join(path.Dir(name), u.Path)
				}
				if _, ok := s.Files[to]; !ok || u.Fragment != "" && !ids[to+"#"+u.Fragment] {
					t.Errorf("%s: %s leads nowhere", name, u)
				}
			}
		}
	}
	if checked < 5000 {
		t.Errorf("only %d links were checked", checked)
	}
}

// entry is what the index of the first page knows of a page.
type entry struct {
	Title, Path, Words string
	Headings           [][2]string
}

// The first page lists every page, and its index, which the script searches, has every page with its title, its headings
// and its words.
func TestFirstPage(t *testing.T) {
	t.Parallel()
	s := repository(t)
	var listed []string
	var index []entry
	for _, n := range nodes(t, s.Files["index.html"]) {
		if n.Data == "a" && n.Parent.Data == "li" {
			listed = append(listed, attribute(n, "href")+" "+n.FirstChild.Data)
		}
		if attribute(n, "id") == "pages" {
			if err := json.Unmarshal([]byte(n.FirstChild.Data), &index); err != nil {
				t.Fatal(err)
			}
		}
	}
	pages := 0
	for name := range s.Files {
		if path.Ext(name) == ".html" && name != "index.html" {
			pages++
		}
	}
	if len(listed) != pages || len(index) != pages {
		t.Fatalf("of %d pages %d are listed and %d in the index", pages, len(listed), len(index))
	}
	for i, e := range index {
		if listed[i] != e.Path+" "+e.Title {
			t.Errorf("entry %d of the index is %s and of the list %s", i, e.Path, listed[i])
		}
		page := string(s.Files[e.Path])
		if !strings.Contains(page, "<title>") || len(e.Headings) == 0 || e.Headings[0][1] != e.Title {
			t.Errorf("%s: the title is %q, the headings are %q", e.Path, e.Title, e.Headings)
		}
		for _, h := range e.Headings {
			if !strings.Contains(page, ` id="`+h[0]+`"`) {
				t.Errorf("%s has no heading %s", e.Path, h[0])
			}
		}
	}
	for words, want := range map[string]string{"readiness_corpus": "CONTRIBUTING.html", "dsc-01": "rules/DSC-01.html"} {
		if !slices.ContainsFunc(index, func(e entry) bool { return e.Path == want && slices.Contains(strings.Fields(e.Words), words) }) {
			t.Errorf("%s is not found by %s", want, words)
		}
	}
}
