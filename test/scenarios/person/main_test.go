// Package person_test makes the calls of every route as a person who signs in at an emulated Entra, over an emulated Fabric: what the
// service asks of the platform, in whose name, and until when.
package person_test

import (
	"os"
	"testing"

	"readiness/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
