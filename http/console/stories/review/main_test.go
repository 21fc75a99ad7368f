// Package review_test has the review of proposals in the console, by mouse and keyboard, and the operations that follow it.
package review_test

import (
	"os"
	"testing"

	"readiness/test/consoletest/chromium"
)

func TestMain(m *testing.M) { os.Exit(chromium.Main(m)) }
