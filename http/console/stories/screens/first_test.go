package screens_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
	"readiness/test/testworld"
)

// TestFirstScreen shows ten models of 12 without scrolling at 1440 × 900, also where one cannot be read.
func TestFirstScreen(t *testing.T) {
	t.Parallel()
	if !chromium.Found(t) {
		return
	}
	d := testworld.Disk{Root: t.TempDir()}
	d.Write(t, `{"id":"44444444-4444-4444-8444-444444444444","displayName":"Corporate Functions"}`, "Corporate", "workspace.json")
	for i := range 12 {
		dir, table := fmt.Sprintf("Model%d.SemanticModel", i), "table Sales\n\n\tcolumn Amount\n\t\tdataType: double\n"
		if i == 0 {
			table = strings.Repeat("<<<<<<< ours\n", 2)
		}
		d.Item(t, "Corporate", dir, fmt.Sprintf("Financial Statements %d", i), uuid.MustParse(fmt.Sprintf("44444444-0000-4000-8000-%012d", i)))
		d.Write(t, table, "Corporate", dir, "definition", "tables", "Sales.tmdl")
	}
	w := consoletest.Start(t, consoletest.Options{Workspaces: d.Root})
	w.AssessAll("contoso", "ada")
	b := chromium.SignedIn(t, w)
	b.Size(1440, 900)
	b.GoTo("/")
	b.Shows("Portfolio", "Financial Statements 0", "could not be read", "Financial Statements 11")
	if !b.Is(`[...document.querySelectorAll("tbody th a[href^='/models/']")].filter((a) => a.getBoundingClientRect().bottom < innerHeight).length >= 10`) {
		t.Errorf("fewer than ten models are on the first screen:\n%s", b.Text())
	}
	if *screensDir != "" {
		picture(b, "portfolio-first")
	}
}
