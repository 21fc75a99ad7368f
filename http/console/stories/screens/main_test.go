// Package screens_test opens every screen of the console in a real browser: at several widths, in both themes, on paper, with hostile
// names, and as people who may not see it. With the build tag npm, axe-core examines them.
package screens_test

import (
	"os"
	"testing"

	"readiness/test/consoletest/chromium"
)

func TestMain(m *testing.M) { os.Exit(chromium.Main(m)) }
