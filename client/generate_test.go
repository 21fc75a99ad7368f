package client

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// The generated code is up to date with the description.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	t.Parallel()
	sum := sha256.New()
	for _, name := range []string{"../http/openapi.gen.json", "generate.yaml", "calls.tmpl", "overlay.yaml"} {
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

// A POST is retried only where the description says that it takes an Idempotency-Key.
func TestKeysAreSentWhereTheyAreDescribed(t *testing.T) {
	t.Parallel()
	described, err := openapi3.NewLoader().LoadFromFile("../http/openapi.gen.json")
	if err != nil {
		t.Fatal(err)
	}
	posts := 0
	for path, item := range described.Paths.Map() {
		if item.Post == nil {
			continue
		}
		posts++
		takes := item.Post.Parameters.GetByInAndName("header", "Idempotency-Key") != nil
		if repeatable.MatchString(path) != takes {
			t.Errorf("POST %s: takes a key %t, is repeatable here %t", path, takes, !takes)
		}
	}
	if posts < 20 {
		t.Errorf("only %d POST routes were looked at", posts)
	}
}
