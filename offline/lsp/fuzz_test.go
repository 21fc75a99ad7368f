package lsp

import (
	"strings"
	"testing"
)

// snippets are what is typed.
var snippets = []string{"", "\n", "\r\n", "\r", "\t", "'", "\"", "[", "]", "```", "=", "///", "/*", "\x00", "\xff", "😀", "\ufeff", "measure X = 1\n", "table Sales\n",
	"\tcolumn Amount\n", "ref table Sales\n", "<<<<<<< HEAD\n", "{", "annotation readiness.ignore = DSC-01: x\n", strings.Repeat("\t", 40)}

// FuzzTyping types into a file. Whatever is typed, every request is answered without a bug, the model is known as it last could be read, and
// is judged as before when the text is as before.
func FuzzTyping(f *testing.F) {
	for n := range snippets {
		f.Add([]byte{2, 9, 0, byte(n)})
		f.Add([]byte{0, 0, 30, byte(n), 6, 3, 200, byte(n + 5)})
	}
	root := shop(f)
	f.Fuzz(func(t *testing.T, typed []byte) {
		e := started(t, root)
		e.open(salesFile)
		first := e.scored()
		src := newText(sales)
		var changes []change
		for ; len(typed) >= 4 && len(changes) < 20; typed = typed[4:] {
			from := position{int(typed[0]) % 20, int(typed[1])}
			c := change{&span{from, position{from.Line + int(typed[2])/32, from.Character + int(typed[2])%32}}, snippets[int(typed[3])%len(snippets)]}
			changes, src = append(changes, c), src.with(c)
		}
		e.change(salesFile, changes...)
		if now := e.scored(); now.Broken > 0 && now.Findings != first.Findings {
			t.Errorf("a broken file changes the findings: %+v, before %+v, of\n%s", now, first, src.src)
		}
		for _, at := range []position{{}, {2, 12}, {2, 30}, {99, 99}} {
			p := map[string]any{"textDocument": map[string]any{"uri": e.uri(salesFile)}, "position": at, "range": span{at, position{at.Line + 9, 0}}, "newName": "N"}
			for method := range requests {
				if method == "codeAction/resolve" || method == "workspace/executeCommand" {
					continue
				}
				if err := e.ask(method, p, nil); err != nil && err.Code != requestFailed {
					t.Errorf("%s at %+v: %v in\n%q", method, at, err, src.src)
				}
			}
		}
		e.change(salesFile, change{Text: sales})
		if last := e.scored(); last != first {
			t.Errorf("as it was: %+v, not %+v", last, first)
		}
	})
}
