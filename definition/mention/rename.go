package mention

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"readiness/definition"
	"readiness/definition/dax"
	"readiness/definition/jsonpart"
	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/definition/textfile"
	"readiness/definition/tmdl"
)

// maxName is the largest length of a new name, in bytes.
const maxName = 512

// Rename returns the definition, which is the index's, with another name of a field wherever it is named, the Copilot parts included. It
// refuses if the name is not free, or if it is not sure that a place means the field.
func (x *Index) Rename(d definition.Definition, f Field, name string) (definition.Definition, error) {
	if err := x.free(f, name); err != nil {
		return d, err
	}
	if len(semanticmodel.TMDL(d)) == 0 {
		return d, errors.New("only models in TMDL are renamed in; save the model as TMDL, or rename in Power BI Desktop")
	}
	for _, m := range x.bare[spelling.Fold(f.Name)] {
		if m.Unsure != "" {
			return d, fmt.Errorf("%s names %s without its table, and %s; write the table there first", x.place(d, m), dax.Bracket(f.Name), m.Unsure)
		}
	}
	byPart := map[string][]splice{}
	for _, m := range x.Of(f) {
		data, _ := d.Part(m.Part)
		byPart[m.Part] = append(byPart[m.Part], splice{m.From, m.To, m.written(string(data[m.From:m.To]), name)})
	}
	for _, part := range semanticmodel.TMDL(d) {
		more, err := linguistic(part, f, name)
		if err != nil {
			return d, err
		}
		byPart[part.Path] = append(byPart[part.Path], more...)
	}
	d, err := copilot(d, f, name)
	if err != nil {
		return d, err
	}
	for n, p := range d.Parts {
		if len(byPart[p.Path]) > 0 {
			d.Parts[n].Data = spliced(p.Data, byPart[p.Path])
		}
	}
	return d, nil
}

// place returns where a mention is, as file:line.
func (x *Index) place(d definition.Definition, m Mention) string {
	data, _ := d.Part(m.Part)
	return fmt.Sprintf("%s:%d", m.Part, 1+bytes.Count(data[:min(m.From, len(data))], []byte("\n")))
}

// free refuses a name that the field cannot have.
func (x *Index) free(f Field, name string) error {
	switch {
	case name != strings.TrimSpace(name) || name == "" || strings.ContainsFunc(name, unicode.IsControl) || len(name) > maxName:
		return fmt.Errorf("a name has 1 to %d bytes on one line, without space around it", maxName)
	case name == f.Name:
		return errors.New("that is its name")
	case spelling.Fold(name) == spelling.Fold(f.Name):
		return nil
	}
	if other, taken := x.Field(f.Table, name); taken {
		return fmt.Errorf("%s has a field %s already", other.Table, other.Name)
	}
	isMeasure := x.measures[spelling.Fold(f.Name)] == f
	if other, taken := x.measures[spelling.Fold(name)]; taken && isMeasure {
		return fmt.Errorf("there is a measure %s already, in %s", other.Name, other.Table)
	}
	if len(x.bare[spelling.Fold(name)]) > 0 {
		return fmt.Errorf("DAX of the model names %s without a table and would mean another field then", dax.Bracket(name))
	}
	return nil
}

// written returns the new name in the form of the old one.
func (m Mention) written(was, name string) string {
	switch {
	case m.form == asBracket:
		return dax.Bracket(name)
	case strings.HasPrefix(was, "'"):
		return "'" + strings.ReplaceAll(name, "'", "''") + "'"
	}
	return tmdl.QuoteName(name)
}

// splice replaces bytes of a part.
type splice struct {
	from, to int
	text     string
}

func spliced(data []byte, all []splice) []byte {
	slices.SortFunc(all, func(a, b splice) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, s := range all {
		out.Write(data[at:s.from])
		out.WriteString(s.text)
		at = s.to
	}
	out.Write(data[at:])
	return out.Bytes()
}

// linguistic returns the splices of the linguistic schemas in a file.
func linguistic(part definition.Part, f Field, name string) (all []splice, err error) {
	if !bytes.Contains(part.Data, []byte("linguisticMetadata")) {
		return nil, nil
	}
	doc, err := tmdl.Parse(part.Path, part.Data)
	if err != nil {
		return nil, err
	}
	for o := range doc.All() {
		if o.Keyword != "linguisticMetadata" || !o.HasDefault() {
			continue
		}
		from, to := o.DefaultSpan()
		raw := part.Data[from:to]
		if strings.HasPrefix(strings.TrimSpace(string(raw)), "<") {
			return nil, fmt.Errorf("the linguistic schema in %s is XML, in which nothing is renamed", part.Path)
		}
		tree, err := jsonpart.Edit(part.Path, raw)
		if err != nil {
			return nil, err
		}
		if eachObject(tree.Root, func(v *jsonpart.Value) bool {
			return is(v.Member("ConceptualEntity"), f.Table) && put(v.Member("ConceptualProperty"), f.Name, name)
		}) {
			all = append(all, splice{from, to, string(tree.Bytes())})
		}
	}
	return all, nil
}

// is reports whether a value is a text that spells a name.
func is(v *jsonpart.Value, name string) bool {
	if v == nil {
		return false
	}
	text, ok := v.Text()
	return ok && spelling.Fold(text) == spelling.Fold(name)
}

// put replaces a value that spells a name by another.
func put(v *jsonpart.Value, was, name string) bool {
	if !is(v, was) {
		return false
	}
	v.SetText(name)
	return true
}

// eachObject calls do with every object in a value, and reports whether one of the calls was true.
func eachObject(v *jsonpart.Value, do func(*jsonpart.Value) bool) (any bool) {
	if v == nil {
		return false
	}
	if v.Kind() == '{' {
		any = do(v)
	}
	if v.Kind() == '{' || v.Kind() == '[' {
		for _, one := range v.Items() {
			any = eachObject(one, do) || any
		}
	}
	return any
}

// copilot renames a field in the AI data schema and the verified answers.
func copilot(d definition.Definition, f Field, name string) (definition.Definition, error) {
	return rewritten(d, func(path string) func(*jsonpart.Value) bool {
		switch {
		case path == "copilot/schema.json":
			return func(root *jsonpart.Value) bool { return inSchema(root, f, name) }
		case strings.HasPrefix(path, "copilot/verifiedanswers/"):
			return func(root *jsonpart.Value) bool { return inQueries(root, f, name, nil) }
		}
		return nil
	})
}

// rewritten returns a definition in whose JSON parts the functions for their paths, in lower case, changed something.
func rewritten(d definition.Definition, by func(path string) func(*jsonpart.Value) bool) (definition.Definition, error) {
	d.Parts = slices.Clone(d.Parts)
	for n, p := range d.Parts {
		path := strings.ToLower(p.Path)
		do := by(path)
		if do == nil || !strings.HasSuffix(path, ".json") {
			continue
		}
		tree, err := jsonpart.Edit(p.Path, textfile.Trim(p.Data))
		if err != nil {
			return d, err
		}
		if do(tree.Root) {
			d.Parts[n].Data = append(p.Data[:len(p.Data)-len(textfile.Trim(p.Data)):len(p.Data)-len(textfile.Trim(p.Data))], tree.Bytes()...)
		}
	}
	return d, nil
}

func inSchema(root *jsonpart.Value, f Field, name string) (changed bool) {
	if root.Kind() != '{' || root.Member("tables") == nil {
		return false
	}
	for _, t := range root.Member("tables").Items() {
		if t.Kind() != '{' || !is(t.Member("name"), f.Table) {
			continue
		}
		for _, kind := range []string{"columns", "measures"} {
			if all := t.Member(kind); all != nil {
				for _, one := range all.Items() {
					changed = one.Kind() == '{' && put(one.Member("name"), f.Name, name) || changed
				}
			}
		}
	}
	return changed
}

// inQueries renames a field in the expressions of visuals, filters and queries. aliases are the tables of the enclosing From.
func inQueries(v *jsonpart.Value, f Field, name string, aliases map[string]string) (changed bool) {
	switch {
	case v == nil || v.Kind() != '{' && v.Kind() != '[':
		return false
	case v.Kind() == '{':
		if from := v.Member("From"); from != nil && from.Kind() == '[' {
			own := map[string]string{}
			for _, one := range from.Items() {
				if one.Kind() == '{' && one.Member("Name") != nil && one.Member("Entity") != nil {
					alias, _ := one.Member("Name").Text()
					own[alias], _ = one.Member("Entity").Text()
				}
			}
			aliases = merged(aliases, own)
		}
		for _, kind := range []string{"Column", "Measure", "PropertyVariationSource"} {
			if one := v.Member(kind); one != nil && one.Kind() == '{' && ofTable(one.Member("Expression"), f.Table, aliases) {
				changed = put(one.Member("Property"), f.Name, name) || changed
			}
		}
	}
	for _, one := range v.Items() {
		changed = inQueries(one, f, name, aliases) || changed
	}
	return changed
}

func merged(a, b map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// ofTable reports whether an expression is a table, by its name or by an alias.
func ofTable(v *jsonpart.Value, table string, aliases map[string]string) bool {
	if v == nil || v.Kind() != '{' || v.Member("SourceRef") == nil || v.Member("SourceRef").Kind() != '{' {
		return false
	}
	source := v.Member("SourceRef")
	if entity := source.Member("Entity"); entity != nil {
		return is(entity, table)
	}
	if alias := source.Member("Source"); alias != nil {
		text, _ := alias.Text()
		return spelling.Fold(aliases[text]) == spelling.Fold(table)
	}
	return false
}

// InReport returns the definition of a report of the model with another name of a field wherever it is named. It refuses a report in the
// older layout that uses the field, and one whose own measures may mean another or have the new name.
func (x *Index) InReport(d definition.Definition, f Field, name string) (definition.Definition, error) {
	r, err := report.Read(d)
	if err != nil {
		return d, err
	}
	for _, m := range r.Measures {
		if spelling.Fold(m.Name) == spelling.Fold(name) {
			return d, fmt.Errorf("the report has a measure %s of its own", m.Name)
		}
	}
	uses := slices.ContainsFunc(r.All().Fields, func(one report.Field) bool {
		return spelling.Field(one.Table, one.Name) == spelling.Field(f.Table, f.Name)
	})
	if r.Format != report.PBIR {
		if uses {
			return d, errors.New("the report uses it and has the older layout, in which nothing is renamed; save it as PBIR")
		}
		return d, nil
	}
	var unsure error
	renamed, err := rewritten(d, func(path string) func(*jsonpart.Value) bool {
		if !strings.HasPrefix(path, "definition/") {
			return nil
		}
		return func(root *jsonpart.Value) bool {
			changed := inQueries(root, f, name, nil)
			if path != "definition/reportextensions.json" {
				return changed
			}
			return eachObject(root, func(v *jsonpart.Value) bool {
				one := v.Member("expression")
				if one == nil {
					return false
				}
				text, _ := one.Text()
				now, err := x.inDAX(text, f, name)
				if err != nil {
					unsure = fmt.Errorf("a measure of the report: %w", err)
				}
				if now != text {
					one.SetText(now)
				}
				return now != text
			}) || changed
		}
	})
	if err == nil {
		err = unsure
	}
	return renamed, err
}

// inDAX renames a field in an expression of a report.
func (x *Index) inDAX(text string, f Field, name string) (string, error) {
	all, literals := dax.Mentions(text)
	isMeasure := x.measures[spelling.Fold(f.Name)] == f
	var splices []splice
	for _, m := range all {
		_, another := x.Field(m.Table, m.Name)
		switch {
		case spelling.Fold(m.Name) != spelling.Fold(f.Name), m.Qualified && spelling.Fold(m.Table) != spelling.Fold(f.Table) && (another || !isMeasure):
			continue
		case !m.Qualified && (!isMeasure || slices.ContainsFunc(literals, func(s string) bool { return spelling.Fold(s) == spelling.Fold(f.Name) })):
			return text, fmt.Errorf("it is not sure what %s means there; write its table first", dax.Bracket(m.Name))
		}
		splices = append(splices, splice{m.From, m.To, dax.Bracket(name)})
	}
	return string(spliced([]byte(text), splices)), nil
}
