package semanticmodel

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"readiness/definition"
)

// Read reads a semantic model's definition: TMDL if it has definition/*.tmdl, else
// TMSL (model.bim), and its Copilot parts. Letter case does not distinguish names of
// parts. An error names the part and the line.
func Read(d definition.Definition) (*Model, error) {
	m, err := readModel(d)
	if err != nil {
		return nil, err
	}
	if err := distinct(m); err != nil {
		return nil, err
	}
	u := unreadable{m.Unread}
	u.readCopilot(d, m)
	m.Copilot.NotVisible = d.MayLackCopilot && !prepared(m)
	m.QnA = u.readQnA(d)
	u.others(d)
	u.hideInstructions(m)
	m.Unread = u.sorted()
	return m, nil
}

// prepared reports whether the definition contains anything that prepares the model for AI: a part below Copilot/, or instructions in a
// linguistic schema.
func prepared(m *Model) bool {
	return m.Copilot.Present || slices.ContainsFunc(m.Cultures, func(c Culture) bool { return c.CustomInstructions != nil })
}

func readModel(d definition.Definition) (*Model, error) {
	if files := TMDL(d); len(files) > 0 {
		m, err := fromTMDL(files, d.Loose)
		if bim, ok := d.Named("model.bim"); err == nil && ok && !d.Loose {
			folder, _, _ := strings.Cut(files[0].Path, "/")
			m.Notices = append(m.Notices, Notice{Source{bim.Path, 1}, 1, "there are two models: the folder " + folder + "/ is read, and this " +
				"file is not; remove the one that is not the model"})
		}
		return m, err
	}
	bim, err := TMSL(d)
	switch {
	case err != nil:
		return nil, err
	case bim.Path != "":
		return FromTMSL(bim.Path, bim.Data)
	case d.Loose:
		return nil, errors.New("there is neither a .tmdl nor a .bim file, so there is no model to read")
	}
	return nil, errors.New("the definition has neither definition/*.tmdl nor model.bim, so there is no model to read")
}

// TMDL returns the parts that declare the model in TMDL, nil if there are none: the
// .tmdl files in the folder definition, in any letter case, and below; for a loose
// model, all .tmdl files.
func TMDL(d definition.Definition) []definition.Part {
	var files []definition.Part
	for _, p := range d.Parts {
		folder, _, _ := strings.Cut(p.Path, "/")
		if strings.EqualFold(path.Ext(p.Path), ".tmdl") && (d.Loose || strings.EqualFold(folder, "definition")) {
			files = append(files, p)
		}
	}
	return files
}

// TMSL returns the part that declares the model in TMSL: model.bim, or the .bim file
// of a loose model; the zero Part if there is none. If several differ only in letter
// case, it returns an error.
func TMSL(d definition.Definition) (definition.Part, error) {
	if data, ok := d.Part("model.bim"); ok {
		return definition.Part{Path: "model.bim", Data: data}, nil
	}
	var found definition.Part
	for _, p := range d.Parts {
		if !strings.EqualFold(p.Path, "model.bim") && !(d.Loose && strings.EqualFold(path.Ext(p.Path), ".bim")) {
			continue
		}
		if found.Path != "" {
			return definition.Part{}, fmt.Errorf("both %s and %s could be the model; remove one of them", found.Path, p.Path)
		}
		found = p
	}
	return found, nil
}

// distinct refuses a measure with the name of a column of its table, as the engine
// does. Findings and proposals identify both by table and name alone.
func distinct(m *Model) error {
	for _, t := range m.Tables {
		columns := make(map[string]Source, len(t.Columns))
		for _, c := range t.Columns {
			columns[strings.ToLower(c.Name)] = c.Source
		}
		for _, measure := range t.Measures {
			if at, taken := columns[strings.ToLower(measure.Name)]; taken {
				return fmt.Errorf("%s:%d: the measure %q has the name of a column of the table %q (%s:%d)", measure.Source.File,
					measure.Source.Line, measure.Name, t.Name, at.File, at.Line)
			}
		}
	}
	return nil
}
