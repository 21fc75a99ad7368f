package webhooks_test

import (
	"os"
	"testing"

	"readiness/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
