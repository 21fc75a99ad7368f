package report

import (
	"cmp"
	"strings"

	"readiness/definition/jsonpart"
)

// Caption is a text that a report shows for a field instead of its name.
type Caption struct {
	Field
	Text string
}

// Captions returns what the report calls fields: the names that its visuals give them, the title of a visual that
// shows one field only, and the title of a page that shows one field only. The texts of a visual that shows only a part of the rows, by
// a filter of the visual, its page or its report, are left out, and the titles over an aggregation other than a sum: "Longest wait"
// is not what the waits are called.
func (r Report) Captions() []Caption {
	if r.Filtered {
		return nil
	}
	var all []Caption
	for _, p := range r.Pages {
		if p.Filtered {
			continue
		}
		limited := false
		for _, v := range p.Visuals {
			if v.Filtered {
				limited = true
				continue
			}
			all = append(all, v.Captions...)
			limited = limited || v.Aggregated
			if of, one := v.References.only(); one && v.Title != "" && !v.Aggregated {
				all = append(all, Caption{of, v.Title})
			}
		}
		if of, one := p.All().only(); one && !limited && p.DisplayName != "" {
			all = append(all, Caption{of, p.DisplayName})
		}
	}
	return all
}

// only returns the field if the references name one field and nothing else.
func (s References) only() (Field, bool) {
	if len(s.Fields) != 1 || len(s.Levels) > 0 || len(s.Variations) > 0 {
		return Field{}, false
	}
	return s.Fields[0], true
}

// visual reads a member of a visual.
func (w *walk) visual(r *jsonpart.Reader, member string) {
	switch member {
	case "visualContainerObjects", "vcObjects":
		w.container(r)
	case "columnProperties":
		w.renames(r)
	default:
		w.value(r)
	}
}

// container reads what surrounds a visual, for its title.
func (w *walk) container(r *jsonpart.Reader) {
	if r.Kind() != '{' {
		w.value(r)
		return
	}
	for member := range r.Object() {
		if member != "title" || r.Kind() != '[' {
			w.value(r)
			continue
		}
		for range r.Array() {
			w.titled(r)
		}
	}
}

// titled reads one entry of a visual's title. A title that is not shown is none.
func (w *walk) titled(r *jsonpart.Reader) {
	if r.Kind() != '{' {
		w.value(r)
		return
	}
	var text, shown string
	for member := range r.Object() {
		if member != "properties" || r.Kind() != '{' {
			w.value(r)
			continue
		}
		for member := range r.Object() {
			switch member {
			case "text":
				text = w.literal(r)
			case "show":
				shown = w.literal(r)
			default:
				w.value(r)
			}
		}
	}
	if shown != "false" {
		w.title = cmp.Or(w.title, plain(text))
	}
}

// literal reads {expr: {Literal: {Value: text}}} and returns the text; "" for any other expression.
func (w *walk) literal(r *jsonpart.Reader) (text string) {
	return w.value(r).literal
}

// plain returns the text of a literal in single quotes; two quotes stand for one. "" for other literals.
func plain(literal string) string {
	inner, ok := strings.CutPrefix(literal, "'")
	if ok {
		inner, ok = strings.CutSuffix(inner, "'")
	}
	if !ok {
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(inner, "''", "'"))
}

// renames reads the columnProperties of an older report: by the name of a query's column, the text that is shown.
func (w *walk) renames(r *jsonpart.Reader) {
	if r.Kind() != '{' {
		w.value(r)
		return
	}
	for column := range r.Object() {
		if named := w.value(r); named.caption != "" {
			w.renamed = append(w.renamed, Caption{Field{Name: column}, named.caption})
		}
	}
}

// shown sets what the walk found in a visual.
func (v *Visual) shown(w *walk) {
	v.References, v.Title, v.Captions, v.Filtered, v.Aggregated = w.sorted(), w.title, w.captions, w.filtered, w.aggregated
	for _, c := range w.renamed {
		for _, f := range v.References.Fields {
			if f.Table+"."+f.Name == c.Name {
				v.Captions = append(v.Captions, Caption{f, c.Text})
			}
		}
	}
}
