package pixie

import (
	"fmt"
	"strconv"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
)

const reportPart = "report.json"

// legacy is a report that stores everything in report.json: sections are its pages,
// and the configuration of a visual or a page is JSON in a string.
type legacy struct {
	old  definition.Definition
	tree *jsonpart.Tree
	all  []*page
}

func openLegacy(d definition.Definition) (*legacy, error) {
	data, _ := d.Part(reportPart)
	tree, err := jsonpart.Edit(reportPart, data)
	if err != nil {
		return nil, err
	}
	if err := checkConfig(data); err != nil {
		return nil, err
	}
	l := &legacy{old: d, tree: tree}
	for _, section := range items(at(tree.Root, "sections")) {
		if !isObject(section) {
			continue
		}
		p := &page{name: text(at(section, "name")), displayName: text(at(section, "displayName")), section: section}
		p.sizes(section)
		for _, container := range items(at(section, "visualContainers")) {
			v, err := readContainer(container)
			if err != nil {
				return nil, err
			}
			if v != nil {
				p.visuals = append(p.visuals, v)
			}
		}
		l.all = append(l.all, p)
	}
	return l, nil
}

// checkConfig returns an error with its position if the report's own config is not
// JSON. The report's reader reads every other text.
func checkConfig(data []byte) error {
	r, err := jsonpart.New(reportPart, data)
	if err != nil {
		return err
	}
	for member := range r.Object() {
		if member != "config" {
			continue
		}
		line := r.Line()
		config, _ := r.Text()
		if config == "" {
			continue
		}
		if _, err := jsonpart.New(reportPart, []byte(config)); err != nil {
			return &jsonpart.Error{File: reportPart, Line: line, Column: 1, Message: "the report's config is not JSON: " + err.Error()}
		}
	}
	return nil
}

// readContainer returns nil for a container that is not a visual.
func readContainer(container *jsonpart.Value) (*visual, error) {
	config := text(at(container, "config"))
	if config == "" {
		return nil, nil
	}
	tree, err := jsonpart.Edit(reportPart, []byte(config))
	if err != nil {
		return nil, err
	}
	v := &visual{container: container, tree: tree}
	legacyMembers.read(v)
	v.z = number(at(container, "z"))
	return v, nil
}

func (l *legacy) pages() []*page { return l.all }

func (l *legacy) add(p *page, name string, z float64, look look) (*visual, error) {
	list := at(p.section, "visualContainers")
	if list == nil || list.Kind() != '[' {
		return nil, &jsonpart.Error{File: reportPart, Message: fmt.Sprintf("page %q has no list of visuals (visualContainers) to which a "+
			"Pixie could be added", p.name)}
	}
	config := object(`{"name":"`+name+`"}`, jsonpart.Object{
		{Name: "layouts", Value: jsonpart.Array{jsonpart.Object{{Name: "id", Value: jsonpart.Literal("0")},
			{Name: "position", Value: look.position(z)}}}},
		{Name: legacyMembers.visual, Value: legacyMembers.image(look)},
		{Name: "annotations", Value: note(look.id)},
	})
	container := list.AppendInLine(jsonpart.Object{
		{Name: "config", Value: string(config)},
		{Name: "filters", Value: "[]"},
		{Name: "height", Value: jsonpart.Literal(cents(look.size))},
		{Name: "width", Value: jsonpart.Literal(cents(look.size))},
		{Name: "x", Value: jsonpart.Literal(cents(look.x))},
		{Name: "y", Value: jsonpart.Literal(cents(look.y))},
		{Name: "z", Value: jsonpart.Literal(cents(z))},
	})
	v := &visual{name: name, container: container}
	p.visuals = append(p.visuals, v)
	return v, nil
}

// cents writes a number with two decimals, as containers have them.
func cents(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

func (l *legacy) update(v *visual, look look) bool {
	changed := legacyMembers.update(v, look)
	moved := false
	if !v.grouped {
		for _, layout := range items(at(v.tree.Root, "layouts")) {
			// The other layouts are those of small screens.
			if position := at(layout, "position"); number(at(layout, "id")) == 0 && isObject(position) {
				changed = look.move(position, plain) || changed
			}
		}
		moved = look.move(v.container, cents)
	}
	if changed {
		at(v.container, "config").SpliceText(string(v.tree.Bytes()), nil)
	}
	return changed || moved
}

func (l *legacy) remove(v *visual) { v.container.Remove() }

// unname removes the visual from its page's config and from the bookmarks in the
// report's config.
func (l *legacy) unname(p *page, name string, everywhere bool) error {
	err := inText(at(p.section, "config"), name, func(page *jsonpart.Value) bool {
		return unnameOnPage(page, "relationships", name)
	})
	if err != nil {
		return err
	}
	return inText(at(l.tree.Root, "config"), name, func(report *jsonpart.Value) bool {
		return unnameInBookmarks(at(report, "bookmarks"), p.name, name, everywhere)
	})
}

// inText applies cut to the JSON in a string that contains the name, until cut
// reports false.
func inText(v *jsonpart.Value, name string, cut func(root *jsonpart.Value) bool) error {
	for {
		inner := text(v)
		if !strings.Contains(inner, name) {
			return nil
		}
		tree, err := jsonpart.Edit(reportPart, []byte(inner))
		if err != nil {
			return err
		}
		if !cut(tree.Root) {
			return nil
		}
		v.SpliceText(string(tree.Bytes()), nil)
	}
}

func (l *legacy) definition() definition.Definition {
	parts := make([]definition.Part, len(l.old.Parts))
	for i, part := range l.old.Parts {
		if part.Path == reportPart {
			part.Data = l.tree.Bytes()
		}
		parts[i] = part
	}
	return definition.New(parts...)
}
