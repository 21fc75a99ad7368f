package textcheck_test

import (
	"testing"

	"readiness/domain/proposal/textcheck"
)

func TestRemovesAndContradicts(t *testing.T) {
	const present = "# Sales\nRevenue means [Net Sales].\n- The year starts in April.\n- Always filter by 'Sales'[Region].\n"
	for name, tt := range map[string]struct {
		addition             string
		removes, contradicts bool
	}{
		"something else":         {"## Terms\n- Margin means [Margin].\n- Quantity counts pieces.\n", false, false},
		"a repeated line":        {"- Revenue means [Net Sales].\n", false, false},
		"an additional heading":  {"# Sales\n- Customers are people.\n", false, false},
		"the same subject":       {"- Revenue means [Amount].\n", false, true},
		"the same in bold":       {"- **Revenue** is [Amount] after tax.\n", false, true},
		"another month":          {"- The year starts in January.\n", false, true},
		"the opposite of a line": {"- Never filter by 'Sales'[Region].\n", false, true},
		"a line taken back":      {"- The rules above hold for 2020 only.\n", false, true},
		"taken back in German":   {"- Die obigen Zeilen gelten nur 2020.\n", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := textcheck.Removes(present, present+"\n"+tt.addition); got != tt.removes {
				t.Errorf("removes is %v, want %v", got, tt.removes)
			}
			if got := textcheck.Contradicts(present, tt.addition); got != tt.contradicts {
				t.Errorf("contradicts is %v, want %v", got, tt.contradicts)
			}
		})
	}
	for name, proposed := range map[string]string{
		"nothing stays":    "## Terms\n",
		"a line is gone":   "# Sales\nRevenue means [Net Sales].\n- The year starts in April.\n",
		"a line is edited": "# Sales\nRevenue means [Amount].\n- The year starts in April.\n- Always filter by 'Sales'[Region].\n",
	} {
		if !textcheck.Removes(present, proposed) {
			t.Errorf("%s: removes nothing", name)
		}
	}
	if textcheck.Removes(present, "## Before\n\r\n"+present) || textcheck.Contradicts("", "- Anything is fine.") {
		t.Error("text that stays is removed, or nothing is contradicted")
	}
}
