package domain_test

import (
	"testing"

	"readiness/domain"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"0198c2a0-0000-7000-8000-000000000001": true, "0198C2A0-0000-7000-8000-000000000001": true,
		"": false, "latest": false, "{0198c2a0-0000-7000-8000-000000000001}": false, "urn:uuid:0198c2a0-0000-7000-8000-000000000001": false, "0198c2a0000070008000000000000001": false,
	} {
		if _, got := domain.ParseID(text); got != ok {
			t.Errorf("%q is an id: %v, want %v", text, got, ok)
		}
	}
}
