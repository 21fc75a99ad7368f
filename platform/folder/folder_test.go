package folder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

var anna = item.Caller{Account: "contoso", Person: item.Person{ID: "anna"}}

// files writes files with the given paths to a new folder, and returns the folder.
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

// platformFile returns a .platform with an id and a name.
func platformFile(id, name string) string {
	return fmt.Sprintf(`{"metadata":{"type":"x","displayName":%q,"description":"About %s"},"config":{"version":"2.0","logicalId":%q}}`, name, name, id)
}

// only returns the only workspace.
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

// BenchmarkLookups measures lookups in an unchanging folder of ten workspaces with the given number of models in total.
func BenchmarkLookups(b *testing.B) {
	for _, models := range []int{50, 1000} {
		all := map[string]string{}
		for i := range models {
			dir := fmt.Sprintf("ws%d/area%d/Model %d", i%10, i%7, i)
			all[dir+".SemanticModel/.platform"] = platformFile(uuid.NewString(), fmt.Sprintf("Model %d", i))
			all[dir+".SemanticModel/model.bim"] = "{}"
			if i%10 == 0 {
				all[dir+".Report/.platform"] = platformFile(uuid.NewString(), fmt.Sprintf("Report %d", i))
				all[dir+".Report/definition.pbir"] = fmt.Sprintf(`{"version":"4.0","datasetReference":{"byPath":{"path":"../Model %d.SemanticModel"}}}`, i)
			}
		}
		p := open(b, files(b, all))
		folder.SetNow(p, func() time.Time { return time.Now().Add(time.Hour) })
		workspaces, err := p.Workspaces(b.Context(), anna)
		if err != nil {
			b.Fatal(err)
		}
		ws := workspaces[0].ID
		it := items(b, p, ws, item.SemanticModel)[0]
		for _, look := range []struct {
			name string
			up   func() error
		}{
			{"Workspace", func() error { _, err := p.Workspace(b.Context(), anna, ws); return err }},
			{"Item", func() error { _, err := p.Item(b.Context(), anna, ws, it.Type, it.ID); return err }},
			{"Items", func() error { _, err := p.Items(b.Context(), anna, ws, it.Type); return err }},
			{"Reports", func() error { _, err := p.Reports(b.Context(), anna, ws); return err }},
			{"Definition", func() error { _, err := p.Definition(b.Context(), anna, it); return err }},
		} {
			b.Run(fmt.Sprintf("%s/of=%d/callers=1", look.name, models), func(b *testing.B) {
				for b.Loop() {
					if err := look.up(); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/of=%d/callers=16", look.name, models), func(b *testing.B) {
				b.SetParallelism(16)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := look.up(); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}
