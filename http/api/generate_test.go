package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// The generated code is up to date with the description.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	t.Parallel()
	sum := sha256.New()
	for _, name := range []string{"../openapi.gen.json", "generate.yaml", "routes.tmpl", "objects.tmpl", "overlay.yaml"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(b)
	}
	remembered, err := os.ReadFile("generated.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(string(remembered)), hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("api.gen.go was generated from inputs with digest %s, and they now have %s; run make generate", got, want)
	}
}
