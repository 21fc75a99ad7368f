package fabric_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// What the client reads over REST is what the folder behind the emulator holds, for each person, with pages of any size
// and with definitions that come at once or by an operation.
func TestReadsWhatTheFolderHolds(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*emulator.Options){
		"pages of one": func(o *emulator.Options) { o.PageSize = 1 },
		"pages of two": func(o *emulator.Options) { o.PageSize = 2 },
		"at once":      func(o *emulator.Options) { o.AtOnce = true },
		"slow":         func(o *emulator.Options) { o.Lasts = 70e9 },
	} {
		w := newWorld(t, change)
		for _, id := range []string{"ada", "mallory"} {
			as := person(id)
			want, err := w.folder.Workspaces(t.Context(), as)
			got, err2 := w.Workspaces(t.Context(), as)
			same(t, name+": workspaces", want, got, err, err2)
			for _, ws := range got {
				one, err := w.Workspace(t.Context(), as, ws.ID)
				same(t, name+": workspace", ws, one, nil, err)
				state, err := w.folder.Capacity(t.Context(), as, ws.ID)
				read, err2 := w.Capacity(t.Context(), as, ws.ID)
				same(t, name+": capacity", state, read, err, err2)
				readsItems(t, name, w, as, ws.ID)
			}
		}
	}
}

func readsItems(t *testing.T, name string, w *world, as item.Caller, id uuid.UUID) {
	t.Helper()
	for _, kind := range []item.Type{item.SemanticModel, item.Report, item.DataAgent} {
		want, err := w.folder.Items(t.Context(), as, id, kind)
		got, err2 := w.Items(t.Context(), as, id, kind)
		same(t, name+": items", want, got, err, err2)
		for _, it := range got {
			one, err := w.Item(t.Context(), as, id, kind, it.ID)
			same(t, name+": item", it, one, nil, err)
			d, err := w.folder.Definition(t.Context(), as, it)
			read, err2 := w.Definition(t.Context(), as, it)
			if id == seasonal {
				refused(t, err2, domain.CapacityPaused, "resume it")
				continue
			}
			same(t, name+": definition", d.Hash(), read.Hash(), err, err2)
		}
	}
	want, err := w.folder.Reports(t.Context(), as, id)
	got, err2 := w.Reports(t.Context(), as, id)
	for i := range want { // Power BI says nothing of a report's description, or of the name of a model that is not seen
		want[i].Description = ""
		if m := want[i].Model; m != nil && m.WorkspaceID == uuid.Nil {
			want[i].Model = &item.Item{ID: m.ID, Type: m.Type}
		}
	}
	same(t, name+": reports", want, got, err, err2)
	for _, r := range got {
		m, ok, err := w.ModelOf(t.Context(), as, r.Item)
		if err != nil || ok != (r.Model != nil) || ok && m != *r.Model {
			t.Errorf("%s: the model of %s is %+v, %t, %v, want %+v", name, r.DisplayName, m, ok, err, r.Model)
		}
	}
}

func same(t *testing.T, what string, want, got any, wantErr, err error) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" || wantErr != nil || err != nil {
		t.Fatalf("%s (-folder +REST):\n%s%v, %v", what, d, wantErr, err)
	}
}

// What a person may not see is not found, and what they may only look at has no definition for them.
func TestWhatThePersonMayNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *emulator.Options) {
		o.Role = func(person string, _ uuid.UUID) emulator.Role {
			if person == "viewer" {
				return emulator.Viewer
			}
			return emulator.Contributor
		}
		o.CapacityReader = func(person string) bool { return person == "ada" }
	})
	m := w.model(t)
	hidden, err := w.folder.Items(t.Context(), person("ada"), closed, item.SemanticModel)
	if err != nil || len(hidden) == 0 {
		t.Fatal(err)
	}
	_, err = w.Workspace(t.Context(), person("mallory"), closed)
	refused(t, err, domain.WorkspaceNotFound, "or you cannot see it")
	_, err = w.Items(t.Context(), person("mallory"), closed, item.Report)
	refused(t, err, domain.WorkspaceNotFound, "or you cannot see it")
	_, err = w.Item(t.Context(), person("mallory"), closed, item.SemanticModel, hidden[0].ID)
	refused(t, err, domain.WorkspaceNotFound, "or you cannot see it")
	_, err = w.Definition(t.Context(), person("mallory"), hidden[0])
	refused(t, err, domain.WorkspaceNotFound, "or you cannot see it")
	_, err = w.Reports(t.Context(), person("mallory"), closed)
	refused(t, err, domain.WorkspaceNotFound, "or you cannot see it")
	_, err = w.Item(t.Context(), person("ada"), retail, item.SemanticModel, uuid.UUID{15: 1})
	refused(t, err, domain.ItemNotFound, "is not in workspace")
	_, err = w.Item(t.Context(), person("ada"), retail, item.Report, m.ID)
	refused(t, err, domain.ItemNotFound, "is not in workspace")
	_, err = w.Definition(t.Context(), person("viewer"), m)
	refused(t, err, domain.PlatformAccessDenied, "ask for the Contributor role")
	_, err = w.Workspaces(t.Context(), person("expired"))
	refused(t, err, domain.TokenExpired, "sign in again")
	if state, err := w.Capacity(t.Context(), person("grace"), seasonal); err != nil || state != item.CapacityUnknown {
		t.Errorf("the state of a capacity that the person cannot see is %s, %v", state, err)
	}
	access, err := w.Access(t.Context(), person("ada"))
	if err != nil || len(access) != 4 || access[item.PermissionPlatform] != item.Granted {
		t.Errorf("got %v, %v", access, err)
	}
}
