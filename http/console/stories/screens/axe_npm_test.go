//go:build npm

package screens_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
)

// npmTimeout bounds the installation of axe-core.
const npmTimeout = 10 * time.Minute

// axe returns the script of axe-core, which npm installs into a new folder.
func axe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "axe"))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), npmTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	script, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// violations runs axe-core and lists what it finds.
const violations = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) =>
	r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " (" + n.failureSummary.replace(/\s+/g, " ") + ")").join(" | ")))`

// TestNPMAxe examines every screen with axe-core, in both themes and at two widths, and expects no violation.
func TestNPMAxe(t *testing.T) {
	if !chromium.Found(t) {
		t.Fatal("no browser")
	}
	script := axe(t)
	w := consoletest.Start(t, consoletest.Options{})
	live(t, w)
	b := chromium.SignedIn(t, w)
	for _, s := range screens(t, w) {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{320, 1440} {
				b.Theme(theme)
				b.Size(width, 900)
				b.GoTo(s.Path)
				var found []string
				b.Run("axe-core", chromedp.Evaluate(script+"; 0", nil), chromedp.Evaluate(violations, &found, chromedp.EvalAsValue, awaited))
				for _, f := range found {
					t.Errorf("%s: %s", fmt.Sprintf("%s, %s, %d", s.Name, theme, width), f)
				}
			}
		}
	}
}

// awaited makes an evaluation wait for its promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
