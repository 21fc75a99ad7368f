package offline_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"html"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/report/webpage"
)

// tags returns the elements of a page in their order. It fails the test if the page is not well-formed.
func tags(t *testing.T, page string) (all []xml.StartElement) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			all = append(all, start.Copy())
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func htmlOf(t *testing.T, a *offline.Assessment, l report.Listing) string {
	t.Helper()
	return string(written(t, func(b *bytes.Buffer) error { return webpage.Write(b, a, l) }))
}

// The page loads nothing and runs only its own script: its policy permits exactly its style and its script, and no
// element refers to anything outside.
func TestHTMLIsSelfContained(t *testing.T) {
	t.Parallel()
	page := htmlOf(t, few(t), report.Listing{})
	hashed := func(tag string) string {
		_, content, _ := strings.Cut(page, "<"+tag+">")
		content, _, _ = strings.Cut(content, "</"+tag+">")
		sum := sha256.Sum256([]byte(content))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; style-src " + hashed("style") + "; script-src " + hashed("script") + "; base-uri 'none'; form-action 'none'"
	scripts, styles, policy := 0, 0, ""
	for _, e := range tags(t, page) {
		switch e.Name.Local {
		case "script":
			scripts++
		case "style":
			styles++
		case "meta":
			if attribute(e, "http-equiv") == "Content-Security-Policy" {
				policy = attribute(e, "content")
			}
		case "link", "img", "iframe", "object", "embed", "form", "base", "use", "image":
			t.Errorf("the page has an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if name := a.Name.Local; name == "src" || name == "style" || strings.HasPrefix(name, "on") || name == "href" && !strings.HasPrefix(a.Value, "#") {
				t.Errorf("%s has %s=%q", e.Name.Local, name, a.Value)
			}
		}
	}
	if policy != want || scripts != 1 || styles != 1 {
		t.Errorf("%d scripts, %d styles, policy %q, want %q", scripts, styles, policy, want)
	}
	for _, outside := range []string{"http:", "https:", "//", "url(", "@import", "import("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page contains %q", outside)
		}
	}
}

// Names of models are texts in the page, whatever they contain.
func TestHTMLEscapesNames(t *testing.T) {
	t.Parallel()
	hostile := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, `</style><b>`, `</bdi></td>`, `{{.Summary}}`, `<!-- x`, `javascript:x`, `&lt;b&gt;`, "\u200f\u202eevil\u2066", "a\x01b\x1b[31m",
	}
	var b strings.Builder
	b.WriteString("table '</title><script>x</script>'\n")
	for _, name := range hostile {
		b.WriteString("\n\tcolumn '" + strings.ReplaceAll(name, "'", "''") + "'\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n")
	}
	a := assess(t, offline.AssessOptions{}, files(t, map[string]string{
		`"<i>'.SemanticModel/definition/tables/T.tmdl`: b.String(), "<s>.SemanticModel/definition/model.tmdl": "<",
	}))
	a.Warnings = []offline.Warning{{File: "<u>", Line: 1, Message: "<u>\u202e"}}
	if len(a.Items) != 2 || a.Unreadable() != 1 {
		t.Fatalf("got %d items, %d unreadable", len(a.Items), a.Unreadable())
	}
	for _, l := range []report.Listing{{}, {All: true}} {
		page := htmlOf(t, a, l)
		for _, e := range tags(t, page) {
			if slices.Contains([]string{"i", "b", "s", "u", "img"}, e.Name.Local) {
				t.Errorf("a name became the element %s", e.Name.Local)
			}
		}
		if strings.Count(page, "<script>") != 1 || strings.ContainsAny(page, "\x01\x1b\u202e\u200f\u2066") {
			t.Error("a name became a script, or keeps control or direction marks")
		}
		text := html.UnescapeString(page)
		for _, name := range hostile[:9] {
			if !strings.Contains(text, "["+name+"]") {
				t.Errorf("the page lacks the name %q", name)
			}
		}
	}
}

// Each table has a caption and headers with a scope, headings leave out no level, every id is there once, and every
// link leads to one.
func TestHTMLIsAccessible(t *testing.T) {
	t.Parallel()
	page := htmlOf(t, few(t), report.Listing{})
	level, tables, captions := 0, 0, 0
	ids, links := map[string]bool{}, []string{}
	for _, e := range tags(t, page) {
		name := e.Name.Local
		switch {
		case name == "html" && attribute(e, "lang") != "en":
			t.Error("the page has no language")
		case len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6':
			next := int(name[1] - '0')
			if next > level+1 {
				t.Errorf("a heading of level %d follows one of level %d", next, level)
			}
			level = next
		case name == "table":
			tables++
		case name == "caption":
			captions++
		case name == "th" && attribute(e, "scope") == "":
			t.Error("a header has no scope")
		case name == "svg" && attribute(e, "aria-hidden") != "true":
			t.Error("a bar is read aloud")
		}
		if id := attribute(e, "id"); id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
		}
		if to := attribute(e, "href"); to != "" {
			links = append(links, to)
		}
		if of := attribute(e, "aria-labelledby"); of != "" {
			links = append(links, "#"+of)
		}
	}
	for _, to := range links {
		if !ids[strings.TrimPrefix(to, "#")] {
			t.Errorf("%s leads nowhere", to)
		}
	}
	if tables == 0 || tables != captions || len(links) < 4 {
		t.Errorf("%d tables have %d captions; %d links", tables, captions, len(links))
	}
}

var (
	schemes = regexp.MustCompile(`(?s):root \{(.*?)\}`)
	colors  = regexp.MustCompile(`--(\w+): #(\w{6});`)
)

// luminance is the relative luminance of a color by WCAG 2.
func luminance(hex string) float64 {
	total := 0.0
	for n, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, _ := strconv.ParseUint(hex[2*n:2*n+2], 16, 8)
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		total += weight * c
	}
	return total
}

// Texts have a contrast of at least 4.5 to 1 in the light, the dark and the printed page, and bars of 3 to 1.
func TestHTMLContrast(t *testing.T) {
	t.Parallel()
	style, err := os.ReadFile("report/webpage/report.css")
	if err != nil {
		t.Fatal(err)
	}
	found := schemes.FindAllStringSubmatch(string(style), -1)
	if len(found) != 3 || !strings.Contains(string(style), "@media print") || !strings.Contains(string(style), "prefers-color-scheme: dark") {
		t.Fatalf("got %d schemes, want a light, a dark and a printed one", len(found))
	}
	contrast := func(a, b string) float64 {
		x, y := luminance(a), luminance(b)
		return (max(x, y) + 0.05) / (min(x, y) + 0.05)
	}
	for n, scheme := range found {
		of := map[string]string{}
		for _, c := range colors.FindAllStringSubmatch(scheme[1], -1) {
			of[c[1]] = c[2]
		}
		for _, ink := range []string{"ink", "quiet", "link", "good", "fair", "poor"} {
			for _, paper := range []string{"paper", "soft"} {
				if got := contrast(of[ink], of[paper]); got < 4.5 {
					t.Errorf("scheme %d: %s on %s has a contrast of %.2f", n, ink, paper, got)
				}
			}
		}
		for _, bar := range []string{"good", "fair", "poor"} {
			if got := contrast(of[bar], of["track"]); got < 3 {
				t.Errorf("scheme %d: a bar %s on its track has a contrast of %.2f", n, bar, got)
			}
		}
	}
}
