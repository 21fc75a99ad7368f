package readiness_test

import (
	"maps"
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

// dumpedModel is everything that scoring reads of a model, as plain JSON for an
// implementation of the regime in another language. An absent text is "".
type dumpedModel struct {
	Culture       string               `json:"culture"`
	QnA           semanticmodel.QnA    `json:"qna"`
	Functions     []string             `json:"functions"` // names
	Tables        []dumpedTable        `json:"tables"`
	Relationships []dumpedRelationship `json:"relationships"`
	Cultures      []dumpedCulture      `json:"cultures"`
	Copilot       dumpedCopilot        `json:"copilot"`
}

type dumpedTable struct {
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	DataCategory string            `json:"data_category"`
	IsHidden     bool              `json:"is_hidden"`
	IsPrivate    bool              `json:"is_private"`
	Annotations  []string          `json:"annotations"` // names
	Columns      []dumpedColumn    `json:"columns"`
	Measures     []dumpedMeasure   `json:"measures"`
	Hierarchies  []dumpedHierarchy `json:"hierarchies"`
	Partitions   []dumpedPartition `json:"partitions"`
	Items        *[]dumpedItem     `json:"calculation_items"` // null: not a calculation group
}

type dumpedColumn struct {
	Name               string   `json:"name"`
	Description        string   `json:"description"`
	DataType           string   `json:"data_type"`
	SummarizeBy        string   `json:"summarize_by"`
	IsHidden           bool     `json:"is_hidden"`
	IsKey              bool     `json:"is_key"`
	IsDefaultLabel     bool     `json:"is_default_label"`
	IsRowNumber        bool     `json:"is_row_number"`
	SortByColumn       string   `json:"sort_by_column"`
	FormatString       string   `json:"format_string"`
	DataCategory       string   `json:"data_category"`
	SourceColumn       string   `json:"source_column"`
	Expression         string   `json:"expression"`
	ExtendedProperties []string `json:"extended_properties"` // names
}

type dumpedMeasure struct {
	Name                   string `json:"name"`
	Description            string `json:"description"`
	Expression             string `json:"expression"`
	FormatString           string `json:"format_string"`
	FormatStringDefinition string `json:"format_string_definition"`
	DisplayFolder          string `json:"display_folder"`
	IsHidden               bool   `json:"is_hidden"`
}

type dumpedHierarchy struct {
	Name     string        `json:"name"`
	IsHidden bool          `json:"is_hidden"`
	Levels   []dumpedLevel `json:"levels"`
}

type dumpedLevel struct {
	Name   string `json:"name"`
	Column string `json:"column"`
}

type dumpedPartition struct {
	SourceType string `json:"source_type"`
	Expression string `json:"expression"`
}

type dumpedItem struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

type dumpedRelationship struct {
	FromTable              string `json:"from_table"`
	FromColumn             string `json:"from_column"`
	ToTable                string `json:"to_table"`
	ToColumn               string `json:"to_column"`
	FromCardinality        string `json:"from_cardinality"`
	ToCardinality          string `json:"to_cardinality"`
	CrossFilteringBehavior string `json:"cross_filtering_behavior"`
	IsActive               bool   `json:"is_active"`
}

type dumpedCulture struct {
	Name               string         `json:"name"`
	CustomInstructions *string        `json:"custom_instructions"`
	Entities           []dumpedEntity `json:"entities"`
}

type dumpedEntity struct {
	Table       string       `json:"table"`
	Property    string       `json:"property"`
	OfHierarchy bool         `json:"of_hierarchy"`
	Terms       []dumpedTerm `json:"terms"`
}

type dumpedTerm struct {
	Text  string `json:"text"`
	State string `json:"state"`
}

type dumpedCopilot struct {
	NotVisible      bool           `json:"not_visible"`
	Instructions    *string        `json:"instructions"`
	Schema          *dumpedSchema  `json:"schema"`
	VerifiedAnswers []dumpedAnswer `json:"verified_answers"`
}

type dumpedSchema struct {
	Tables []dumpedEntry `json:"tables"`
}

type dumpedEntry struct {
	Name        string        `json:"name"`
	Visibility  string        `json:"visibility"`
	Synonyms    []string      `json:"synonyms"`
	Columns     []dumpedField `json:"columns"`
	Measures    []dumpedField `json:"measures"`
	Hierarchies []dumpedField `json:"hierarchies"`
}

type dumpedField struct {
	Name       string   `json:"name"`
	Visibility string   `json:"visibility"`
	Synonyms   []string `json:"synonyms"`
}

type dumpedAnswer struct {
	Folder         string           `json:"folder"`
	TriggerPhrases []string         `json:"trigger_phrases"`
	Fields         []dumpedFieldRef `json:"fields"`
}

type dumpedFieldRef struct {
	Table string `json:"table"`
	Name  string `json:"name"`
}

// dumpedAgent is a data agent with its sources; Model is null for a source that is not
// a semantic model.
type dumpedAgent struct {
	Instructions string         `json:"instructions"`
	Description  string         `json:"description"`
	Sources      []dumpedSource `json:"sources"`
}

type dumpedSource struct {
	ID     string                      `json:"id"`
	Name   string                      `json:"name"`
	Tables []string                    `json:"tables"`
	Model  *dumpedModel                `json:"model"`
	Usage  map[string]map[string]int64 `json:"usage"`
}

// mapped converts each element; the result is never nil, so that JSON has no null lists.
func mapped[A, B any](from []A, convert func(A) B) []B {
	to := make([]B, 0, len(from))
	for _, a := range from {
		to = append(to, convert(a))
	}
	return to
}

func texts(from []string) []string { return append([]string{}, from...) }

func namesOf(m map[string]string) []string { return append([]string{}, slices.Sorted(maps.Keys(m))...) }

func dumpModel(m *semanticmodel.Model) *dumpedModel {
	if m == nil {
		return nil
	}
	return &dumpedModel{
		Culture: m.Culture, QnA: m.QnA, Functions: m.Functions,
		Tables: mapped(m.Tables, dumpTable),
		Relationships: mapped(m.Relationships, func(r semanticmodel.Relationship) dumpedRelationship {
			return dumpedRelationship{r.FromTable, r.FromColumn, r.ToTable, r.ToColumn, string(r.FromCardinality), string(r.ToCardinality),
				r.CrossFilteringBehavior, r.IsActive}
		}),
		Cultures: mapped(m.Cultures, func(c semanticmodel.Culture) dumpedCulture {
			return dumpedCulture{c.Name, c.CustomInstructions, mapped(c.Entities, func(e semanticmodel.LinguisticEntity) dumpedEntity {
				return dumpedEntity{e.Table, e.Property, e.OfHierarchy, mapped(e.Terms,
					func(t semanticmodel.Term) dumpedTerm { return dumpedTerm{t.Text, t.State} })}
			})}
		}),
		Copilot: dumpCopilot(m.Copilot),
	}
}

func dumpTable(t semanticmodel.Table) dumpedTable {
	d := dumpedTable{
		Name: t.Name, Description: t.Description, DataCategory: t.DataCategory, IsHidden: t.IsHidden, IsPrivate: t.IsPrivate, Annotations: namesOf(t.Annotations),
		Columns: mapped(t.Columns, func(c semanticmodel.Column) dumpedColumn {
			return dumpedColumn{
				c.Name, c.Description, string(c.DataType), c.SummarizeBy, c.IsHidden, c.IsKey, c.IsDefaultLabel, c.IsRowNumber,
				c.SortByColumn, c.FormatString, c.DataCategory, c.SourceColumn, c.Expression, namesOf(c.ExtendedProperties),
			}
		}),
		Measures: mapped(t.Measures, func(m semanticmodel.Measure) dumpedMeasure {
			return dumpedMeasure{m.Name, m.Description, m.Expression, m.FormatString, m.FormatStringDefinition, m.DisplayFolder, m.IsHidden}
		}),
		Hierarchies: mapped(t.Hierarchies, func(h semanticmodel.Hierarchy) dumpedHierarchy {
			return dumpedHierarchy{h.Name, h.IsHidden, mapped(h.Levels, func(l semanticmodel.Level) dumpedLevel {
				return dumpedLevel{l.Name,
					l.Column}
			})}
		}),
		Partitions: mapped(t.Partitions, func(p semanticmodel.Partition) dumpedPartition { return dumpedPartition{p.SourceType, p.Expression} }),
	}
	if g := t.CalculationGroup; g != nil {
		d.Items = new(mapped(g.Items, func(i semanticmodel.CalculationItem) dumpedItem { return dumpedItem{i.Name, i.Expression} }))
	}
	return d
}

func dumpCopilot(c semanticmodel.Copilot) dumpedCopilot {
	d := dumpedCopilot{
		NotVisible: c.NotVisible, Instructions: c.Instructions,
		VerifiedAnswers: mapped(c.VerifiedAnswers, func(a semanticmodel.VerifiedAnswer) dumpedAnswer {
			return dumpedAnswer{a.Folder, texts(a.TriggerPhrases), mapped(a.Fields,
				func(f semanticmodel.FieldRef) dumpedFieldRef { return dumpedFieldRef{f.Table, f.Name} })}
		}),
	}
	if c.Schema != nil {
		field := func(f semanticmodel.AIField) dumpedField { return dumpedField{f.Name, f.Visibility, texts(f.Synonyms)} }
		d.Schema = &dumpedSchema{mapped(c.Schema.Tables, func(t semanticmodel.AITable) dumpedEntry {
			return dumpedEntry{t.Name, t.Visibility, texts(t.Synonyms), mapped(t.Columns, field), mapped(t.Measures, field), mapped(t.Hierarchies,
				field)}
		})}
	}
	return d
}

func dumpAgent(a readiness.Agent, sources []readiness.Source) *dumpedAgent {
	return &dumpedAgent{a.Instructions, a.Description, mapped(sources, func(s readiness.Source) dumpedSource {
		return dumpedSource{s.ID, s.Name, texts(s.Tables), dumpModel(s.Model), s.Usage}
	})}
}
