package desk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The program of --ask answers lift over the Model Context Protocol too: it is named, its answers decide, a second call asks nothing, and
// nothing is written.
func TestLiftOverMCP(t *testing.T) {
	t.Parallel()
	root := folderOf(t, toAsk)
	golden, err := os.ReadFile(asked(t, 8))
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "golden.csv"), golden, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, root)
	count := filepath.Join(t.TempDir(), "count")
	agent := withInstructions(t, "echo x >> '"+count+"'; "+rightAnswer, "echo x >> '"+count+"'; echo '{}'")
	cmd := inFolder(t, root, nil, "mcp", "--ask", agent)
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	asks := func() int {
		text, err := os.ReadFile(count)
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	var first int
	for call := range 2 {
		got, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "lift", Arguments: map[string]any{"model": "S.SemanticModel", "questions": "golden.csv"}})
		if err != nil || got.IsError {
			t.Fatalf("got %+v, %v", got, err)
		}
		text := got.Content[0].(*sdk.TextContent).Text
		for _, want := range []string{"command sh ", `"verdict":"helps"`, `"part":"aiInstructions"`} {
			if !strings.Contains(strings.ReplaceAll(text, `": "`, `":"`), want) {
				t.Errorf("the answer lacks %s:\n%s", want, text)
			}
		}
		if strings.Contains(text, "says nothing about an AI") {
			t.Errorf("an AI of one's own is taken for the rules engine:\n%s", text)
		}
		if call == 0 {
			first = asks()
		} else if asks() != first {
			t.Errorf("the second call made %d asks more", asks()-first)
		}
	}
	if diff := contents(t, root); len(diff) != len(before) {
		t.Errorf("lift left %v", diff)
	}
}
