package folder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

var anna = item.Caller{Account: "contoso", Person: item.Person{ID: "anna"}}

// files writes a tree: paths below a new folder, which it returns.
func files(t testing.TB, byPath map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, root, byPath)
	return root
}

func put(t testing.TB, root string, byPath map[string]string) {
	t.Helper()
	for name, text := range byPath {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t testing.TB, root string) *folder.Platform {
	t.Helper()
	p, err := folder.Open(root, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// platformFile is a .platform with an id and a name.
func platformFile(id, name string) string {
	return fmt.Sprintf(`{"metadata":{"type":"x","displayName":%q,"description":"About %s"},"config":{"version":"2.0","logicalId":%q}}`, name, name, id)
}

// only returns the one workspace there is.
func only(t testing.TB, p *folder.Platform) item.Workspace {
	t.Helper()
	all, err := p.Workspaces(t.Context(), anna)
	if err != nil || len(all) != 1 {
		t.Fatalf("got workspaces %v, %v, want one", all, err)
	}
	return all[0]
}

func items(t testing.TB, p *folder.Platform, workspace uuid.UUID, kind item.Type) []item.Item {
	t.Helper()
	all, err := p.Items(t.Context(), anna, workspace, kind)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// refused fails the test unless err is a refusal with the code.
func refused(t testing.TB, what string, err error, code domain.Code) {
	t.Helper()
	if !domain.IsRefused(err, code) {
		t.Errorf("%s: got error %v, want %s", what, err, code)
	}
}

func BenchmarkItems(b *testing.B) {
	all := map[string]string{}
	for i := range 1000 {
		all[fmt.Sprintf("ws%d/area%d/Model %d.SemanticModel/.platform", i%10, i%7, i)] = platformFile(uuid.NewString(), fmt.Sprintf("Model %d", i))
	}
	p := open(b, files(b, all))
	w, err := p.Workspaces(b.Context(), anna)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Items(b.Context(), anna, w[0].ID, item.SemanticModel); err != nil {
			b.Fatal(err)
		}
	}
}
