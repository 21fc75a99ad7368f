package openai_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"readiness/ai/openai"
)

// A prompt that changes gets another version, because stored changes name the version.
func TestPromptsHaveVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"descriptions/1": "a504c824", "folders/1": "37a32a42", "instructions/1": "0c67b3aa",
	} {
		sum := sha256.Sum256([]byte(openai.Prompts[version]))
		if got := hex.EncodeToString(sum[:4]); got != want {
			t.Errorf("the prompt %s has the hash %s, want %s: raise its version with its text", version, got, want)
		}
	}
}
