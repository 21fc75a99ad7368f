package lsp

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"readiness/definition/mention"
	"readiness/definition/tmdl"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// place is what most requests name.
type place struct {
	Document named    `json:"textDocument"`
	Position position `json:"position"`
}

// at returns the last reading of a document's model and the document's part; nil if there is none.
func (s *server) at(uri string) (r *reading, part string, now text) {
	at, ok := pathOf(uri)
	if !ok {
		return nil, "", now
	}
	for _, m := range s.models {
		if !m.files[at] || m.last == nil {
			continue
		}
		part, _ = partOf(m.last.dir, at)
		if d := s.open[at]; d != nil {
			return m.last, part, d.text
		}
		now, _ = m.last.text(part)
		return m.last, part, now
	}
	return nil, "", now
}

// hover says what AI sees of the object at a place, and which rules find something there.
func (s *server) hover(m message) (any, error) {
	p, err := decode[place](m)
	if err != nil {
		return nil, err
	}
	r, part, now := s.at(p.Document.URI)
	if r == nil {
		return nil, nil
	}
	var b strings.Builder
	line := p.Position.Line
	o, begins, inside := r.objectAt(part, now, p.Position)
	if isBIM(part) && inside { // the line of the name is not the first one
		line = begins
	}
	if _, named, found := s.mentioned(p); found {
		r.view(&b, named.Field)
	} else if inside {
		r.view(&b, o)
	}
	for _, f := range r.result.Findings {
		if at, ok := partOf(r.dir, r.abs(f.File)); !ok || at != part || f.Line-1 != line {
			continue
		}
		rule := explained.Leading(f.RuleIDs)
		fmt.Fprintf(&b, "**%s** %s\n\n%s\n\n", rulehelp.Link(rule), show.Printable(f.Message), helpOf(r.result.Result, rule))
	}
	if b.Len() == 0 {
		return nil, nil
	}
	return map[string]any{"contents": map[string]string{"kind": "markdown", "value": strings.TrimSpace(b.String())}}, nil
}

// helpOf says why a rule is and how to satisfy it.
func helpOf(r readiness.Result, rule string) string {
	if own := r.OwnRule(rule); own != nil {
		return show.Printable(strings.TrimSpace(own.Why + " " + own.Fix))
	}
	return rulehelp.Help(rule)
}

// view writes what AI sees of an object.
func (r *reading) view(b *strings.Builder, o mention.Field) {
	shown := "'" + o.Table + "'"
	if o.Name != "" {
		shown += "[" + o.Name + "]"
	}
	v, seen := r.views()[key(o.Table, o.Name)]
	if !seen {
		fmt.Fprintf(b, "%s: AI does not see it.\n\n", code(shown))
		return
	}
	fmt.Fprintf(b, "%s, as AI sees it\n\n", code(shown))
	description := v.Description
	description = cmp.Or(description, "no description")
	fmt.Fprintf(b, "- %s\n", escaped(description))
	if len(v.Terms) > 0 {
		fmt.Fprintf(b, "- synonyms: %s\n", escaped(strings.Join(v.Terms, ", ")))
	}
	b.WriteString("\n")
}

// code returns a text as code in Markdown.
func code(s string) string { return "`" + strings.ReplaceAll(show.Printable(s), "`", "'") + "`" }

var markdown = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", "#", "\\#", "!", "\\!")

// escaped returns a model's text for Markdown, on one line.
func escaped(s string) string {
	return markdown.Replace(show.Printable(strings.Join(strings.Fields(s), " ")))
}

func isBIM(part string) bool { return strings.EqualFold(path.Ext(part), ".bim") }

// objects returns the outermost objects that a TMDL or .bim part declares as it is now or, if that cannot be read, as it last could.
func (r *reading) objects(part string, now text) []*tmdl.Object {
	parse := func(src string) ([]*tmdl.Object, error) {
		doc, err := tmdl.Parse(part, []byte(src))
		if err != nil {
			return nil, err
		}
		return doc.Objects, nil
	}
	switch {
	case isBIM(part):
		parse = func(src string) ([]*tmdl.Object, error) { return inBIM(part, src) }
	case !strings.EqualFold(path.Ext(part), ".tmdl"):
		return nil
	}
	all, err := parse(now.src)
	if err != nil {
		last, _ := r.text(part)
		if all, err = parse(last.src); err != nil {
			return nil
		}
	}
	return all
}

// objectAt returns the table, column or measure whose declaration a place of a TMDL or .bim file is in, and the line, from 0, where the
// innermost object there begins.
func (r *reading) objectAt(part string, now text, at position) (o mention.Field, begins int, found bool) {
	for _, t := range r.objects(part, now) {
		if t.Line-1 > at.Line {
			continue
		}
		if o, begins, found = (mention.Field{Table: t.Name}), t.Line-1, t.Keyword == "table"; !found {
			continue
		}
		for _, c := range t.Children {
			if c.Line-1 > at.Line {
				continue
			}
			begins = c.Line - 1
			if o.Name = ""; c.Keyword == "column" || c.Keyword == "measure" {
				o.Name = c.Name
			}
		}
	}
	return o, begins, found
}

// symbol is an object in the outline of a file.
type symbol struct {
	Name           string   `json:"name"`
	Detail         string   `json:"detail,omitempty"`
	Kind           int      `json:"kind"`
	Range          span     `json:"range"`
	SelectionRange span     `json:"selectionRange"`
	Children       []symbol `json:"children,omitempty"`
}

// The kinds of symbols.
var symbolKinds = map[string]int{"table": 5, "column": 8, "measure": 12, "hierarchy": 10, "level": 22, "relationship": 11, "role": 3, "model": 2,
	"partition": 19, "calculationItem": 12, "function": 12, "expression": 13, "calculationGroup": 10, "perspective": 3, "cultureInfo": 3}

// symbols is the outline of a TMDL or .bim file.
func (s *server) symbols(m message) (any, error) {
	p, err := decode[place](m)
	if err != nil {
		return nil, err
	}
	r, part, now := s.at(p.Document.URI)
	if r == nil {
		return nil, nil
	}
	return outline(now, r.objects(part, now), len(now.lines)), nil
}

// outline returns objects that end before a line, from 0, at the latest.
func outline(t text, objects []*tmdl.Object, end int) []symbol {
	all := []symbol{}
	for n, o := range objects {
		kind := symbolKinds[o.Keyword]
		if kind == 0 || o.Ref {
			continue
		}
		last := end
		if n+1 < len(objects) {
			last = objects[n+1].Line - 1
		}
		from, _ := t.line(o.Line - 1)
		_, to := t.line(max(last-1, o.Line-1))
		one := symbol{Name: show.Printable(o.Name), Detail: o.Keyword, Kind: kind, Range: t.span(from, to),
			SelectionRange: declaration(t, o.Line-1), Children: outline(t, o.Children, last)}
		if one.Name == "" {
			one.Name = o.Keyword
		}
		all = append(all, one)
	}
	return all
}
