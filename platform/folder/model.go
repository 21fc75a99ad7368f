package folder

import (
	"context"
	"path"
	"strings"

	"github.com/google/uuid"

	"readiness/definition/report"
	"readiness/domain/item"
)

// ModelOf names the semantic model that a report is built on, as far as the
// caller may know it: the model itself when they can see it, in whatever
// workspace; else only the id that the report gives, without a workspace. ok is
// false when the report names no model, or one that cannot be told.
// ItemNotReadable when its definition.pbir cannot be read. It asks nothing of
// the capacity, as a listing does not.
func (p *Platform) ModelOf(ctx context.Context, as item.Caller, it item.Item) (model item.Item, ok bool, err error) {
	root, err := p.open(ctx, as)
	if err != nil {
		return item.Item{}, false, err
	}
	defer root.Close()
	all, err := p.scan(ctx, root)
	if err != nil {
		return item.Item{}, false, err
	}
	home, e, err := p.findIn(ctx, all, as, it)
	if err != nil {
		return item.Item{}, false, err
	}
	data, err := readFile(root, e.dir+"/definition.pbir", MaxSettingsBytes)
	if gone(err) {
		return item.Item{}, false, nil // paginated, or nothing yet
	}
	var named report.Model
	if err == nil {
		named, err = report.ReadModel(data)
	}
	if err != nil {
		return item.Item{}, false, notReadable(it, "definition.pbir: %s", cause(err))
	}
	visible := []workspace{home}
	for _, w := range all {
		if w.ID != home.ID && w.visibleTo(as) {
			visible = append(visible, w)
		}
	}
	for _, isNamed := range []func(w workspace, m entry) bool{
		func(_ workspace, m entry) bool {
			return named.Path != "" && m.dir == path.Join(e.dir, strings.ReplaceAll(named.Path, `\`, "/"))
		},
		func(_ workspace, m entry) bool {
			return named.ID != uuid.Nil && (m.ID == named.ID || m.logicalID == named.ID)
		},
		// The id may be the service's own, which Git does not keep.
		func(w workspace, m entry) bool {
			return named.Name != "" && m.DisplayName == named.Name && (w.DisplayName == named.Workspace || named.Workspace == "" && w.ID == home.ID)
		},
	} {
		for _, w := range visible {
			for _, m := range w.entries {
				if m.Type == item.SemanticModel && isNamed(w, m) {
					return m.Item, true, nil
				}
			}
		}
	}
	if named.ID == uuid.Nil {
		return item.Item{}, false, nil
	}
	return item.Item{ID: named.ID, Type: item.SemanticModel, DisplayName: named.Name}, true, nil
}
