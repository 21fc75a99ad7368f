package consoletest

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"readiness/test/testworld"
)

// ManyAccounts is an account whose plan allows to assess the models of Many.
const ManyAccounts = "accounts:\n  - accountId: contoso\n    plan: Enterprise\n    people:\n" +
	"      - {person: ada, role: admin, permissions: {platform: Granted}}\n"

// Many writes a folder of 5,000 models in 50 workspaces, and returns it.
func Many(t testing.TB) string {
	t.Helper()
	d := testworld.Disk{Root: t.TempDir()}
	for w := range 50 {
		name := fmt.Sprintf("Workspace %02d", w)
		d.Workspace(t, testworld.Workspace{ID: uuid.MustParse(fmt.Sprintf("55555555-0000-4000-8000-%012d", w)), Name: name})
		for m := range 100 {
			table := "table Sales\n\n\tmeasure Revenue = SUM(Sales[Amount])\n\n\tcolumn Amount\n\t\tdataType: double\n"
			for c := range (w + m) % 7 { // different scores
				table += fmt.Sprintf("\n\tcolumn col_%d\n\t\tdataType: string\n", c)
			}
			n := w*100 + m
			d.Model(t, name, fmt.Sprintf("Model %04d", n), uuid.MustParse(fmt.Sprintf("66666666-0000-4000-8000-%012d", n)), table)
		}
	}
	return d.Root
}
