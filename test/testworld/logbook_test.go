package testworld

import (
	"strings"
	"testing"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	var b LogBook
	lines := []string{
		`{"level":"INFO","msg":"listening"}`,
		`{"level":"ERROR","msg":"stopped","subscriber_id":"x"}`,
		`{"level":"ERROR","msg":"producer: Error fetching jobs","err":"JobGetAvailable timed out after 10s: context deadline exceeded"}`,
		`{"level":"ERROR","msg":"the call failed","error":"duplicate key"}`,
	}
	_, err := b.Write([]byte(strings.Join(lines, "\n")))
	Check(t, err)
	if got := b.Faults(); len(got) != 1 || got[0] != lines[3] {
		t.Errorf("got %q", got)
	}
}
