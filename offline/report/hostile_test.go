package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/report/junit"
	"readiness/offline/report/sarif"
	"readiness/offline/report/webpage"
)

// named is an assessment in which everything that a model, its files or people choose is the text.
func named(text string) *offline.Assessment {
	found := func(of finding.ObjectType) offline.Finding {
		return offline.Finding{Place: offline.Place{File: text, Line: 1}, Finding: readiness.Finding{Dimension: "visibility",
			Key: finding.Key{Table: text, ObjectName: text}, ObjectType: of, Severity: finding.High, RuleIDs: []string{"VIS-02"}, Message: text, Evidence: text}}
	}
	read := offline.Assessed{Path: text, Name: text, Findings: []offline.Finding{found(finding.TableObject), found(finding.ColumnObject), found(finding.MeasureObject),
		found(finding.RelationshipObject), found(finding.CalculationItemObject), found(finding.ModelObject)},
		Ignored: []offline.Ignored{{Finding: found(finding.ColumnObject), Reason: text}}}
	read.Ignored[0].RuleIDs = []string{"VIS-03"}
	score := 50
	read.Result.Dimensions = []readiness.Dimension{{ID: "visibility", Name: "Visibility", Score: &score, Rules: []readiness.Rule{
		{ID: "VIS-02", Score: new(0.5)}, {ID: "VIS-03", Ignored: 1}}}}
	return &offline.Assessment{Items: []offline.Assessed{read, {Path: text, Error: errors.New(text), At: offline.Place{File: text, Line: 2}}},
		Warnings: []offline.Warning{{File: text, Line: 1, Message: text}}}
}

// outlines are the structures of reports: what an XML, HTML or JSON reader finds, without texts. Each passes the texts to do.
var outlines = map[string]struct {
	write   func(io.Writer, *offline.Assessment) error
	outline func(report []byte, do func(string)) (string, error)
}{
	"HTML": {func(w io.Writer, a *offline.Assessment) error { return webpage.Write(w, a, report.Listing{}) }, func(page []byte, do func(string)) (outline string, err error) {
		for z := html.NewTokenizer(bytes.NewReader(page)); ; {
			kind := z.Next()
			if kind == html.ErrorToken {
				if !errors.Is(z.Err(), io.EOF) {
					err = z.Err()
				}
				return outline, err
			}
			token := z.Token()
			if kind == html.TextToken || kind == html.CommentToken {
				do(token.Data)
				continue
			}
			outline += fmt.Sprint(kind, token.Data)
			for _, a := range token.Attr {
				outline += " " + a.Key
				do(a.Val)
			}
			outline += "\n"
		}
	}},
	"JUnit": {func(w io.Writer, a *offline.Assessment) error { return junit.Write(w, a, offline.Gate{}) }, func(suites []byte, do func(string)) (outline string, err error) {
		lines := 0 // one for each finding
		for d := xml.NewDecoder(bytes.NewReader(suites)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return outline, nil
			}
			if err != nil {
				return outline, err
			}
			switch token := token.(type) {
			case xml.StartElement:
				outline += token.Name.Local
				for _, a := range token.Attr {
					outline += " " + a.Name.Local
					do(a.Value)
				}
				outline += "\n"
			case xml.EndElement:
				outline += fmt.Sprintln(lines, "lines /", token.Name.Local)
				lines = 0
			case xml.CharData:
				lines += strings.Count(string(token), "\n")
				do(strings.ReplaceAll(string(token), "\n", ""))
			}
		}
	}},
	"SARIF": {func(w io.Writer, a *offline.Assessment) error { _, err := sarif.Write(w, a, "1", 0); return err }, func(log []byte, do func(string)) (outline string, err error) {
		for d := json.NewDecoder(bytes.NewReader(log)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return outline, nil
			}
			if err != nil {
				return outline, err
			}
			if text, is := token.(string); is {
				do(text)
				outline += "text "
			} else {
				outline += fmt.Sprint(token, " ")
			}
		}
	}},
}

// A report has the same structure whatever its names are, and no name has a character that acts on a terminal, breaks a line or turns the
// text around.
func TestReportsOfHostileNames(t *testing.T) {
	t.Parallel()
	for format, of := range outlines {
		read := func(name string) (outline, all string, written []byte) {
			t.Helper()
			var b bytes.Buffer
			if err := of.write(&b, named(name)); err != nil {
				t.Fatal(format, err)
			}
			outline, err := of.outline(b.Bytes(), func(text string) { all += text })
			if err != nil || !utf8.Valid(b.Bytes()) {
				t.Errorf("%s: the report of %.50q cannot be read: %v", format, name, err)
			}
			return outline, all, b.Bytes()
		}
		usual, _, _ := read("Sales")
		for _, name := range append(slices.Clone(hostile), "<script>alert(1)</script>", "</script><script>", "]]>", "]]><failure/>", "&amp;\"'><b>", "\x1b[31mred\x1b[0m", "\x9b31m", "\u009b31m",
			"a\r\nb", "a\tb", "\x00\x01\x7f", "a\u202eb\u2066c", "\ufffe\uffff", "\xff\xfe", "a\xc3", "=HYPERLINK(\"x\")", "{{.}}", "</title>", "-->", "a\u2029b", strings.Repeat("x", 5000), strings.Repeat("é\u202e", 2500)) {
			outline, all, written := read(name)
			if outline != usual {
				t.Errorf("%s: %.50q changes the structure of the report", format, name)
			}
			if format == "HTML" { // its own style and script have lines
				all = strings.NewReplacer("\n", "", "\t", "").Replace(all)
			}
			if at := strings.IndexFunc(all, func(r rune) bool {
				return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
			}); at >= 0 {
				t.Errorf("%s: of %.50q the report shows %q", format, name, all[max(0, at-20):min(len(all), at+20)])
			}
			if bytes.ContainsAny(written, "\x1b\u009b\u202e\u2066") {
				t.Errorf("%s: the report of %.50q has a character that acts on a terminal", format, name)
			}
		}
	}
}
