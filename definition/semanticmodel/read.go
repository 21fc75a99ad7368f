package semanticmodel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"readiness/definition"
)

// Read reads a semantic model's definition: TMDL when it has definition/*.tmdl,
// else TMSL (model.bim), and its Copilot parts. An error names the part and
// the line.
func Read(d definition.Definition) (*Model, error) {
	m, err := readModel(d)
	if err != nil {
		return nil, err
	}
	if err := distinct(m); err != nil {
		return nil, err
	}
	m.Copilot = readCopilot(d)
	return m, nil
}

func readModel(d definition.Definition) (*Model, error) {
	if slices.ContainsFunc(d.Parts, func(p definition.Part) bool {
		return strings.HasPrefix(p.Path, "definition/") && strings.HasSuffix(p.Path, ".tmdl")
	}) {
		return FromTMDL(d.Parts)
	}
	if data, ok := d.Part("model.bim"); ok {
		return FromTMSL("model.bim", data)
	}
	return nil, errors.New("the definition holds neither definition/*.tmdl nor model.bim, so there is no model to read")
}

// distinct refuses a measure with the name of a column of its table, as the
// engine does: findings and proposals know both by table and name alone.
func distinct(m *Model) error {
	for _, t := range m.Tables {
		columns := make(map[string]Source, len(t.Columns))
		for _, c := range t.Columns {
			columns[strings.ToLower(c.Name)] = c.Source
		}
		for _, measure := range t.Measures {
			if at, taken := columns[strings.ToLower(measure.Name)]; taken {
				return fmt.Errorf("%s:%d: the measure %q has the name of a column of the table %q (%s:%d)", measure.Source.File, measure.Source.Line, measure.Name, t.Name, at.File, at.Line)
			}
		}
	}
	return nil
}
