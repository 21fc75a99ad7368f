package clientcmd

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
)

// A completion waits a second at most for a service that does not answer, and says nothing then; without a profile it asks nothing.
func TestCompletionWithoutAnswer(t *testing.T) {
	complete := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		p := cli.New(&cobra.Command{Use: "readiness"}, &stdout, &stderr)
		p.Command.AddCommand(Command(p))
		p.Run(t.Context(), append([]string{"__complete", "client", "--config", t.TempDir()}, args...))
		return stdout.String()
	}
	if got := complete("assess", ""); got != ":4\n" {
		t.Errorf("without a profile: got %q", got)
	}
	called := make(chan string, 9)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		called <- r.URL.Path
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	t.Setenv("READINESS_CLIENT_BASE_URL", silent.URL)
	t.Setenv("READINESS_CLIENT_TOKEN", "token")
	if got := complete("assess", ""); got != ":4\n" || len(called) != 1 {
		t.Errorf("without an answer: got %q after %d calls", got, len(called))
	}
	if got := complete("preview", "Retail", "Inventory", ""); got != "aiInstructions\ndescriptions\nproperties\naiDataSchema\n:4\n" || len(called) != 1 {
		t.Errorf("of kinds: got %q after %d calls", got, len(called))
	}
}
