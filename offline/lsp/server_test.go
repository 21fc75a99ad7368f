package lsp

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

const (
	salesFile = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	sales     = "table Sales\n\n\tmeasure 'Net 😀 Sales' = SUM(Sales[Amount])\n\t\tformatString: #,0\n\n\tcolumn Amount\n\t\tdataType: decimal\n\t\tsummarizeBy: none\n" +
		"\t\tsourceColumn: amt\n\n\tpartition Sales = m\n\t\tmode: import\n\t\tsource = let x = 1 in x\n"
	instructions = "Shop.SemanticModel/Copilot/Instructions/instructions.md"
)

// shop is a small model with a report.
func shop(t testing.TB) string {
	return files(t, map[string]string{
		"Shop.SemanticModel/definition.pbism":         `{"version":"4.0","settings":{}}`,
		"Shop.SemanticModel/definition/model.tmdl":    "model Model\n\tculture: en-US\n\nref table Sales\n",
		"Shop.SemanticModel/definition/database.tmdl": "database\n\tcompatibilityLevel: 1600\n",
		salesFile:                       sales,
		instructions:                    "Use Net Sales for revenue.\n",
		"Shop.Report/definition.pbir":   `{"version":"4.0","datasetReference":{"byPath":{"path":"../Shop.SemanticModel"}}}`,
		"Shop.Report/definition/x.json": `{}`,
		"notes.md":                      "nothing\n",
	})
}

func TestFindingsWhileTyping(t *testing.T) {
	t.Parallel()
	e := started(t, shop(t))
	e.open(salesFile)
	first := e.scored()
	for _, want := range []string{"0:0-0:11 ", "2:1-2:23 ", "DSC-02"} { // the smiling face has two units
		if !has(e.listed(salesFile), want) {
			t.Errorf("nothing at %q: %q", want, e.listed(salesFile))
		}
	}
	if !has(e.listed(instructions), "INS-") {
		t.Error("nothing is said of a file that is not open")
	}
	// What is typed and not saved counts.
	e.change(salesFile, change{&span{position{2, 0}, position{2, 0}}, "\t/// Sales without discounts and taxes, in the currency of the invoice.\n"})
	if second := e.scored(); second.Score < first.Score || second.Findings >= first.Findings {
		t.Errorf("a description changes %+v to %+v", first, second)
	}
	// A file that is broken keeps the findings, and says where it is broken.
	e.change(salesFile, change{&span{position{4, 0}, position{4, 0}}, "\t\t\"😀 broken\n"})
	if third := e.scored(); third.Broken != 1 || !has(e.listed(salesFile), "4:2-") || !has(e.listed(salesFile), "DSC-") {
		t.Errorf("broken: %+v, %q", third, e.listed(salesFile))
	}
	e.change(salesFile, change{Text: strings.ReplaceAll(sales, "\n", "\r\n")})
	if fourth := e.scored(); fourth != first || !has(e.listed(salesFile), "2:1-2:23 ") {
		t.Errorf("with CRLF as it was: %+v, not %+v: %q", fourth, first, e.listed(salesFile))
	}
	// The last file that closes takes everything back.
	e.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri(salesFile)}})
	if err := e.ask("shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	for name, left := range e.problems {
		if len(left) > 0 {
			t.Errorf("%s still has %d problems", name, len(left))
		}
	}
	e.tell("exit", nil)
	if err := <-e.ended; err != nil {
		t.Error(err)
	}
}

func TestFirstBroken(t *testing.T) {
	t.Parallel()
	root := shop(t)
	e := started(t, root)
	e.open(salesFile, "table Sales\n\tmeasure\n")
	for len(e.problems) == 0 {
		e.receive()
	}
	if got := e.listed(salesFile); len(got) != 1 || !has(got, "1:1-1:8 1 ") {
		t.Errorf("a file that never could be read: %q", got)
	}
	e.change(salesFile, change{Text: sales})
	e.scored()
	if got := e.listed(salesFile); len(got) < 2 || !has(got, "DSC-") {
		t.Errorf("mended: %q", got)
	}
}

func TestHover(t *testing.T) {
	t.Parallel()
	root := shop(t)
	write(t, root+"/"+salesFile, "\ufeff"+strings.Replace(sales, "\tmeasure", "\t/// What *we* sold.\n\tmeasure", 1))
	e := started(t, root)
	src := strings.TrimPrefix(read(t, root+"/"+salesFile), "\ufeff")
	e.open(salesFile, src)
	e.scored()
	for what, want := range map[string]string{"measure": "\\*we\\*", "table": "DSC-01", "mode": "as AI sees it", "Amount]": "'Sales'[Amount]"} {
		var got struct{ Contents struct{ Value string } }
		if err := e.ask("textDocument/hover", e.at(salesFile, src, what), &got); err != nil || !strings.Contains(got.Contents.Value, want) {
			t.Errorf("%s: %v %q", what, err, got.Contents.Value)
		}
	}
	for name, place := range map[string]any{"far": position{1 << 30, 1 << 30}, "before": position{-5, -5}} {
		if err := e.ask("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": e.uri(salesFile)}, "position": place}, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	e := started(t, shop(t))
	e.open(salesFile)
	e.scored()
	var got []symbol
	if err := e.ask("textDocument/documentSymbol", e.at(salesFile, sales, "table"), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Name != "Sales" || len(got[0].Children) != 3 || got[0].Children[0].Name != "Net 😀 Sales" ||
		got[0].Children[0].SelectionRange != (span{position{2, 1}, position{2, 23}}) || got[0].Range.End.Line != 13 {
		t.Errorf("got %+v", got)
	}
}

// A .bim file has hover and outline as TMDL has; an object's findings are those of its first line, wherever in it one points.
func TestBIM(t *testing.T) {
	t.Parallel()
	const name = "Old.SemanticModel/model.bim"
	const src = `{
"name": "Old",
"model": {
  "tables": [
    {
      "name": "Sales",
      "columns": [
        {"name": "Amount", "dataType": "decimal", "summarizeBy": "sum"}
      ],
      "measures": [
        {
          "name": "Net Sales",
          "description": "What customers paid, without tax, in euros.",
          "expression": ["SUM(", "  Sales[Amount])"]
        }
      ],
      "partitions": [{"name": "p", "mode": "import", "source": {"type": "m", "expression": "1"}}]
    }
  ],
  "perspectives": [{"name": "All", "tables": [{"name": "Sales"}]}],
  "roles": [{"name": "Readers", "modelPermission": "read"}]
}}
`
	e := started(t, files(t, map[string]string{"Old.SemanticModel/definition.pbism": `{"version":"4.0","settings":{}}`, name: src}))
	e.open(name)
	e.scored()
	var got []symbol
	if err := e.ask("textDocument/documentSymbol", e.at(name, src, "tables"), &got); err != nil {
		t.Fatal(err)
	}
	var outline strings.Builder
	for _, one := range got {
		fmt.Fprintf(&outline, "%s %s %d-%d:", one.Detail, one.Name, one.Range.Start.Line, one.Range.End.Line)
		for _, c := range one.Children {
			fmt.Fprintf(&outline, " %s %s %d", c.Detail, c.Name, c.Range.Start.Line)
		}
		outline.WriteString("\n")
	}
	if want := "table Sales 4-18: column Amount 7 measure Net Sales 10 partition p 16\nperspective All 19-19:\nrole Readers 20-22:\n"; outline.String() != want {
		t.Errorf("outline: got\n%swant\n%s", outline.String(), want)
	}
	for what, want := range map[string][2]string{
		`"Net Sales"`: {"'Sales'[Net Sales]", "MEA-"}, `"What cust`: {"in euros", "MEA-"}, `"Amount"`: {"'Sales'[Amount]", "DSC-02"},
		`"Sales"`: {"'Sales'", "DSC-01"}, `"import"`: {"'Sales'", "AI sees"}, `"Readers"`: {"", ""}, `"tables"`: {"", ""},
	} {
		var hover struct{ Contents struct{ Value string } }
		err := e.ask("textDocument/hover", e.at(name, src, what), &hover)
		if text := hover.Contents.Value; err != nil || !strings.Contains(text, want[0]) || !strings.Contains(text, want[1]) || want[0] == "" && text != "" {
			t.Errorf("%s: %v %q", what, err, text)
		}
	}
	// While it is broken, the last readable state counts.
	e.change(name, change{Text: src[:len(src)-4]})
	e.scored()
	if err := e.ask("textDocument/documentSymbol", e.at(name, src, "tables"), &got); err != nil || len(got) != 3 {
		t.Errorf("broken: %v, %d objects", err, len(got))
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	e := newEditor(t, shop(t))
	if err := e.ask("textDocument/hover", struct{}{}, nil); err == nil || err.Code != notInitialized {
		t.Errorf("before initialize: %v", err)
	}
	if err := e.ask("initialize", []int{1}, nil); err == nil || err.Code != invalidParams {
		t.Errorf("initialize with a list: %v", err)
	}
	e.ask("initialize", map[string]any{"rootUri": uriOf(e.root)}, nil)
	for name, tt := range map[string]struct {
		method string
		params any
		code   int
	}{
		"unknown":           {"textDocument/fly", struct{}{}, methodNotFound},
		"twice":             {"initialize", struct{}{}, invalidRequest},
		"wrong parameters":  {"textDocument/hover", "x", invalidParams},
		"another protocol":  {"textDocument/hover", map[string]any{"textDocument": map[string]string{"uri": "untitled:1"}}, 0},
		"no model":          {"textDocument/hover", map[string]any{"textDocument": map[string]string{"uri": e.uri("notes.md")}}, 0},
		"a file of another": {"textDocument/documentSymbol", map[string]any{"textDocument": map[string]string{"uri": "file://host/x.tmdl"}}, 0},
	} {
		if err := e.ask(tt.method, tt.params, nil); tt.code == 0 && err != nil || tt.code != 0 && (err == nil || err.Code != tt.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Notifications that are wrong or concern nothing change nothing.
	e.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///x%zz"}})
	e.tell("textDocument/didClose", []int{})
	e.tell("$/nothing", nil)
	e.open("notes.md")
	// Not JSON.
	if _, err := io.WriteString(e.to, "Content-Length: 3\r\nContent-Type: x\r\n\r\n{]}"); err != nil {
		t.Fatal(err)
	}
	for m := e.receive(); m.Error == nil || m.Error.Code != parseError; m = e.receive() {
	}
	// A message that is too large makes open texts unknown, so that the files count.
	e.open(salesFile, "table Sales\n")
	small := e.scored()
	size := maxMessage + 1
	if _, err := fmt.Fprintf(e.to, "Content-Length: %d\r\n\r\n", size); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(e.to, endless{}, int64(size)); err != nil {
		t.Fatal(err)
	}
	for m := e.receive(); m.Method != "window/showMessage"; m = e.receive() {
	}
	if saved := e.scored(); saved == small {
		t.Error("the open text counts still")
	}
	e.change(salesFile, change{Text: "table Sales\n"}) // of a text that is unknown
	if err := e.ask("shutdown", nil, nil); err != nil {
		t.Error(err)
	}
	if err := e.ask("textDocument/hover", struct{}{}, nil); err == nil || err.Code != invalidRequest {
		t.Errorf("after shutdown: %v", err)
	}
	_ = e.to.Close()
	if err := <-e.ended; err != nil {
		t.Errorf("the editor is gone: %v", err)
	}
}

// endless reads blanks.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestEndWithoutShutdown(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{"no length": "X: y\r\n\r\n", "no number": "Content-Length: x\r\n\r\n",
		"a long header": strings.Repeat("x", 1<<16)} {
		e := newEditor(t, t.TempDir())
		go func() { _, _ = io.WriteString(e.to, input) }()
		if err := <-e.ended; err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	e := started(t, t.TempDir())
	e.tell("exit", nil)
	if err := <-e.ended; err != ErrNoShutdown {
		t.Errorf("exit without shutdown: %v", err)
	}
}

func TestIgnoreFile(t *testing.T) {
	t.Parallel()
	root := shop(t)
	e := started(t, root)
	e.open(salesFile)
	first := e.scored()
	write(t, root+"/"+defaultIgnores, "ignore:\n  - rule: DSC-01\n    reason: it is small\n  - rule: NAM-99\n    reason: x\n")
	e.tell("workspace/didChangeWatchedFiles", struct{}{})
	e.scored()
	if got := e.problems["Shop.SemanticModel"]; len(got) != 1 || !strings.Contains(got[0].Message, "NAM-99") {
		t.Errorf("a wrong ignore file: %+v", got)
	}
	write(t, root+"/"+defaultIgnores, "ignore:\n  - rule: DSC-01\n    reason: it is small\n")
	e.tell("textDocument/didSave", struct{}{})
	if second := e.scored(); second.Findings != first.Findings-1 {
		t.Errorf("ignored: %+v, before %+v", second, first)
	}
	if err := os.Remove(root + "/" + salesFile); err != nil {
		t.Fatal(err)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	src := "a😀é\r\nb\rc\n\nlast"
	x := newText("\ufeff" + src)
	for offset := range src {
		p := x.position(offset)
		if src[offset] == '\n' && offset > 0 && src[offset-1] == '\r' {
			continue // between CR and LF is no place of a line
		}
		if got := x.offset(p); got != offset {
			t.Errorf("%d is at %+v, which is %d", offset, p, got)
		}
	}
	for p, want := range map[position]int{{0, 1}: 1, {0, 2}: 1, {0, 3}: 5, {0, 99}: 7, {4, 0}: 14, {99, 0}: len(src), {-1, 5}: 0, {1, -1}: 9} {
		if got := x.offset(p); got != want {
			t.Errorf("%+v is %d, not %d", p, got, want)
		}
	}
	if got := x.with(change{&span{position{1, 1}, position{0, 0}}, "x"}).src; got != "a😀é\r\nbx\rc\n\nlast" {
		t.Errorf("a range that ends before it begins: %q", got)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"/a b/ü%#?.tmdl", "/x/[y].json"} {
		if got, ok := pathOf(uriOf(at)); !ok || got != at {
			t.Errorf("%s becomes %s", at, got)
		}
	}
	for _, wrong := range []string{"", "file:relative", "http://x/y", "file://host/x", "file:///a%00b", "%"} {
		if got, ok := pathOf(wrong); ok {
			t.Errorf("%q is %s", wrong, got)
		}
	}
}

// An answer is in the form of the protocol: a result that is null is there.
func TestNullResult(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(message{Version: "2.0", ID: json.RawMessage("1"), Result: json.RawMessage("null")})
	if err != nil || string(body) != `{"jsonrpc":"2.0","id":1,"result":null}` {
		t.Errorf("%s %v", body, err)
	}
}
