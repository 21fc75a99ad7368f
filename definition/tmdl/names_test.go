package tmdl_test

import (
	"testing"

	"readiness/definition/tmdl"
)

func TestDeclaredName(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"table Sales": "Sales", "measure 'It''s' = 1": "'It''s'", "measure X= 1": "X", "ref table 'A B'": "'A B'", "column  Ä": "Ä",
		"mode: import": "", "model": "", "isHidden": "", "source = 1": "", "measure 'open": "", "": "", "ref": "", "\"x\": 1": "",
	} {
		from, to := tmdl.DeclaredName(line)
		if got := line[from:to]; got != want {
			t.Errorf("%q has the name %q", line, got)
		}
	}
}

func TestLastName(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string]string{"Sales.Amount": "Amount", "'A.B'.'C.D'": "'C.D'", "X": "X", "'It''s'": "'It''s'", "'open": "'open", "": ""} {
		if got := reference[tmdl.LastName(reference):]; got != want {
			t.Errorf("%q ends with %q", reference, got)
		}
	}
}
