package site_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"readiness/http/docs/site"
)

// build renders documents, given by path.
func build(t *testing.T, o site.Options, texts map[string]string) *site.Site {
	t.Helper()
	s, err := site.Build(files(texts), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func files(texts map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range texts {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

func TestFiles(t *testing.T) {
	t.Parallel()
	s := build(t, site.Options{Interface: "/docs"}, map[string]string{
		"README.md": "# Top", "docs/a.md": "no title", "docs/rules/README.md": "# Rules", "docs/p.png": "picture", "docs/docs.go": "package docs",
		"docs/other/b.md": "## Two\n# One\n# Again",
	})
	want := []string{"README.html", "a.html", "index.html", "other/b.html", "p.png", "rules/README.html", "search.js", "style.css"}
	if got := slices.Sorted(maps.Keys(s.Files)); !slices.Equal(got, want) {
		t.Errorf("got files %q, want %q", got, want)
	}
	if string(s.Files["p.png"]) != "picture" {
		t.Error("the picture was changed")
	}
	page := string(s.Files["other/b.html"])
	for _, part := range []string{"<title>One – Readiness</title>", `<link rel="stylesheet" href="../style.css">`, `<a href="/docs">Interface</a>`,
		`<a href="../other/b.html" aria-current="page">One</a>`, `<a href="../a.html">docs/a.md</a>`, `<li><a href="#two">Two</a></li>`} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %s:\n%s", part, page)
		}
	}
	last := 0
	for _, part := range []string{"Start", "Documents", "Rules", "other"} {
		at := strings.Index(page, "<summary>"+part+"</summary>")
		if at < last {
			t.Errorf("the group %s is not in its place", part)
		}
		last = at
	}
	if page := string(build(t, site.Options{}, map[string]string{"a.md": ""}).Files["a.html"]); strings.Contains(page, "Interface") {
		t.Errorf("without the address of the interface the page has a link to it:\n%s", page)
	}
}

func TestSamePathTwice(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string]map[string]string{
		"in the root and in docs": {"README.md": "", "docs/README.md": ""},
		"the first page":          {"docs/index.md": ""},
	} {
		if s, err := site.Build(files(texts), site.Options{}); err == nil || s != nil || !strings.Contains(err.Error(), "have the path") {
			t.Errorf("%s: got %v, error %v", name, s, err)
		}
	}
}

func TestAnchors(t *testing.T) {
	t.Parallel()
	s := build(t, site.Options{}, map[string]string{"a.md": strings.Join([]string{
		"# 1. A call, from the outside in", "## `a_b` and *c*", "## Twice", "## Twice", "## Twice-1", "## Größe", "## [Link](#twice) \\* end", "Set\n---",
	}, "\n\n")})
	page := string(s.Files["a.html"])
	for _, id := range []string{"1-a-call-from-the-outside-in", "a_b-and-c", "twice", "twice-1", "twice-1-1", "größe", "link--end", "set"} {
		if strings.Count(page, ` id="`+id+`">`) != 1 {
			t.Errorf("there is not one heading with id %s:\n%s", id, page)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	const source = "https://forge.example/tree/v1"
	for destination, want := range map[string]struct{ with, without, broken string }{
		"b.md":                     {with: `<a href="b.html">x</a>`},
		"b.md#two":                 {with: `<a href="b.html#two">x</a>`},
		"#one":                     {with: `<a href="#one">x</a>`},
		"a.md#one":                 {with: `<a href="#one">x</a>`},
		"../README.md":             {with: `<a href="README.html">x</a>`},
		"/README.md":               {with: `<a href="README.html">x</a>`},
		"rules/":                   {with: `<a href="rules/README.html">x</a>`},
		"p.png":                    {with: `<a href="p.png">x</a>`},
		"https://elsewhere.test/?": {with: `<a href="https://elsewhere.test/?">x</a>`},
		"mailto:a@b.test":          {with: `<a href="mailto:a@b.test">x</a>`},
		"../LICENSE":               {with: `<a href="` + source + `/LICENSE">x</a>`, without: `<p>x</p>`},
		"../http/a.go#L7":          {with: `<a href="` + source + `/http/a.go#L7">x</a>`, without: `<p>x</p>`},
		"../samples/README.md":     {with: `<a href="` + source + `/samples/README.md">x</a>`, without: `<p>x</p>`},
		"../../outside":            {with: `<p>x</p>`},
		"javascript:alert(1)":      {with: `<p>x</p>`},
		"data:text/html,x":         {with: `<p>x</p>`},
		"//elsewhere.test":         {with: `<p>x</p>`},
		"%zz":                      {with: `<p>x</p>`},
		"c.md":                     {with: `<p>x</p>`, broken: "docs/a.md: there is no page docs/c.md"},
		"b.md#three":               {with: `<a href="b.html">x</a>`, broken: `docs/a.md: docs/b.md has no heading "three"`},
		"#three":                   {with: `<a href="a.html">x</a>`, broken: `docs/a.md: docs/a.md has no heading "three"`},
	} {
		for _, o := range []site.Options{{Source: source}, {}} {
			s := build(t, o, map[string]string{"docs/a.md": "# One\n\n[x](" + destination + ")", "docs/b.md": "## Two", "README.md": "",
				"docs/rules/README.md": "", "docs/p.png": ""})
			part := want.with
			if o.Source == "" && want.without != "" {
				part = want.without
			}
			if page := string(s.Files["a.html"]); !strings.Contains(page, part) {
				t.Errorf("%s with source %q: the page lacks %s:\n%s", destination, o.Source, part, page)
			}
			if got := strings.Join(s.Broken, "\n"); got != want.broken {
				t.Errorf("%s: got broken %q, want %q", destination, got, want.broken)
			}
			if toSource := len(s.Sources) == 1; toSource != (want.without != "") {
				t.Errorf("%s: got sources %q", destination, s.Sources)
			}
		}
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	for destination, want := range map[string]struct{ part, broken string }{
		"../p.png":                     {part: `<img src="../p.png" alt="x">`},
		"https://elsewhere.test/p.png": {part: "<p>x</p>"},
		"//elsewhere.test/p.png":       {part: "<p>x</p>"},
		"data:image/png;base64,AAAA":   {part: "<p>x</p>"},
		"q.png":                        {part: "<p>x</p>", broken: "docs/adr/a.md: there is no image q.png"},
	} {
		s := build(t, site.Options{}, map[string]string{"docs/adr/a.md": "![x](" + destination + ")", "docs/p.png": ""})
		if page := string(s.Files["adr/a.html"]); !strings.Contains(page, want.part) {
			t.Errorf("%s: the page lacks %s:\n%s", destination, want.part, page)
		}
		if got := strings.Join(s.Broken, "\n"); got != want.broken {
			t.Errorf("%s: got broken %q, want %q", destination, got, want.broken)
		}
	}
}

// What a document contains never becomes an element, an attribute or a script of the page.
func TestHostileMarkdown(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"block":        "<script>alert(1)</script>",
		"inline":       "a <img src=x onerror=alert(1)> b",
		"style":        "<style>@import url(https://elsewhere.test)</style>",
		"heading":      "# <b onclick=alert(1)>x</b>",
		"title":        "# </title>\\<script>alert(1)\\</script>",
		"code":         "# `</script><script>alert(1)</script>`",
		"fence":        "```\"><script>alert(1)</script>\nx\n```",
		"link":         "[x](javascript:alert\\(1\\))",
		"autolink":     "<javascript:alert(1)>",
		"other scheme": "<x-app:<script>alert(1)</script>> <vbscript:a&b>",
		"link title":   `[x](a.md "\" onclick=alert(1) \"")`,
		"reference":    "[x][1]\n\n[1]: JaVaScRiPt:alert(1)",
		"image alt":    "![\" onerror=alert(1)](a.png)",
		"mermaid":      "```mermaid\nflowchart <script>alert(1)</script>\n```",
		"table":        "| <script>alert(1)</script> |\n|---|\n| <iframe src=https://elsewhere.test> |",
		"attribute":    "# x {onclick=alert(1)}",
		"search data":  "# x\n\n`</script><script>alert(1)</script>`",
	} {
		s := build(t, site.Options{Source: "https://forge.example"}, map[string]string{"docs/a.md": text})
		for _, page := range []string{"a.html", "index.html"} {
			for _, problem := range elementProblems(t, s.Files[page]) {
				t.Errorf("%s: %s: %s\n%s", name, page, problem, s.Files[page])
			}
		}
	}
}
