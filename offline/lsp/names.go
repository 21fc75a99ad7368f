package lsp

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"readiness/definition"
	"readiness/definition/dax"
	"readiness/definition/mention"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/definition/textfile"
	"readiness/offline"
	"readiness/offline/show"
)

// location is a range of a file.
type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

// mark returns how many bytes of a part are before its text.
func (r *reading) mark(part string) int {
	data, _ := r.d.Part(part)
	return len(data) - len(textfile.Trim(data))
}

// location returns where a mention is.
func (r *reading) location(m mention.Mention) location {
	t, _ := r.text(m.Part)
	before := r.mark(m.Part)
	return location{uriOf(r.file(m.Part)), t.span(m.From-before, m.To-before)}
}

// named returns the field that a place names; false if it names none.
func (s *server) mentioned(p place) (r *reading, m mention.Mention, ok bool) {
	r, part, now := s.at(p.Document.URI)
	if r == nil {
		return nil, m, false
	}
	at := now.offset(p.Position)
	if read, _ := r.text(part); read.src != now.src { // the line may have moved, or its beginning may be the same
		at = read.offset(p.Position)
	}
	m, ok = r.index().At(part, at+r.mark(part))
	return r, m, ok
}

func (s *server) definition(m message) (any, error) {
	p, err := decode[place](m)
	if err != nil {
		return nil, err
	}
	all := []location{}
	if r, at, ok := s.mentioned(p); ok {
		for _, one := range r.index().Of(at.Field) {
			if one.Declares {
				all = append(all, r.location(one))
			}
		}
	}
	return all, nil
}

func (s *server) references(m message) (any, error) {
	p, err := decode[struct {
		place
		Context struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
	}](m)
	if err != nil {
		return nil, err
	}
	all := []location{}
	r, at, ok := s.mentioned(p.place)
	if !ok {
		return all, nil
	}
	for _, one := range r.index().Of(at.Field) {
		if !one.Declares || p.Context.IncludeDeclaration {
			all = append(all, r.location(one))
		}
	}
	open := s.texts()
	return deferred(func() (any, error) { // in JSON, where another name would be
		differ := func(dir string, before, after definition.Definition) {
			for _, part := range after.Parts {
				was, _ := before.Part(part.Path)
				if string(was) != string(part.Data) && !strings.HasSuffix(strings.ToLower(part.Path), ".tmdl") {
					for _, e := range differences(newText(string(was)), strings.TrimPrefix(string(part.Data), textfile.Mark)) {
						all = append(all, location{uriOf(filepath.Join(dir, filepath.FromSlash(part.Path))), e.Range})
					}
				}
			}
		}
		const another = "\u2603 another name"
		if after, err := r.index().Rename(r.d, at.Field, another); err == nil {
			differ(r.dir, r.d, after)
		}
		for one := range r.item.Reports(s.ctx, offline.MaxReports) {
			if before := put(one.Definition, one.Dir, open); one.Error == nil {
				if after, err := r.index().InReport(before, at.Field, another); err == nil {
					differ(one.Dir, before, after)
				}
			}
		}
		return all, nil
	}), nil
}

// texts returns the open texts by file.
func (s *server) texts() map[string]string {
	all := map[string]string{}
	for at, d := range s.open {
		all[at] = d.src
	}
	return all
}

// prepareRename says what would be renamed; null if nothing is.
func (s *server) prepareRename(m message) (any, error) {
	p, err := decode[place](m)
	if err != nil {
		return nil, err
	}
	r, at, ok := s.mentioned(p)
	if !ok {
		return nil, nil
	}
	return map[string]any{"range": r.location(at).Range, "placeholder": at.Name}, nil
}

// rename renames a measure or column in the model, in its Copilot parts and in its reports, or says why that is not safe.
func (s *server) rename(m message) (any, error) {
	p, err := decode[struct {
		place
		Name string `json:"newName"`
	}](m)
	if err != nil {
		return nil, err
	}
	r, at, ok := s.mentioned(p.place)
	switch {
	case !ok:
		return nil, errors.New("there is no name of a measure or column here")
	case len(r.broken) > 0:
		for part := range r.broken {
			return nil, fmt.Errorf("%s cannot be read now, so it is not known what it names; mend it first", part)
		}
	}
	for file, d := range s.open { // what is typed since the model was read may name it, too
		if part, ok := partOf(r.dir, file); ok {
			if read, known := r.text(part); known && read.src != d.src {
				return nil, fmt.Errorf("%s was changed meanwhile; try again", part)
			}
		}
	}
	open := s.texts()
	return deferred(func() (any, error) {
		renaming, err := r.item.Rename(s.ctx, r.d, r.m, r.index(), at.Field, p.Name, func(d definition.Definition, dir string) definition.Definition {
			return put(d, dir, open)
		})
		if err != nil {
			return nil, err
		}
		return func() (any, error) { return s.renameEdit(renaming) }, nil
	}), nil
}

// completion is a name that can stand at a place.
type completion struct {
	Label         string   `json:"label"`
	Kind          int      `json:"kind"`
	Detail        string   `json:"detail,omitempty"`
	Documentation string   `json:"documentation,omitempty"`
	FilterText    string   `json:"filterText"`
	Edit          textEdit `json:"textEdit"`
}

// The kinds of names.
const (
	measureName = 3
	columnName  = 5
	tableName   = 7
)

// maxNames bounds the names that are offered at once; with more typed, others come.
const maxNames = 200

// complete offers names of the model: behind [ and ' and in words of DAX, in words of the AI instructions, and in quotes of the AI data schema.
func (s *server) complete(m message) (any, error) {
	p, err := decode[place](m)
	if err != nil {
		return nil, err
	}
	r, part, now := s.at(p.Document.URI)
	if r == nil {
		return nil, nil
	}
	at := now.offset(p.Position)
	from, _ := now.line(p.Position.Line)
	line, rest := now.src[from:at], now.src[at:]
	c := completing{r: r}
	switch lower := strings.ToLower(part); {
	case strings.HasSuffix(lower, ".tmdl"):
		if table, object, isDAX := r.expressionAt(part, now, p.Position); isDAX {
			c.table, c.object = table, object
			c.dax(line, rest)
		}
	case lower == "copilot/instructions/instructions.md":
		c.from = len(line) - len(line[strings.LastIndexAny(line, " \t\"'`[(")+1:])
		if len(line)-c.from >= shortestWord {
			c.fields(line[c.from:], "", func(name string) string { return name })
		}
	case lower == "copilot/schema.json":
		if n := strings.LastIndexByte(line, '"'); n >= 0 && strings.HasSuffix(strings.TrimRight(line[:n], " \t:"), `"name"`) {
			c.from = n + 1
			c.fields(line[n+1:], "", func(name string) string {
				return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
			})
		}
	}
	for n := range c.all {
		c.all[n].Edit.Range = now.span(from+c.from, at+c.over)
	}
	return map[string]any{"isIncomplete": len(c.all) == maxNames, "items": append([]completion{}, c.all...)}, nil
}

// completing collects names that replace the line from a byte on, and some bytes after the place.
type completing struct {
	r          *reading
	from, over int
	// table and object are whose DAX it is; an object is not offered in its own.
	table, object string
	// words is true if the name itself is typed, without what stands around it.
	words bool
	all   []completion
}

func (c *completing) add(name, typed, inserted string, kind int, detail, documentation string) {
	if len(c.all) < maxNames && strings.Contains(spelling.Fold(name), spelling.Fold(typed)) {
		filter := inserted
		if c.words {
			filter = name
		}
		c.all = append(c.all, completion{show.Printable(name), kind, show.Printable(detail), show.Printable(documentation), filter,
			textEdit{NewText: inserted}})
	}
}

// fields offers the tables, columns and measures; of one table, if it is named, only its own.
func (c *completing) fields(typed, table string, written func(name string) string) {
	for _, t := range c.r.m.Tables {
		if table != "" && spelling.Fold(t.Name) != spelling.Fold(table) {
			continue
		}
		if table == "" {
			c.add(t.Name, typed, written(t.Name), tableName, "table", t.Description)
		}
		c.measures(t, typed, written)
		c.columns(t, typed, written)
	}
}

func (c *completing) measures(t semanticmodel.Table, typed string, written func(name string) string) {
	for _, one := range t.Measures {
		if t.Name != c.table || one.Name != c.object {
			c.add(one.Name, typed, written(one.Name), measureName, "measure of "+t.Name, one.Description)
		}
	}
}

func (c *completing) columns(t semanticmodel.Table, typed string, written func(name string) string) {
	for _, one := range t.Columns {
		if !one.IsRowNumber && (t.Name != c.table || one.Name != c.object) {
			c.add(one.Name, typed, written(one.Name), columnName, "column of "+t.Name, one.Description)
		}
	}
}

// dax offers what can stand at the end of a line of an expression.
func (c *completing) dax(line, rest string) {
	open, quote := strings.LastIndexByte(line, '['), strings.Count(line, "'")%2 == 1
	switch {
	case open > strings.LastIndexByte(line, ']'):
		of := tableBefore(line[:open])
		if c.from = open; strings.HasPrefix(rest, "]") {
			c.over = 1
		}
		if of != "" {
			c.fields(line[open+1:], of, dax.Bracket)
			return
		}
		for _, t := range c.r.m.Tables {
			c.measures(t, line[open+1:], dax.Bracket)
			if t.Name == c.table {
				c.columns(t, line[open+1:], dax.Bracket)
			}
		}
	case quote:
		c.from = strings.LastIndexByte(line, '\'')
		if strings.HasPrefix(rest, "'") {
			c.over = 1
		}
		for _, t := range c.r.m.Tables {
			c.add(t.Name, line[c.from+1:], quotedTable(t.Name), tableName, "table", t.Description)
		}
	case inExpression(line) && strings.Count(line, `"`)%2 == 0 && !strings.Contains(line, "//"):
		c.words = true
		word := line[len(strings.TrimRightFunc(line, func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) })):]
		if c.from = len(line) - len(word); len(word) < shortestWord {
			return
		}
		for _, t := range c.r.m.Tables {
			c.add(t.Name, word, quotedTable(t.Name), tableName, "table", t.Description)
			c.measures(t, word, dax.Bracket)
		}
	}
}

// inExpression reports whether a word at the end of a line of an object with an expression can be of DAX: not where the object's name or one
// of its properties is.
func inExpression(line string) bool {
	switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); {
	case slices.Contains([]string{"measure", "column", "calculationItem", "function", "tablePermission", "partition"}, word):
		return strings.Contains(rest, "=")
	case slices.Contains([]string{"annotation", "extendedProperty", "changedProperty"}, word), strings.HasSuffix(word, ":"):
		return false
	default:
		return !strings.HasPrefix(rest, ":")
	}
}

// shortestWord is how many bytes of a word are typed before names are offered for it.
const shortestWord = 2

func quotedTable(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }

// tableBefore returns the table that stands at the end of a text: 'Table' or Table; "" if none does.
func tableBefore(line string) string {
	all, _ := dax.Mentions(line + "[x]")
	if n := len(all) - 1; n >= 0 && all[n].Qualified && all[n].TableTo == len(line) && !dax.IsKeyword(all[n].Table) {
		return all[n].Table
	}
	return ""
}

// expressionAt returns the table whose DAX a place of a TMDL file is in, and the table's object that has it,
// which is "" if the file cannot be read now and another text stands where that object was.
func (r *reading) expressionAt(part string, now text, at position) (table, object string, is bool) {
	for _, o := range r.objects(part, now) {
		if o.Line-1 > at.Line {
			continue
		}
		table, object, is = "", "", slices.Contains([]string{"function", "role"}, o.Keyword)
		if o.Keyword != "table" {
			continue
		}
		table = o.Name
		for _, c := range o.Children {
			if c.Line-1 <= at.Line {
				object = c.Name
				if from, to := now.line(c.Line - 1); !strings.Contains(now.src[from:to], c.Name) {
					object = ""
				}
				is = slices.Contains([]string{"measure", "column", "calculationGroup"}, c.Keyword) ||
					c.Keyword == "partition" && c.Default() == "calculated"
			}
		}
	}
	return table, object, is
}
