package consoletest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/test/testworld"
)

// HostileNames are names that a page must show as they are: markup, 500 characters without a space, another direction, a second
// line and emoji.
var HostileNames = []string{
	`<script>window.hacked=1</script><img src=x onerror="window.hacked=1">"'&`, strings.Repeat("Umsatzauswertung", 32)[:500],
	"מכירות \u202eבקמעונאות\u202c ומלאי", `{{.}}</title><h1>`, "Umsatz\n\n2026 👩🏽‍👩🏽‍👧🏽 🇩🇪\u200d\ufeff\u0001",
}

// Hostile writes a folder of one workspace whose models, tables, measures and reports, and its data agent, have the hostile names. Names in
// a definition have one line.
func Hostile(t testing.TB) (root string) {
	t.Helper()
	d := testworld.Disk{Root: t.TempDir()}
	workspace := HostileNames[0] + HostileNames[1][:100]
	d.Write(t, fmt.Sprintf(`{"id":"44444444-4444-4444-8444-444444444444","displayName":%q}`, workspace), "Hostile", "workspace.json")
	d.Item(t, "Hostile", "Agent.DataAgent", strings.Join(HostileNames, " "), uuid.MustParse("44444444-2222-4000-8000-000000000000"))
	d.Write(t, `{}`, "Hostile", "Agent.DataAgent", "Files", "Config", "data_agent.json")
	for i, name := range HostileNames {
		dir := fmt.Sprintf("Model%d.SemanticModel", i)
		d.Item(t, "Hostile", dir, name, uuid.MustParse(fmt.Sprintf("44444444-0000-4000-8000-%012d", i)))
		object := "'" + strings.ReplaceAll(strings.ReplaceAll(name, "'", "''"), "\n", " ") + "'"
		table := "table " + object + "\n\n\tmeasure " + object + " = SUM(" + object + "[Amount])\n\n\tcolumn Amount\n\t\tdataType: double\n"
		d.Write(t, table, "Hostile", dir, "definition", "tables", "Table.tmdl")
		report := uuid.MustParse(fmt.Sprintf("44444444-1111-4000-8000-%012d", i))
		d.Report(t, "Hostile", fmt.Sprintf("Report%d.Report", i), name, report, fmt.Sprintf("Model%d", i))
	}
	return d.Root
}
