package files_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/domain/readiness"
	"readiness/mcp"
	"readiness/mcp/files"
	"readiness/test/samples"
)

// inventory is a model of the samples.
const inventory = "Retail Analytics/Supply Chain/Inventory.SemanticModel"

// session is an agent's session with a server on a folder.
type session struct {
	root string
	*sdk.ClientSession
}

// onSamples starts a server on a copy of the sample workspaces.
func onSamples(t *testing.T, write bool) session {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(samples.Workspaces(t))); err != nil {
		t.Fatal(err)
	}
	return on(t, root, write)
}

func on(t *testing.T, root string, write bool) session {
	t.Helper()
	return onWith(t, root, write, nil)
}

// onWith starts a server whose scores a regime makes.
func onWith(t *testing.T, root string, write bool, regime *readiness.Regime) session {
	t.Helper()
	models, err := files.Open(files.Options{Root: root, Regime: regime, Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	server := mcp.NewServer(mcp.Options{Version: "test", Write: write, Open: models.For})
	ours, theirs := sdk.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return session{root, s}
}

// args are the arguments of a tool.
type args = map[string]any

// maxOutput bounds the text of every output, in bytes.
const maxOutput = 24 << 10

// call calls a tool and checks what is true of every output. It returns the text, which is all that is sent.
func (s session) call(t *testing.T, tool string, a args) (text string, refused bool) {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range r.Content {
		text += c.(*sdk.TextContent).Text
	}
	if len(text) > maxOutput || r.StructuredContent != nil {
		t.Errorf("%s %v returned %d bytes of text, at most %d are right, and the data %v once more", tool, a, len(text), maxOutput, r.StructuredContent)
	}
	return text, r.IsError
}

// get calls a tool that must succeed and returns its data.
func get[T any](t *testing.T, s session, tool string, a args) T {
	t.Helper()
	text, refused := s.call(t, tool, a)
	if refused {
		t.Fatalf("%s %v was refused: %s", tool, a, text)
	}
	var data T
	lines := strings.Split(text, "\n") // the data are between the marks
	if err := json.Unmarshal([]byte(lines[len(lines)-2]), &data); err != nil {
		t.Fatalf("%s: %v: %s", tool, err, text)
	}
	return data
}

// refuse calls a tool that must be refused for a reason, and must not change a file.
func (s session) refuse(t *testing.T, tool string, a args, reason string) {
	t.Helper()
	before := s.tree(t)
	text, refused := s.call(t, tool, a)
	if !refused || !strings.Contains(text, reason) {
		t.Errorf("%s %v: got %q, want a refusal with %q", tool, a, text, reason)
	}
	if d := cmp.Diff(before, s.tree(t)); d != "" {
		t.Errorf("%s %v was refused and left a trace:\n%s", tool, a, d)
	}
}

// tree returns the hash of every file, and the target of every link.
func (s session) tree(t *testing.T) map[string]string { return treeOf(t, s.root) }

func treeOf(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if e.Type()&fs.ModeSymlink != 0 {
			all[path], err = os.Readlink(path)
			return err
		}
		text, err := os.ReadFile(path)
		sum := sha256.Sum256(text)
		all[path] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
