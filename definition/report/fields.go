package report

import (
	"cmp"
	"slices"

	"readiness/definition/jsonpart"
)

// Field is a column or a measure of a table that an expression names.
type Field struct{ Table, Name string }

// Level is a level of a hierarchy of a table that an expression names.
type Level struct{ Table, Hierarchy, Level string }

// References lists the parts of a semantic model that expressions name, distinct and
// sorted.
type References struct {
	Fields []Field
	Levels []Level
	// Variations are the columns whose variation (a date's own hierarchy) is named.
	// They are separate because verified answers do not count them.
	Variations []Field
}

// maxDepth is the largest depth at which expressions are searched; real ones nest
// some 40 levels.
const maxDepth = 500

// ReadReferences finds every reference in a JSON part that contains a visual, a
// filter or a query, at any depth: {Column|Measure: {Expression:
// {SourceRef: {Entity, or Source: alias of a From}}, Property}}, and likewise
// HierarchyLevel and PropertyVariationSource. An alias belongs to the nearest
// enclosing From; an alias that no From defines names nothing.
func ReadReferences(file string, data []byte) (References, error) {
	r, err := jsonpart.New(file, data)
	if err != nil {
		return References{}, err
	}
	return readReferences(r), nil
}

func readReferences(r *jsonpart.Reader) References {
	var w walk
	w.value(r)
	return w.References.sorted()
}

func (s References) sorted() References {
	byTable := func(a, b Field) int { return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name)) }
	slices.SortFunc(s.Fields, byTable)
	slices.SortFunc(s.Variations, byTable)
	slices.SortFunc(s.Levels, func(a, b Level) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Hierarchy, b.Hierarchy), cmp.Compare(a.Level, b.Level))
	})
	return References{slices.Compact(s.Fields), slices.Compact(s.Levels), slices.Compact(s.Variations)}
}

// union returns the references of all arguments.
func union(all ...References) (u References) {
	for _, s := range all {
		u.Fields = append(u.Fields, s.Fields...)
		u.Levels = append(u.Levels, s.Levels...)
		u.Variations = append(u.Variations, s.Variations...)
	}
	return u.sorted()
}

// walk collects references. Those through an alias wait in pending until the object
// with their From ends, because members come in any order.
type walk struct {
	References
	pending []pending
	depth   int
	// title, captions and renamed are what a visual shows instead of names, renamed by the name of a query's column;
	// filtered is true if a filter leaves rows out, aggregated if a column is aggregated other than by its sum.
	title                string
	captions, renamed    []Caption
	filtered, aggregated bool
}

type pending struct {
	alias string
	add   func(table string)
}

// node is what the enclosing object needs to know of a value.
type node struct {
	entity, alias string // of the member SourceRef
	property      string
	hierarchy     string
	level         string
	caption       string // the member displayName
	literal       string // the member Value, also of the members expr and Literal
	field         *Field // the member Column or Measure, if its table is known at once
	expression    *node  // the member Expression
	hierarchyExpr *node  // the member Hierarchy of a HierarchyLevel
}

// source returns the object that names the table: n's expression.
func (n *node) source() *node {
	if n == nil || n.expression == nil {
		return &node{}
	}
	return n.expression
}

func (w *walk) value(r *jsonpart.Reader) node {
	w.depth++
	defer func() { w.depth-- }()
	kind := r.Kind()
	switch {
	case w.depth > maxDepth:
		r.SkipValue()
	case kind == '{':
		return w.object(r)
	case kind == '[':
		for range r.Array() {
			w.value(r)
		}
	default:
		r.SkipValue()
	}
	return node{}
}

func (w *walk) object(r *jsonpart.Reader) node {
	var (
		n       node
		before  = len(w.pending)
		aliases map[string]string
		shown   *Field // what a projection shows
	)
	text := func(into *string) {
		if r.Kind() == '"' {
			*into, _ = r.Text()
		}
	}
	for member := range r.Object() {
		switch member {
		case "Property":
			text(&n.property)
		case "Level":
			text(&n.level)
		case "SourceRef":
			n.named(r)
		case "From":
			aliases = w.from(r)
		case "Column", "Measure":
			field := w.value(r)
			w.field(&w.Fields, field.source(), field.property)
			if table := field.source().entity; table != "" && field.property != "" {
				n.field = &Field{table, field.property}
			}
		case "displayName", "Value":
			w.texts(r, member, &n)
		case "field":
			shown = w.value(r).field
		case "filter":
			w.filtered = w.filtered || r.Kind() == '{'
			w.value(r)
		case "expr", "Literal":
			n.literal = w.value(r).literal
		case "Function":
			w.function(r)
		case "PropertyVariationSource":
			variation := w.value(r)
			w.field(&w.Variations, variation.source(), variation.property)
		case "HierarchyLevel":
			level := w.value(r)
			w.level(level.source().hierarchyExpr, level.level)
		case "Expression":
			expression := w.value(r)
			n.expression = &expression
		case "Hierarchy":
			text(&n.hierarchy)
			if r.Kind() == '{' {
				hierarchy := w.value(r)
				n.hierarchyExpr = &hierarchy
			}
		default:
			w.value(r)
		}
	}
	if shown != nil && n.caption != "" {
		w.captions = append(w.captions, Caption{*shown, n.caption})
	}
	w.resolve(before, aliases)
	return n
}

// function reads which aggregation a visual shows of a column; 0 is the sum.
func (w *walk) function(r *jsonpart.Reader) {
	if kind := r.Kind(); kind == '{' || kind == '[' {
		w.value(r)
		return
	}
	if string(r.SkipValue()) != "0" {
		w.aggregated = true
	}
}

// named reads what names a table: itself, or an alias of it.
func (n *node) named(r *jsonpart.Reader) {
	for member := range r.Object() {
		switch {
		case r.Kind() != '"':
		case member == "Entity":
			n.entity, _ = r.Text()
		case member == "Source":
			n.alias, _ = r.Text()
		}
	}
}

// texts reads a member that is a text where captions are read from, and may be anything elsewhere.
func (w *walk) texts(r *jsonpart.Reader, member string, n *node) {
	switch {
	case r.Kind() != '"':
		w.value(r)
	case member == "Value":
		n.literal, _ = r.Text()
	default:
		n.caption, _ = r.Text()
	}
}

// from reads a From: the tables by alias. Nested content (the query of a subquery)
// is walked like everything else.
func (w *walk) from(r *jsonpart.Reader) map[string]string {
	if r.Kind() != '[' {
		w.value(r)
		return nil
	}
	aliases := map[string]string{}
	for range r.Array() {
		if r.Kind() != '{' {
			continue
		}
		var name, entity string
		for member := range r.Object() {
			switch member {
			case "Name":
				name, _ = r.Text()
			case "Entity":
				entity, _ = r.Text()
			default:
				w.value(r)
			}
		}
		if _, taken := aliases[name]; !taken {
			aliases[name] = entity
		}
	}
	return aliases
}

func (w *walk) field(list *[]Field, source *node, name string) {
	if name != "" {
		w.of(source, func(table string) { *list = append(*list, Field{table, name}) })
	}
}

func (w *walk) level(hierarchy *node, level string) {
	if hierarchy != nil && hierarchy.hierarchy != "" && level != "" {
		w.of(hierarchy.source(), func(table string) { w.Levels = append(w.Levels, Level{table, hierarchy.hierarchy, level}) })
	}
}

// of calls add with the table that source names, at once or when the table is known.
func (w *walk) of(source *node, add func(table string)) {
	switch {
	case source.entity != "":
		add(source.entity)
	case source.alias != "":
		w.pending = append(w.pending, pending{source.alias, add})
	}
}

// resolve resolves the references that wait since before for one of aliases. An
// alias of a subquery is resolved too, and names no table.
func (w *walk) resolve(before int, aliases map[string]string) {
	if len(aliases) == 0 {
		return
	}
	kept := w.pending[:before]
	for _, p := range w.pending[before:] {
		table, known := aliases[p.alias]
		switch {
		case !known:
			kept = append(kept, p)
		case table != "":
			p.add(table)
		}
	}
	w.pending = kept
}
