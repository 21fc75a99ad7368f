package openai

import (
	"fmt"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/proposal"
)

// Bounds of the facts about a model in one request. Lengths are in characters.
const (
	maxName   = 128
	maxText   = 200
	maxDAX    = 1500
	maxFields = 60
	maxLinks  = 30
)

// tableFacts are the facts about the table of the requested objects.
type tableFacts struct {
	Name         string   `json:"name"`
	Description  string   `json:"description,omitempty"`
	DataCategory string   `json:"dataCategory,omitempty"`
	Columns      []string `json:"columns,omitempty"`  // name: data type
	Measures     []string `json:"measures,omitempty"` // names
	Items        []string `json:"calculationItems,omitempty"`
	Relations    []string `json:"relationships,omitempty"`
}

// fieldFacts are the facts about an object. Expressions have no comments, and are left out where the
// provider must not have them. There are never values of rows.
type fieldFacts struct {
	Key          string `json:"key,omitempty"`
	Type         string `json:"type"`
	Table        string `json:"table"`
	Name         string `json:"name,omitempty"`
	DataType     string `json:"dataType,omitempty"`
	Format       string `json:"format,omitempty"`
	Folder       string `json:"displayFolder,omitempty"`
	DataCategory string `json:"dataCategory,omitempty"`
	SortBy       string `json:"sortedBy,omitempty"`
	DAX          string `json:"dax,omitempty"`
	Description  string `json:"description,omitempty"`
	// NotThis is a text that another object already has.
	NotThis string `json:"textOfAnotherObject,omitempty"`
}

// facts returns facts about a model.
type facts struct {
	model      *semanticmodel.Model
	withoutDAX bool
}

// facts returns the facts of the model that the provider may have.
func (c *Client) facts(m *semanticmodel.Model) facts { return facts{m, c.withoutDAX} }

func (f facts) find(table string) (*semanticmodel.Table, int) {
	for i := range f.model.Tables {
		if f.model.Tables[i].Name == table {
			return &f.model.Tables[i], i
		}
	}
	return nil, -1
}

func (f facts) table(name string) tableFacts {
	t, _ := f.find(name)
	if t == nil {
		return tableFacts{Name: shortName(name)}
	}
	about := tableFacts{Name: shortName(t.Name), Description: shortText(t.Description), DataCategory: shortName(t.DataCategory)}
	for _, c := range t.Columns {
		if !c.IsRowNumber && len(about.Columns) < maxFields {
			about.Columns = append(about.Columns, shortName(c.Name)+": "+shortName(string(c.DataType)))
		}
	}
	for _, m := range t.Measures[:min(len(t.Measures), maxFields)] {
		about.Measures = append(about.Measures, shortName(m.Name))
	}
	if g := t.CalculationGroup; g != nil {
		for _, i := range g.Items[:min(len(g.Items), maxFields)] {
			about.Items = append(about.Items, shortName(i.Name))
		}
	}
	for _, r := range f.model.Relationships {
		if (r.FromTable == name || r.ToTable == name) && len(about.Relations) < maxLinks {
			about.Relations = append(about.Relations, relation(r))
		}
	}
	return about
}

func relation(r semanticmodel.Relationship) string {
	text := fmt.Sprintf("%s[%s] %s to %s %s[%s]", shortName(r.FromTable), shortName(r.FromColumn), r.FromCardinality, r.ToCardinality,
		shortName(r.ToTable), shortName(r.ToColumn))
	if !r.IsActive {
		text += ", inactive"
	}
	return text
}

// object returns the facts of an object under its key, and false when the model does not have it.
func (f facts) object(o proposal.Object) (fieldFacts, bool) {
	t, at := f.find(o.Table)
	if t == nil {
		return fieldFacts{}, false
	}
	about := fieldFacts{Type: strings.ToLower(string(o.Type)), Table: shortName(o.Table), Name: shortName(o.Name)}
	switch o.Type {
	case proposal.Table:
		about.Key, about.Name, about.Description = fmt.Sprintf("t%d", at), "", shortText(t.Description)
		return about, true
	case proposal.Column:
		i := slices.IndexFunc(t.Columns, func(c semanticmodel.Column) bool { return c.Name == o.Name })
		if i < 0 {
			return about, false
		}
		c := t.Columns[i]
		about.Key, about.DataType, about.Format = fmt.Sprintf("t%d.c%d", at, i), shortName(string(c.DataType)),
			shortName(c.FormatString)
		about.Folder, about.DataCategory, about.SortBy = shortText(c.DisplayFolder), shortName(c.DataCategory),
			shortName(c.SortByColumn)
		about.DAX, about.Description = f.expression(c.Expression), shortText(c.Description)
		return about, true
	case proposal.Measure:
		i := slices.IndexFunc(t.Measures, func(m semanticmodel.Measure) bool { return m.Name == o.Name })
		if i < 0 {
			return about, false
		}
		m := t.Measures[i]
		about.Key, about.Format, about.Folder = fmt.Sprintf("t%d.m%d", at, i), shortName(m.FormatString), shortText(m.DisplayFolder)
		about.DAX, about.Description = f.expression(m.Expression), shortText(m.Description)
		return about, true
	case proposal.Model:
	}
	return about, false
}

func (f facts) expression(text string) string {
	if f.withoutDAX {
		return ""
	}
	// Text far behind the bound is not worth searching for comments.
	return domain.Shortened(strings.TrimSpace(dax.WithoutComments(text[:min(len(text), 16*maxDAX)])), maxDAX)
}

func shortName(s string) string { return domain.Shortened(s, maxName) }
func shortText(s string) string { return domain.Shortened(s, maxText) }
