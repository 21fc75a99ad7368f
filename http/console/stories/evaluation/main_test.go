// Package evaluation_test has the evaluation of answers in the console, in a real browser and in each way.
package evaluation_test

import (
	"os"
	"testing"

	"readiness/test/consoletest/chromium"
)

func TestMain(m *testing.M) { os.Exit(chromium.Main(m)) }
