package webpage

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // style and script
	"encoding/base64"
	"fmt"
	"html"
	"io"
)

// The parts of every page. They have no comments, because all is sent.
var (
	//go:embed report.css
	style string
	//go:embed report.js
	script string
)

// Page writes the HTML of a report. It uses no template: with one, the linker keeps every method of the program, 3 MB of it.
type Page struct{ out *bufio.Writer }

// HTML is text that is HTML already.
type HTML string

// Begin begins a page with its title. It loads nothing, and no script but its own runs.
func Begin(w io.Writer, title string) *Page {
	hash := func(what string) string {
		sum := sha256.Sum256([]byte(what))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	p := &Page{bufio.NewWriter(w)}
	p.Put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
`, HTML(hash(style)), HTML(hash(script)), title, HTML(style))
	return p
}

// Put writes a format with values in it, which are escaped unless they are HTML or integers. In the format, values stand in elements or in
// quoted attributes.
func (p *Page) Put(format string, values ...any) {
	for i, v := range values {
		switch v := v.(type) {
		case HTML, int:
		default:
			values[i] = html.EscapeString(fmt.Sprint(v))
		}
	}
	fmt.Fprintf(p.out, format, values...)
}

// With writes a format with a value in it, if the value is not "".
func (p *Page) With(format, value string) {
	if value != "" {
		p.Put(format, value)
	}
}

// If returns one of two texts of HTML.
func If(is bool, then, otherwise HTML) HTML {
	if is {
		return then
	}
	return otherwise
}

// End ends the page, and returns the error of writing.
func (p *Page) End() error {
	p.Put("<script>%s</script>\n</body>\n</html>\n", HTML(script))
	return p.out.Flush()
}
