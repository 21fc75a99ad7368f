// Package stories_test has the jobs that people do in the console, each in a real browser against a running service and in each way.
package stories_test

import (
	"os"
	"testing"

	"readiness/test/consoletest/chromium"
)

func TestMain(m *testing.M) { os.Exit(chromium.Main(m)) }
