package consoletest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/internal/testworld"
)

// HostileNames are names that a page must show as they are: markup, 500 characters without a space, another direction.
var HostileNames = []string{
	`<script>window.hacked=1</script><img src=x onerror="window.hacked=1">"'&`, strings.Repeat("Umsatzauswertung", 32)[:500],
	"מכירות \u202eבקמעונאות\u202c ומלאי", `{{.}}</title><h1>`,
}

// Hostile writes a folder of one workspace whose models, tables and measures have the hostile names.
func Hostile(t testing.TB) (root string) {
	t.Helper()
	d := testworld.Disk{Root: t.TempDir()}
	workspace := HostileNames[0] + HostileNames[1][:100]
	d.Write(t, fmt.Sprintf(`{"id":"44444444-4444-4444-8444-444444444444","displayName":%q}`, workspace), "Hostile", "workspace.json")
	for i, name := range HostileNames {
		dir := fmt.Sprintf("Model%d.SemanticModel", i)
		d.Item(t, "Hostile", dir, name, uuid.MustParse(fmt.Sprintf("44444444-0000-4000-8000-%012d", i)))
		object := "'" + strings.ReplaceAll(name, "'", "''") + "'"
		table := "table " + object + "\n\n\tmeasure " + object + " = SUM(" + object + "[Amount])\n\n\tcolumn Amount\n\t\tdataType: double\n"
		d.Write(t, table, "Hostile", dir, "definition", "tables", "Table.tmdl")
	}
	return d.Root
}
