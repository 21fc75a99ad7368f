package http_test

import (
	"os"
	"testing"

	"readiness/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
