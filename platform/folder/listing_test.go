package folder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"file": "", "Sales.SemanticModel/model.bim": "{}"})
	for name, want := range map[string]string{"absent": "cannot be read", "file": "is a file", "Sales.SemanticModel": "is an item"} {
		if p, err := folder.Open(filepath.Join(root, name), folder.Options{}); err == nil || !strings.Contains(err.Error(), want) || p != nil {
			t.Errorf("%s: got %v, %v, want %q", name, p, err, want)
		}
	}
}

func TestWorkspaces(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	root := files(t, map[string]string{
		"b/deep/er/Sales.SemanticModel/model.bim": "{}",
		"a/workspace.json":                        `{"id":"` + id.String() + `","displayName":" Finance ","capacity":{"id":"cap-1","state":"Paused"}}`,
		"a/x.Report/definition.pbir":              "{}",
		"empty/README.md":                         "no item",
		".git/Hidden.Report/definition.pbir":      "{}",
		"a file":                                  "",
	})
	if err := os.Symlink(filepath.Join(root, "b"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "not UTF-8 \xff"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := open(t, root)
	got, err := p.Workspaces(t.Context(), anna)
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ Name, Capacity string }
	var rows []row
	for _, w := range got {
		rows = append(rows, row{w.DisplayName, w.Capacity})
	}
	if diff := cmp.Diff([]row{{"Finance", "cap-1"}, {"b", ""}, {"empty", ""}, {"not UTF-8 \ufffd", ""}}, rows); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got[0].ID != id {
		t.Errorf("got id %v, want that of workspace.json, %v", got[0].ID, id)
	}
	// The id derived from a folder's name is a UUID v5 and outlives the process.
	if got[1].ID.Version() != 5 || got[1].ID == got[2].ID {
		t.Errorf("got ids %v and %v", got[1].ID, got[2].ID)
	}
	again, err := open(t, root).Workspaces(t.Context(), anna)
	if diff := cmp.Diff(got, again); err != nil || diff != "" {
		t.Errorf("listed again: %v\n%s", err, diff)
	}
	for _, w := range got {
		one, err := p.Workspace(t.Context(), anna, w.ID)
		if err != nil || one != w {
			t.Errorf("got %v, %v, want %v", one, err, w)
		}
	}
	_, err = p.Workspace(t.Context(), anna, uuid.New())
	refused(t, "an unknown workspace", err, domain.WorkspaceNotFound)
}

func TestARootThatHoldsItemsIsOneWorkspace(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"Sales.SemanticModel/model.bim":          "{}",
		"area/Costs.Dataset/model.bim":           "{}",
		"area/deeper/Sales.Report/.platform":     platformFile("", "Sales"),
		"Bot.DataAgent/Files/Config/x.json":      "{}",
		"Sales.SemanticModel/X.Report/.platform": platformFile("", "an item inside an item is none"),
		".Report/.platform":                      platformFile("", "a suffix alone is none"),
		"Sales.semanticmodel/model.bim":          "{}",
		"Flow.DataPipeline/.platform":            platformFile("", "no type of ours"),
		"File.Report":                            "a file",
	})
	p := open(t, root)
	w := only(t, p)
	if w.DisplayName != "root" || w.ID.Version() != 5 {
		t.Errorf("got %+v", w)
	}
	names := func(kind item.Type) (all []string) {
		for _, it := range items(t, p, w.ID, kind) {
			all = append(all, it.DisplayName)
		}
		return all
	}
	for kind, want := range map[item.Type][]string{
		item.SemanticModel: {"Costs", "Sales"}, item.Report: {"Sales"}, item.DataAgent: {"Bot"}, "Lakehouse": nil,
	} {
		if diff := cmp.Diff(want, names(kind)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", kind, diff)
		}
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	one, two, three := uuid.New(), uuid.New(), uuid.New()
	root := files(t, map[string]string{
		"ws/A.SemanticModel/.platform":    platformFile(one.String(), "Same"),
		"ws/B.SemanticModel/.platform":    platformFile(strings.ToUpper(two.String()), "Same"),
		"ws/C.SemanticModel/.platform":    "\ufeff" + platformFile(three.String(), "  "),
		"ws/M.SemanticModel/.platform":    platformFile(uuid.NewString(), "Report Usage Metrics Model"),
		"ws/R.Report/.platform":           platformFile(uuid.NewString(), "Report Usage Metrics Model"),
		"other/D.SemanticModel/model.bim": "{}",
	})
	p := open(t, root)
	workspaces, err := p.Workspaces(t.Context(), anna)
	if err != nil {
		t.Fatal(err)
	}
	ws := workspaces[1]
	got := items(t, p, ws.ID, item.SemanticModel)
	a, b := item.Item{ID: one, DisplayName: "Same", Description: "About Same"}, item.Item{ID: two, DisplayName: "Same", Description: "About Same"}
	if string(b.ID[:]) < string(a.ID[:]) {
		a, b = b, a
	}
	want := []item.Item{{ID: three, DisplayName: "C", Description: "About   "}, got[1], a, b}
	want[1].Maintained, want[1].DisplayName = true, "Report Usage Metrics Model"
	for i := range want {
		want[i].Type, want[i].WorkspaceID = item.SemanticModel, ws.ID
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r := items(t, p, ws.ID, item.Report); r[0].Maintained {
		t.Error("a report counts as maintained by the platform")
	}
	for _, it := range got {
		one, err := p.Item(t.Context(), anna, ws.ID, it.Type, it.ID)
		if err != nil || one != it {
			t.Errorf("got %v, %v, want %v", one, err, it)
		}
		_, err = p.Item(t.Context(), anna, ws.ID, item.Report, it.ID)
		refused(t, "the id of another type", err, domain.ItemNotFound)
		_, err = p.Item(t.Context(), anna, workspaces[0].ID, it.Type, it.ID)
		refused(t, "the id of another workspace", err, domain.ItemNotFound)
	}
	_, err = p.Item(t.Context(), anna, uuid.New(), item.SemanticModel, one)
	refused(t, "an unknown workspace", err, domain.WorkspaceNotFound)
	_, err = p.Items(t.Context(), anna, uuid.New(), item.SemanticModel)
	refused(t, "items of an unknown workspace", err, domain.WorkspaceNotFound)
}

// Ids are unique over the entire root, whatever .platform contains.
func TestIDs(t *testing.T) {
	t.Parallel()
	good, twice, across := uuid.New(), uuid.New(), uuid.New()
	root := files(t, map[string]string{
		"ws/Good.Report/.platform":           platformFile(good.String(), "Good"),
		"ws/Missing.Report/x":                "",
		"ws/Zero.Report/.platform":           platformFile(uuid.Nil.String(), "Zero"),
		"ws/Malformed.Report/.platform":      platformFile("no id", "Malformed"),
		"ws/Braces.Report/.platform":         platformFile("{"+uuid.NewString()+"}", "Braces"),
		"ws/NoJSON.Report/.platform":         "{",
		"ws/Number.Report/.platform":         `{"config":{"logicalId":5}}`,
		"ws/Twice 1.Report/.platform":        platformFile(twice.String(), "Twice 1"),
		"ws/Twice 2.SemanticModel/.platform": platformFile(twice.String(), "Twice 2"),
		"ws/Across.Report/.platform":         platformFile(across.String(), "Across"),
		"copy/Across.Report/.platform":       platformFile(across.String(), "Across"),
		"ws/Large.Report/.platform":          platformFile(uuid.NewString(), strings.Repeat("x", folder.MaxSettingsBytes)),
		"ws/Folder.Report/.platform/x":       "",
		"ws/sub/Missing.Report/x":            "",
		"elsewhere/.platform":                platformFile(uuid.NewString(), "linked"),
	})
	if err := os.Mkdir(filepath.Join(root, "ws", "Link.Report"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../elsewhere/.platform", filepath.Join(root, "ws", "Link.Report", ".platform")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "ws", "Pipe.Report"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "ws", "Pipe.Report", ".platform"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, root)
	workspaces, err := p.Workspaces(t.Context(), anna)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uuid.UUID]string{}
	for _, w := range workspaces {
		for _, kind := range []item.Type{item.Report, item.SemanticModel} {
			for _, it := range items(t, p, w.ID, kind) {
				name := w.DisplayName + "/" + it.DisplayName
				if other, taken := seen[it.ID]; taken {
					t.Errorf("%s has the id of %s", name, other)
				}
				seen[it.ID] = name
				if byPath := name != "ws/Good"; byPath != (it.ID.Version() == 5) {
					t.Errorf("%s: got id %v", name, it.ID)
				}
			}
		}
	}
	if len(seen) != 16 || seen[good] != "ws/Good" {
		t.Errorf("got %d items, want 16: %v", len(seen), seen)
	}
	// The path id of one item becomes the logical id of another.
	var taken uuid.UUID
	for id, name := range seen {
		if name == "ws/Zero" {
			taken = id
		}
	}
	put(t, root, map[string]string{"ws/Good.Report/.platform": platformFile(taken.String(), "Good")})
	if it, err := p.Item(t.Context(), anna, workspaces[2].ID, item.Report, taken); err != nil || it.DisplayName != "Zero" {
		t.Errorf("got %v, %v", it, err)
	}
	// After the copy is removed the id is unique again.
	if err := os.RemoveAll(filepath.Join(root, "copy")); err != nil {
		t.Fatal(err)
	}
	if it, err := p.Item(t.Context(), anna, workspaces[2].ID, item.Report, across); err != nil || it.DisplayName != "Across" {
		t.Errorf("got %v, %v", it, err)
	}
}

func TestWorkspaceIDsAreDistinct(t *testing.T) {
	t.Parallel()
	id := uuid.NewString()
	root := files(t, map[string]string{
		"a/workspace.json": `{"id":"` + id + `"}`, "b/workspace.json": `{"id":"` + id + `"}`, "c/workspace.json": `{"displayName":"C"}`,
	})
	p := open(t, root)
	all, err := p.Workspaces(t.Context(), anna)
	if err != nil || len(all) != 3 {
		t.Fatalf("got %v, %v", all, err)
	}
	put(t, root, map[string]string{"a/workspace.json": `{"id":"` + all[0].ID.String() + `","displayName":"thief"}`, "b/workspace.json": `{"id":"` + all[0].ID.String() + `"}`})
	seen := map[uuid.UUID]bool{}
	all, err = p.Workspaces(t.Context(), anna)
	for _, w := range all {
		seen[w.ID] = true
	}
	if err != nil || len(seen) != 3 {
		t.Errorf("got %v, %v, want three ids", all, err)
	}
}

func TestChangesAreSeenAtTheNextCall(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	root := files(t, map[string]string{"ws/A.Report/.platform": platformFile(id.String(), "one")})
	p := open(t, root)
	w := only(t, p)
	name := func() string {
		t.Helper()
		all := items(t, p, w.ID, item.Report)
		if len(all) != 1 {
			return ""
		}
		return all[0].DisplayName
	}
	file := filepath.Join(root, "ws/A.Report/.platform")
	for range 50 {
		for _, want := range []string{"two", "six"} { // of equal length, within one tick of the clock
			put(t, root, map[string]string{"ws/A.Report/.platform": platformFile(id.String(), want)})
			if got := name(); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"two", "six"} { // within one tick of a coarse clock
		put(t, root, map[string]string{"ws/A.Report/.platform": platformFile(id.String(), want)})
		if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if got := name(); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	old := info.ModTime().Add(-1e12)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := name(); got != "six" {
			t.Errorf("got %q", got)
		}
	}
	put(t, root, map[string]string{"ws/A.Report/.platform": platformFile(id.String(), "ten")})
	if got := name(); got != "ten" {
		t.Errorf("got %q after a change of a settled file", got)
	}
	if err := os.Rename(filepath.Join(root, "ws/A.Report"), filepath.Join(root, "ws/B.Report")); err != nil {
		t.Fatal(err)
	}
	if got := items(t, p, w.ID, item.Report)[0]; got.ID != id {
		t.Errorf("a renamed folder: got %v", got)
	}
	if err := os.RemoveAll(filepath.Join(root, "ws")); err != nil {
		t.Fatal(err)
	}
	_, err = p.Items(t.Context(), anna, w.ID, item.Report)
	refused(t, "a workspace that is gone", err, domain.WorkspaceNotFound)
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	_, err = p.Workspaces(t.Context(), anna)
	refused(t, "a root that is gone", err, domain.PlatformUnavailable)
	if strings.Contains(err.Error(), root) {
		t.Errorf("the path is in the refusal: %v", err)
	}
	put(t, root, map[string]string{"new/B.Report/.platform": platformFile(id.String(), "back")})
	if all, err := p.Workspaces(t.Context(), anna); err != nil || len(all) != 1 || all[0].DisplayName != "new" {
		t.Errorf("a root that is back: got %v, %v", all, err)
	}
}

func TestDeepFolders(t *testing.T) {
	t.Parallel()
	at := func(depth int, name string) string { return "ws/" + strings.Repeat("d/", depth) + name }
	root := files(t, map[string]string{
		at(0, "Top.Report/x"):                         "",
		at(folder.MaxDepth-1, "Deepest.Report/x"):     "",
		at(folder.MaxDepth, "Below.Report/x"):         "",
		at(folder.MaxDepth+300, "Far below.Report/x"): "",
	})
	var names []string
	p := open(t, root)
	for _, it := range items(t, p, only(t, p).ID, item.Report) {
		names = append(names, it.DisplayName)
	}
	if diff := cmp.Diff([]string{"Deepest", "Top"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	outside := files(t, map[string]string{"Secret.Report/.platform": platformFile(uuid.NewString(), "Secret")})
	root := files(t, map[string]string{"ws/A.Report/x": ""})
	for name, to := range map[string]string{
		"out": outside, "ws/out": outside, "ws/Out.Report": filepath.Join(outside, "Secret.Report"), "ws/loop": ".", "ws/up": "../..", "ws/Self.Report": "A.Report", "ws/broken": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, root)
	if got := items(t, p, only(t, p).ID, item.Report); len(got) != 1 || got[0].DisplayName != "A" {
		t.Errorf("got %v", got)
	}
}

// An incomplete listing is refused, because missing items would be taken for deleted. Other workspaces are still
// listed.
func TestTooManyEntries(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"big/A.Report/1": "", "big/b": "", "big/c/d": "", "small/A.Report/1": "", "small/A.Report/2": "", "small/b": ""})
	p := open(t, root)
	all, err := p.Workspaces(t.Context(), anna)
	if err != nil {
		t.Fatal(err)
	}
	for bound, code := range map[int]domain.Code{4: "", 3: domain.PlatformUnavailable} {
		folder.SetBounds(p, bound, 1, 1, 1)
		got, err := p.Items(t.Context(), anna, all[0].ID, item.Report)
		if code == "" && (err != nil || len(got) != 1) || code != "" && (!domain.IsRefused(err, code) || got != nil) {
			t.Errorf("with a bound of %d: got %v, %v, want %q", bound, got, err, code)
		}
		if got, err := p.Items(t.Context(), anna, all[1].ID, item.Report); err != nil || len(got) != 1 {
			t.Errorf("the other workspace: got %v, %v", got, err)
		}
	}
}

func TestAnswersACallerWhoGaveUp(t *testing.T) {
	t.Parallel()
	p := open(t, files(t, map[string]string{"ws/A.Report/x": ""}))
	it := items(t, p, only(t, p).ID, item.Report)[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err1 := p.Workspaces(ctx, anna)
	_, err2 := p.Items(ctx, anna, it.WorkspaceID, it.Type)
	_, err3 := p.Definition(ctx, anna, it)
	for _, err := range []error{err1, err2, err3} {
		if err != context.Canceled {
			t.Errorf("got %v", err)
		}
	}
}
