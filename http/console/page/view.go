package page

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"readiness/domain/readiness"
	"readiness/http/console/chart"
)

//go:embed *.html
var layouts embed.FS

// layout is the frame of every page.
var layout = template.Must(template.New("layout").Funcs(functions).ParseFS(layouts, "layout.html", "outcomes.html"))

// View is the template of a page: a file that defines "content". Names that people or the platform chose belong in a bdi
// element, because they may be in any script.
type View struct{ template *template.Template }

// NewView returns the view of a file of a screen's package, usually embedded there. It panics if the file is not a template.
func NewView(files fs.FS, names ...string) View {
	return View{template.Must(template.Must(layout.Clone()).ParseFS(files, names...))}
}

// functions are the functions that templates may call.
var functions = template.FuncMap{
	"day":       day,
	"moment":    func(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04 UTC") },
	"stamp":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"number":    number,
	"decimal":   chart.Decimal,
	"signed":    signed,
	"trend":     trend,
	"plural":    plural,
	"tone":      func(score int) chart.Tone { return Tone(score) },
	"band":      func(score int) readiness.Band { return readiness.BandOf(score) },
	"pathOf":    func(segment string) string { return url.PathEscape(segment) },
	"style":     func() string { return stylePath },
	"script":    func() string { return scriptPath },
	"icon":      func() string { return iconPath },
	"spark":     chart.Spark.HTML,
	"bars":      chart.Bars.HTML,
	"line":      chart.Line.HTML,
	"intervals": chart.Intervals.HTML,
	"calendar":  chart.Calendar.HTML,
	"spread":    chart.Spread.HTML,
	"parts":     parts,
	"words":     func(value any) string { return Words(fmt.Sprint(value)) },
}

// Tone returns how a score is coloured: by its band.
func Tone(score int) chart.Tone {
	switch readiness.BandOf(score) {
	case readiness.BandReady:
		return chart.Good
	case readiness.BandNearlyReady:
		return chart.Near
	case readiness.BandNeedsWork:
		return chart.Fair
	case readiness.BandNotReady:
	}
	return chart.Poor
}

// Words returns a value of the interface, such as ApplyOptimization, in words: apply optimization.
func Words(value string) string {
	var b strings.Builder
	for i, c := range value {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.ReplaceAll(b.String(), "pixies", "Pixies")
}

// parts returns a technical name, such as account.license-saved, with a place for a line break after each of its parts.
func parts(name string) template.HTML {
	broken := strings.NewReplacer(".", ".<wbr>", "-", "-<wbr>").Replace(template.HTMLEscapeString(name))
	return template.HTML(broken) //nolint:gosec // it is escaped
}

func day(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// number returns an integer with thin spaces between thousands.
func number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// signed returns a change with its sign.
func signed(n int) string {
	switch {
	case n > 0:
		return "+" + strconv.Itoa(n)
	case n < 0:
		return "−" + strconv.Itoa(-n)
	}
	return "±0"
}

// trend returns the class of a change.
func trend(n int) string {
	switch {
	case n > 0:
		return "up"
	case n < 0:
		return "down"
	}
	return "same"
}

// plural returns a number with the word for it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1\u00a0" + one
	}
	return fmt.Sprintf("%s\u00a0%s", number(n), many)
}
