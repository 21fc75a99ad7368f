package folder

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"readiness/definition/report"
	"readiness/domain/item"
)

// ModelOf returns the semantic model that a report is built on, in any workspace, if the caller can see it. If the
// caller cannot see it, the result holds only the id and name that the report gives, without a workspace. ok is false
// if the report names no model, or one that cannot be identified. ItemNotReadable if its definition.pbir cannot be
// read. Like a listing, it works while the capacity is paused.
func (p *Platform) ModelOf(ctx context.Context, as item.Caller, it item.Item) (model item.Item, ok bool, err error) {
	all, err := p.scan(ctx, as)
	if err != nil {
		return item.Item{}, false, err
	}
	home, e, err := p.findIn(ctx, all, as, it)
	if err != nil {
		return item.Item{}, false, err
	}
	s, err := p.openScan(ctx)
	if err != nil {
		return item.Item{}, false, err
	}
	defer s.close()
	named, err := s.readModel(e)
	switch {
	case gone(err):
		return item.Item{}, false, nil // paginated, or still empty
	case err != nil:
		return item.Item{}, false, notReadable(it, "definition.pbir: %s", p.cause(err))
	}
	model, ok = seenFrom(home, all, as).find(e, named)
	return model, ok, nil
}

// Reports lists the reports of a workspace, ordered by name and id, each with its model as ModelOf returns it. The list
// is complete in the same sense as that of Items; a report whose definition.pbir cannot be read is listed without a
// model.
func (p *Platform) Reports(ctx context.Context, as item.Caller, workspaceID uuid.UUID) ([]item.WorkspaceReport, error) {
	all, err := p.scan(ctx, as)
	if err != nil {
		return nil, err
	}
	home, err := p.contents(ctx, all, as, workspaceID)
	if err != nil {
		return nil, err
	}
	s, err := p.openScan(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	models := seenFrom(home, all, as)
	listed := []item.WorkspaceReport{}
	for _, e := range home.entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e.Type != item.Report {
			continue
		}
		r := item.WorkspaceReport{Item: e.Item}
		named, err := s.readModel(e)
		switch {
		case gone(err):
			r.Paginated = paginated(s.root.root, e)
		case err == nil:
			if model, ok := models.find(e, named); ok {
				r.Model = &model
			}
		}
		listed = append(listed, r)
	}
	slices.SortFunc(listed, func(a, b item.WorkspaceReport) int { return item.ByName(a.Item, b.Item) })
	return listed, nil
}

// seenModels caches which model each report names.
type seenModels struct {
	mu     sync.Mutex
	byFile map[string]seen[report.Model]
}

// Bounds on the cache: how many reports, and how many bytes a cached definition.pbir may have.
const (
	maxSeenModels = 20_000
	maxSeenModel  = 4096
)

func (m *seenModels) of(file string) seen[report.Model] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byFile[file]
}

func (m *seenModels) keep(file string, s seen[report.Model]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byFile == nil || len(m.byFile) >= maxSeenModels {
		m.byFile = map[string]seen[report.Model]{}
	}
	m.byFile[file] = s
}

// readModel reads which model a report names.
func (s *scan) readModel(e entry) (report.Model, error) {
	file := e.dir + "/definition.pbir"
	now, proves := s.proof(e.dir, file)
	if before := s.models.of(file); proves && before.proof == now {
		return before.says, nil
	}
	data, err := readFile(s.root.root, file, MaxSettingsBytes)
	if err != nil {
		return report.Model{}, err
	}
	said, err := report.ReadModel(data)
	if err == nil && proves && len(data) <= maxSeenModel {
		s.models.keep(file, seen[report.Model]{now, said})
	}
	return said, err
}

// paginated reports whether a report without definition.pbir is a paginated one, which is a single .rdl file.
func paginated(root *os.Root, e entry) bool {
	f, err := root.Open(e.dir)
	if err != nil {
		return false
	}
	defer f.Close()
	found, err := f.ReadDir(100)
	return (err == nil || errors.Is(err, io.EOF)) && slices.ContainsFunc(found,
		func(e os.DirEntry) bool { return strings.EqualFold(path.Ext(e.Name()), ".rdl") })
}

// models indexes the semantic models that a caller sees by everything that a report of one workspace may name them by.
// If several match, the first wins; the models of the report's own workspace come first.
type models struct {
	byDir map[string]*item.Item
	// byFold is keyed by folder in lower case. The value is nil if two folders differ only in letter case, because then
	// it is unclear which one is meant.
	byFold map[string]*item.Item
	byID   map[uuid.UUID]*item.Item
	byName map[modelName]*item.Item
}

// modelName is a model's name in a workspace; workspace is "" for the report's own.
type modelName struct{ workspace, model string }

func seenFrom(home workspace, all []workspace, as item.Caller) models {
	visible, n := []workspace{home}, len(home.entries)
	for _, w := range all {
		if w.ID != home.ID && w.visibleTo(as) {
			visible, n = append(visible, w), n+len(w.entries)
		}
	}
	m := models{make(map[string]*item.Item, n), make(map[string]*item.Item, n), make(map[uuid.UUID]*item.Item, 2*n),
		make(map[modelName]*item.Item, n)}
	for _, w := range visible {
		for i := range w.entries {
			e := &w.entries[i]
			if e.Type != item.SemanticModel {
				continue
			}
			first(m.byDir, e.dir, &e.Item)
			if dir := strings.ToLower(e.dir); m.byFold[dir] == nil {
				first(m.byFold, dir, &e.Item)
			} else {
				m.byFold[dir] = nil
			}
			first(m.byID, e.ID, &e.Item)
			first(m.byID, e.logicalID, &e.Item)
			first(m.byName, modelName{w.DisplayName, e.DisplayName}, &e.Item)
			if w.ID == home.ID {
				first(m.byName, modelName{"", e.DisplayName}, &e.Item)
			}
		}
	}
	return m
}

func first[K comparable](m map[K]*item.Item, key K, it *item.Item) {
	if _, taken := m[key]; !taken {
		m[key] = it
	}
}

// find returns the model that the report names, or the id and name that the report gives.
func (m models) find(e entry, named report.Model) (item.Item, bool) {
	if named.Path != "" {
		dir := path.Join(e.dir, strings.ReplaceAll(named.Path, `\`, "/"))
		if it, ok := m.byDir[dir]; ok {
			return *it, true
		}
		if it := m.byFold[strings.ToLower(dir)]; it != nil {
			return *it, true
		}
	}
	if named.ID != uuid.Nil {
		if it, ok := m.byID[named.ID]; ok {
			return *it, true
		}
	}
	// The id may be one that the platform assigned, which Git does not keep.
	if named.Name != "" {
		if it, ok := m.byName[modelName{named.Workspace, named.Name}]; ok {
			return *it, true
		}
	}
	if named.ID == uuid.Nil {
		return item.Item{}, false
	}
	return item.Item{ID: named.ID, Type: item.SemanticModel, DisplayName: named.Name}, true
}
