package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/offline"
)

const (
	visualFile = "Shop.Report/definition/pages/p/visuals/v/visual.json"
	visual     = "{\n \"Measure\": {\n  \"Expression\": {\"SourceRef\": {\"Entity\": \"Sales\"}},\n  \"Property\": \"Net 😀 Sales\"\n }\n}\n"
	moreFile   = "Shop.SemanticModel/definition/tables/More.tmdl"
	more       = "table 'More Rows'\n\n\tmeasure Ratio = DIVIDE ( [Net 😀 Sales], SUM ( Sales[Amount] ) )\n\n\tcolumn Key\n\t\tdataType: string\n\n\tpartition P = m\n\t\tsource = x[y]\n"
)

func twoTables(t testing.TB) string {
	root := shop(t)
	write(t, root+"/"+visualFile, visual)
	write(t, root+"/Shop.Report/definition/pages/p/page.json", `{"name":"p"}`)
	write(t, root+"/Shop.Report/definition/report.json", `{}`)
	write(t, root+"/"+moreFile, more)
	return root
}

// lines returns places as file:line.
func (e *editor) lines(all []location) (shown []string) {
	for _, one := range all {
		shown = append(shown, fmt.Sprintf("%s:%d", one.URI[strings.LastIndex(one.URI, "/")+1:], one.Range.Start.Line+1))
	}
	slices.Sort(shown)
	return shown
}

func TestDefinitionAndReferences(t *testing.T) {
	t.Parallel()
	e := started(t, twoTables(t))
	e.open(moreFile)
	e.scored()
	for what, want := range map[string]string{"[Net": "[Sales.tmdl:3]", "[Amount": "[Sales.tmdl:6]", "x[y": "[]", "Ratio": "[More.tmdl:3]", "dataType": "[]"} {
		var got []location
		if err := e.ask("textDocument/definition", e.at(moreFile, more, what), &got); err != nil || fmt.Sprint(e.lines(got)) != want {
			t.Errorf("%s is declared in %v (%v), not %s", what, e.lines(got), err, want)
		}
	}
	var got []location
	p := e.at(moreFile, more, "[Net")
	p["context"] = map[string]bool{"includeDeclaration": true}
	if err := e.ask("textDocument/references", p, &got); err != nil || fmt.Sprint(e.lines(got)) != "[More.tmdl:3 Sales.tmdl:3 visual.json:4]" {
		t.Errorf("references: %v %v", err, e.lines(got))
	}
}

func TestReportFiles(t *testing.T) {
	t.Parallel()
	e := started(t, twoTables(t))
	write(t, e.root+"/Shop.Report/definition/reportExtensions.json", `{"entities":[{"name":"Sales","measures":[{"name":"Mine","expression":"1"}]}]}`)
	e.open(visualFile)
	for src, want := range map[string]string{
		visual: "[]", strings.Replace(visual, "Net 😀 Sales", "Mine", 1): "[]",
		strings.Replace(visual, "Net 😀 Sales", "Gone", 1): "[3:2-3:20 2 ]", strings.Replace(visual, "}\n}", "\n", 1): "[5:0-5:0 1 ]",
	} {
		e.scored()
		e.change(visualFile, change{Text: src})
		e.scored()
		if got := fmt.Sprint(e.listed(visualFile)); got != want {
			t.Errorf("%s\nhas %s, not %s", src, got, want)
		}
		e.change(visualFile, change{Text: visual})
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	root := twoTables(t)
	e := started(t, root)
	e.open(moreFile)
	e.scored()
	var what struct{ Placeholder string }
	if err := e.ask("textDocument/prepareRename", e.at(moreFile, more, "[Net"), &what); err != nil || what.Placeholder != "Net 😀 Sales" {
		t.Errorf("prepare: %v %+v", err, what)
	}
	rename := func(what, name string) (w workspaceEdit, err *failure) {
		p := e.at(moreFile, more, what)
		p["newName"] = name
		err = e.ask("textDocument/rename", p, &w)
		return w, err
	}
	for what, name := range map[string]string{"[Net": "Ratio", "[Amount": "net 😀 sales", "dataType": "X", "Key": " "} {
		if _, err := rename(what, name); err == nil {
			t.Errorf("%s becomes %q", what, name)
		}
	}
	w, refused := rename("[Net", "Net Revenue")
	if refused != nil {
		t.Fatal(refused)
	}
	changed := e.applied(&w)
	slices.Sort(changed)
	if want := []string{visualFile, moreFile, salesFile}; !slices.Equal(changed, want) {
		t.Errorf("changed %q, not %q", changed, want)
	}
	for file, want := range map[string]string{visualFile: strings.Replace(visual, "Net 😀 Sales", "Net Revenue", 1), moreFile: strings.Replace(more, "Net 😀 Sales", "Net Revenue", 1),
		salesFile: strings.Replace(sales, "Net 😀 Sales", "Net Revenue", 1)} {
		if got := read(t, root+"/"+file); got != want {
			t.Errorf("%s is\n%s", file, got)
		}
	}
	// Where it is not safe, nothing is renamed.
	e.change(moreFile, change{Text: more + "\n\t\"broken\n"})
	e.scored()
	if _, err := rename("[Amount", "X"); err == nil || !strings.Contains(err.Message, "cannot be read") {
		t.Errorf("in a broken file: %v", err)
	}
	e.change(moreFile, change{Text: more})
	e.scored()
	write(t, root+"/Shop.Report/definition/pages/p/visuals/v/visual.json", "{")
	if _, err := rename("[Amount", "X"); err == nil || !strings.Contains(err.Message, "the report Shop") {
		t.Errorf("with a broken report: %v", err)
	}
}

// A renaming that the editor made and saved has a record, by which every byte is restored; one that it made in part or not at all has none.
func TestRenameRecord(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		makes func(e *editor, w *workspaceEdit)
		want  bool
	}{
		"made": {func(e *editor, w *workspaceEdit) { e.applied(w) }, true},
		"file by file": {func(e *editor, w *workspaceEdit) {
			all := w.DocumentChanges
			for _, one := range all {
				w.DocumentChanges = []any{one}
				e.applied(w)
				e.tell("textDocument/didSave", struct{}{})
				e.scored()
			}
		}, true},
		"with line ends": {func(e *editor, w *workspaceEdit) {
			e.applied(w)
			write(e.t, e.root+"/"+visualFile, read(e.t, e.root+"/"+visualFile)+"\n")
		}, true},
		"not saved": {func(e *editor, w *workspaceEdit) {
			e.open(salesFile)
			e.change(salesFile, change{Text: strings.Replace(sales, "Net 😀 Sales", "Net Revenue", 1)})
			e.scored()
			w.DocumentChanges = slices.DeleteFunc(w.DocumentChanges, func(one any) bool { return strings.Contains(fmt.Sprint(one), "Sales.tmdl") })
			e.applied(w)
		}, false},
		"refused": {func(*editor, *workspaceEdit) {}, false},
		"in part": {func(e *editor, w *workspaceEdit) {
			w.DocumentChanges = w.DocumentChanges[1:]
			e.applied(w)
		}, false},
		"otherwise": {func(e *editor, w *workspaceEdit) {
			e.applied(w)
			write(e.t, e.root+"/"+visualFile, read(e.t, e.root+"/"+visualFile)+" ")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := twoTables(t)
			e := newEditor(t, root)
			e.ask("initialize", map[string]any{"rootUri": uriOf(e.root), "capabilities": map[string]any{"workspace": map[string]any{
				"workspaceEdit": map[string]any{"documentChanges": true, "changeAnnotationSupport": struct{}{}},
			}}}, nil)
			e.tell("initialized", struct{}{})
			e.open(instructions)
			e.open(salesFile)
			e.scored()
			files := []string{visualFile, moreFile, salesFile}
			before := map[string]string{}
			for _, file := range files {
				before[file] = read(t, root+"/"+file)
			}
			p := e.at(salesFile, sales, "Net 😀")
			p["newName"] = "Net Revenue"
			var w workspaceEdit
			if err := e.ask("textDocument/rename", p, &w); err != nil {
				t.Fatal(err)
			}
			e.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri(salesFile)}})
			e.scored()
			if got := fmt.Sprint(w.Annotations); got != "map[Report Shop:{Report Shop true} Semantic model Shop:{Semantic model Shop true}]" {
				t.Errorf("annotations: %s", got)
			}
			if records, _ := filepath.Glob(root + "/readiness-apply-*"); len(records) > 0 {
				t.Errorf("there is a record before: %q", records)
			}
			sent := slices.Clone(w.DocumentChanges)
			tt.makes(e, &w)
			for _, one := range sent {
				if edits := fmt.Sprint(one); !strings.Contains(edits, "annotationId:Semantic model Shop") && !strings.Contains(edits, "annotationId:Report Shop") {
					t.Errorf("without annotation: %s", edits)
				}
			}
			e.tell("textDocument/didSave", struct{}{})
			e.scored()
			records, _ := filepath.Glob(root + "/readiness-apply-*")
			if (len(records) == 1) != tt.want || len(records) > 1 {
				t.Fatalf("records: %q", records)
			}
			said := slices.ContainsFunc(e.told, func(m message) bool {
				return m.Method == "window/showMessage" && strings.Contains(string(m.Params), "Net 😀 Sales is Net Revenue now, in 3 files, also of the report Shop. To undo it")
			})
			if said != tt.want {
				t.Errorf("said: %t", said)
			}
			if !tt.want {
				return
			}
			record, err := offline.ReadRecord(records[0])
			if err != nil {
				t.Fatal(err)
			}
			all, err := offline.Reverse(t.Context(), root, record, nil)
			if err == nil {
				_, err = offline.Restore(t.Context(), all, nil)
			}
			for _, file := range files {
				if err != nil || read(t, root+"/"+file) != before[file] {
					t.Errorf("%s is not as before (%v): %s", file, err, read(t, root+"/"+file))
				}
			}
		})
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	e := started(t, twoTables(t))
	schema := "Shop.SemanticModel/Copilot/schema.json"
	write(t, e.root+"/"+schema, `{"tables": []}`)
	e.open(moreFile)
	e.open(instructions)
	e.open(schema)
	e.scored()
	for name, tt := range map[string]struct {
		file, text string // the place is at ‸
		want       []string
	}{
		"measures and own columns": {moreFile, "table 'More Rows'\n\tmeasure X = [‸\n\tcolumn Key\n", []string{"[Net 😀 Sales]", "[Ratio]", "[Key]"}},
		"of a table":               {moreFile, "table 'More Rows'\n\tmeasure X = Sales[a‸] + 1\n", []string{"[Net 😀 Sales]", "[Amount]"}},
		"of a quoted table":        {moreFile, "table 'More Rows'\n\tmeasure X =\n\t\t'More Rows'[‸\n", []string{"[Ratio]", "[Key]"}},
		"tables":                   {moreFile, "table 'More Rows'\n\tmeasure X = SUM('‸')\n", []string{"'More Rows'", "'Sales'"}},
		"a word":                   {moreFile, "table 'More Rows'\n\tmeasure X = 1 + ra‸\n", []string{"[Ratio]"}},
		"a word of a table":        {moreFile, "table 'More Rows'\n\tmeasure X = COUNTROWS(sal‸)\n", []string{"'Sales'", "[Net 😀 Sales]"}},
		"a name":                   {moreFile, "table 'More Rows'\n\tmeasure sal‸\n", nil},
		"a property":               {moreFile, "table 'More Rows'\n\tmeasure X = 1\n\t\tdisplayFolder: sal‸\n", nil},
		"an annotation":            {moreFile, "table 'More Rows'\n\tmeasure X = 1\n\t\tannotation A = sal‸\n", nil},
		"a word in lines":          {moreFile, "table 'More Rows'\n\tmeasure X =\n\t\t\tVAR x = 1\n\t\t\tRETURN x + rati‸\n", []string{"[Ratio]"}},
		"a letter":                 {moreFile, "table 'More Rows'\n\tmeasure X = R‸\n", nil},
		"in a string":              {moreFile, "table 'More Rows'\n\tmeasure X = \"sal‸\n", nil},
		"in a comment":             {moreFile, "table 'More Rows'\n\tmeasure X = 1 // sal‸\n", nil},
		"a word of M":              {moreFile, "table 'More Rows'\n\tpartition X = m\n\t\tsource = sal‸\n", nil},
		"not in M":                 {moreFile, "table 'More Rows'\n\tpartition X = m\n\t\tsource = x[‸\n", nil},
		"instructions":             {instructions, "Use `ne‸`.", []string{"Net 😀 Sales"}},
		"a short word":             {instructions, "N‸", nil},
		"the schema":               {schema, `{"tables": [{"name": "Mor‸`, []string{"More Rows"}},
		"the schema elsewhere":     {schema, `{"x": "Mor‸`, nil},
	} {
		at := strings.Index(tt.text, "‸")
		src := strings.Replace(tt.text, "‸", "", 1)
		if tt.file == moreFile { // whether it was assessed already or not, the other names are those
			src += "\n\tmeasure Ratio = 1\n\n\tcolumn Key\n\t\tdataType: string\n"
		}
		e.change(tt.file, change{Text: src})
		var got struct{ Items []completion }
		err := e.ask("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": e.uri(tt.file)}, "position": newText(src).position(at)}, &got)
		var names []string
		for _, one := range got.Items {
			names = append(names, one.Edit.NewText)
		}
		slices.Sort(names)
		slices.Sort(tt.want)
		if err != nil || !slices.Equal(names, tt.want) {
			t.Errorf("%s: got %q, want %q (%v)", name, names, tt.want, err)
		}
		if name == "of a table" && newText(src).with(change{&got.Items[0].Edit.Range, "[Y]"}).src != strings.Replace(src, "[a]", "[Y]", 1) {
			t.Errorf("%s: replaces %+v", name, got.Items[0].Edit.Range)
		}
	}
}

// BenchmarkKeystroke is from a keystroke in a model of 3,000 objects to its findings, the pause included.
func BenchmarkKeystroke(b *testing.B) {
	byPath := map[string]string{"Big.SemanticModel/definition.pbism": `{"version":"4.0","settings":{}}`, "Big.SemanticModel/definition/model.tmdl": "model Model\n\tculture: en-US\n"}
	for n := range 60 {
		var t strings.Builder
		fmt.Fprintf(&t, "/// Orders of region %[1]d, one row for each line of an invoice.\ntable Region%[1]d\n\n", n)
		for k := range 25 {
			fmt.Fprintf(&t, "\t/// Amounts of kind %[2]d, without the taxes of region %[1]d.\n\tmeasure 'Amount %[2]d in %[1]d' =\n\t\t\tVAR x = CALCULATE ( SUM ( Region%[1]d[Value %[2]d] ), Region%[1]d[Value 1] = %[2]d )\n"+
				"\t\t\tRETURN DIVIDE ( x, [Amount 1 in %[1]d] )\n\t\tformatString: #,0\n\n\t/// Value of kind %[2]d in euros.\n\tcolumn 'Value %[2]d'\n\t\tdataType: int64\n\t\tsummarizeBy: none\n\t\tsourceColumn: v%[2]d\n\n", n, k)
		}
		fmt.Fprintf(&t, "\tpartition P = m\n\t\tmode: import\n\t\tsource = let x = 1 in x\n")
		byPath[fmt.Sprintf("Big.SemanticModel/definition/tables/Region%d.tmdl", n)] = t.String()
	}
	e := started(b, files(b, byPath))
	name := "Big.SemanticModel/definition/tables/Region7.tmdl"
	e.open(name)
	e.scored()
	at := newText(byPath[name]).position(strings.Index(byPath[name], "Orders"))
	b.ResetTimer()
	for b.Loop() {
		e.change(name, change{&span{at, at}, "x"})
		e.scored()
	}
}

// While one file is broken, the others are judged as they are typed.
func TestBrokenElsewhere(t *testing.T) {
	t.Parallel()
	e := started(t, twoTables(t))
	e.open(moreFile)
	e.open(salesFile)
	e.scored()
	e.change(moreFile, change{Text: more + "\n\t\"broken\n"})
	broken := e.scored()
	e.change(salesFile, change{&span{position{2, 0}, position{2, 0}}, "\t/// Sales without discounts and taxes, in the currency of the invoice.\n"})
	if now := e.scored(); broken.Broken != 1 || now.Broken != 1 || now.Findings >= broken.Findings {
		t.Errorf("described: %+v, before %+v", now, broken)
	}
}
