package spreadsheet_test

import (
	"testing"

	"readiness/domain/spreadsheet"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "Sales": "Sales", "a=1": "a=1", "'quoted'": "'quoted'", "-5": "-5", "+1,234.5": "+1,234.5",
		"=1+1": "'=1+1", "+SUM(A1)": "'+SUM(A1)", "-5+1": "'-5+1", "@x": "'@x", "\t=1": "'\t=1", "\r": "'\r", "\n1": "'\n1",
		"＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠x": "'＠x", " =1": "' =1", "\u00a0=1": "'\u00a0=1", "\u200b=1": "'\u200b=1", "\ufeff=1": "'\ufeff=1",
		"'=1": "''=1", "'' =1": "''' =1", "'-5": "''-5",
	} {
		if got := spreadsheet.Guard(text); got != want || spreadsheet.Unguard(got) != text {
			t.Errorf("%q is guarded as %q, want %q, and read as %q", text, got, want, spreadsheet.Unguard(got))
		}
	}
}
