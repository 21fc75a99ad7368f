package folder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

// Every call is refused for a person to whom the platform permission is not granted, and nothing is read or written for
// them. One person's missing permission does not affect another.
//
// proves: 2.4/access 7.2/PlatformConsentRequired 7.2/PlatformUnavailable
func TestAccessIsReadPerPersonAndCall(t *testing.T) {
	t.Parallel()
	const id = "0b9c0fb1-5b3e-4d3c-8f44-2f1d1a0a0001"
	root := files(t, map[string]string{
		"Retail/Sales.SemanticModel/.platform":             platformFile(id, "Sales"),
		"Retail/Sales.SemanticModel/definition/model.tmdl": "model Model\n",
		"Retail/Look.Report/.platform":                     platformFile("0b9c0fb1-5b3e-4d3c-8f44-2f1d1a0a0002", "Look"),
		"Retail/Look.Report/definition.pbir":               `{"datasetReference":{"byPath":{"path":"../Sales.SemanticModel"}}}`,
	})
	fault := errors.New("no answer")
	says := map[string]map[item.Permission]item.Access{}
	p, err := folder.Open(root, folder.Options{Access: func(_ context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
		if as.Person.ID == "faulty" {
			return nil, fault
		}
		return says[as.Person.ID], nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	says["anna"] = map[item.Permission]item.Access{item.PermissionPlatform: item.Granted, item.PermissionUsage: item.ConsentRequired}
	w := only(t, p)
	model, report := items(t, p, w.ID, item.SemanticModel)[0], items(t, p, w.ID, item.Report)[0]
	was, err := p.Definition(t.Context(), anna, model)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "Retail/Sales.SemanticModel/definition/model.tmdl")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(as item.Caller) error{
		"Workspaces": func(as item.Caller) error { _, err := p.Workspaces(t.Context(), as); return err },
		"Workspace":  func(as item.Caller) error { _, err := p.Workspace(t.Context(), as, w.ID); return err },
		"Capacity":   func(as item.Caller) error { _, err := p.Capacity(t.Context(), as, w.ID); return err },
		"Items":      func(as item.Caller) error { _, err := p.Items(t.Context(), as, w.ID, item.SemanticModel); return err },
		"Item": func(as item.Caller) error {
			_, err := p.Item(t.Context(), as, w.ID, item.SemanticModel, model.ID)
			return err
		},
		"Definition": func(as item.Caller) error { _, err := p.Definition(t.Context(), as, model); return err },
		"ModelOf":    func(as item.Caller) error { _, _, err := p.ModelOf(t.Context(), as, report); return err },
		"WriteDefinition": func(as item.Caller) error {
			d := definition.New(definition.Part{Path: "definition/model.tmdl", Data: []byte("model Other\n")})
			return p.WriteDefinition(t.Context(), as, model, d, was.Hash())
		},
	}
	for who, want := range map[string]struct {
		access map[item.Permission]item.Access
		code   domain.Code
	}{
		"no consent":  {map[item.Permission]item.Access{item.PermissionPlatform: item.ConsentRequired, item.PermissionUsage: item.Granted}, domain.PlatformConsentRequired},
		"unavailable": {map[item.Permission]item.Access{item.PermissionPlatform: item.Unavailable}, domain.PlatformUnavailable},
		"not said":    {nil, domain.PlatformUnavailable},
	} {
		says[who] = want.access
		as := item.Caller{Account: "contoso", Person: item.Person{ID: who}}
		for name, call := range calls {
			refused(t, who+": "+name, call(as), want.code)
		}
		if got, err := p.Access(t.Context(), as); err != nil || !cmp.Equal(got, want.access) {
			t.Errorf("%s: Access says %v, %v", who, got, err)
		}
		// Permissions are read on every call, so granting one takes effect at once.
		says[who] = says["anna"]
		if err := calls["Item"](as); err != nil {
			t.Errorf("%s: once granted: %v", who, err)
		}
	}
	for name, call := range calls {
		if err := call(item.Caller{Person: item.Person{ID: "faulty"}}); !errors.Is(err, fault) {
			t.Errorf("%s: got %v, want the fault", name, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the model was written: %q, %v", after, err)
	}
	for name, call := range calls {
		if name == "WriteDefinition" {
			continue
		}
		if err := call(anna); err != nil {
			t.Errorf("%s for who granted it: %v", name, err)
		}
	}
}

func TestAccessIsFullByDefault(t *testing.T) {
	t.Parallel()
	p := open(t, files(t, map[string]string{"Retail/workspace.json": "{}"}))
	want := map[item.Permission]item.Access{
		item.PermissionPlatform: item.Granted, item.PermissionUsage: item.Granted, item.PermissionStorage: item.Granted, item.PermissionAgent: item.Granted,
	}
	for range 2 {
		got, err := p.Access(t.Context(), anna)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("got %v, %v, want everything granted", got, err)
		}
		clear(got) // the caller owns the map
	}
}
