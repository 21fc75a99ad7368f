package semanticmodel

import "strings"

func (t *tmsl) table() Table {
	o := Table{Source: t.source()}
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "lineageTag":
			o.LineageTag, _ = t.Text()
		case "description":
			o.Description = t.Lines()
		case "dataCategory":
			o.DataCategory = t.Lines()
		case "isHidden":
			o.IsHidden = t.Bool()
		case "isPrivate":
			o.IsPrivate = t.Bool()
		case "annotations":
			o.Annotations = t.values()
		case "columns":
			o.Columns = list(t, t.column, func(o *Column) string { return o.Name })
		case "measures":
			o.Measures = list(t, t.measure, func(o *Measure) string { return o.Name })
		case "hierarchies":
			o.Hierarchies = list(t, t.hierarchy, func(o *Hierarchy) string { return o.Name })
		case "partitions":
			o.Partitions = list(t, t.partition, func(o *Partition) string { return o.Name })
		case "calculationGroup":
			if t.Kind() != 'n' {
				o.CalculationGroup = t.calculationGroup()
			}
		case "calendars":
			o.Calendars = t.names()
		}
	}
	return o
}

func (t *tmsl) column() Column {
	o := Column{Source: t.source()}
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "lineageTag":
			o.LineageTag, _ = t.Text()
		case "description":
			o.Description = t.Lines()
		case "type":
			o.IsRowNumber = strings.EqualFold(t.Lines(), "rowNumber")
		case "dataType":
			o.DataType = dataType(t.Lines())
		case "summarizeBy":
			o.SummarizeBy = lowerCamel(t.Lines())
		case "isHidden":
			o.IsHidden = t.Bool()
		case "isKey":
			o.IsKey = t.Bool()
		case "isDefaultLabel":
			o.IsDefaultLabel = t.Bool()
		case "sortByColumn":
			o.SortByColumn = t.Lines()
		case "dataCategory":
			o.DataCategory = t.Lines()
		case "formatString":
			o.FormatString = t.Lines()
		case "displayFolder":
			o.DisplayFolder = t.Lines()
		case "sourceColumn":
			o.SourceColumn = t.Lines()
		case "expression":
			o.Expression = t.Lines()
		case "annotations":
			o.Annotations = t.values()
		case "extendedProperties":
			o.ExtendedProperties = t.values()
		}
	}
	o.IsRowNumber = o.IsRowNumber || o.Name == rowNumberColumn
	return o
}

func (t *tmsl) measure() Measure {
	o := Measure{Source: t.source()}
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "lineageTag":
			o.LineageTag, _ = t.Text()
		case "description":
			o.Description = t.Lines()
		case "expression":
			o.Expression = t.Lines()
		case "formatString":
			o.FormatString = t.Lines()
		case "formatStringDefinition":
			o.FormatStringDefinition = t.expression()
		case "displayFolder":
			o.DisplayFolder = t.Lines()
		case "dataCategory":
			o.DataCategory = t.Lines()
		case "isHidden":
			o.IsHidden = t.Bool()
		case "annotations":
			o.Annotations = t.values()
		}
	}
	return o
}

// expression reads the object's member "expression".
func (t *tmsl) expression() (text string) {
	for member := range t.Object() {
		if member == "expression" {
			text = t.Lines()
		}
	}
	return text
}

func (t *tmsl) hierarchy() Hierarchy {
	o := Hierarchy{Source: t.source()}
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "lineageTag":
			o.LineageTag, _ = t.Text()
		case "description":
			o.Description = t.Lines()
		case "isHidden":
			o.IsHidden = t.Bool()
		case "levels":
			o.Levels = list(t, t.level, func(o *Level) string { return o.Name })
		}
	}
	return o
}

func (t *tmsl) level() (o Level) {
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "column":
			o.Column = t.Lines()
		case "lineageTag":
			o.LineageTag, _ = t.Text()
		}
	}
	return o
}

func (t *tmsl) partition() (o Partition) {
	// A source without a type is a query, as in models before M.
	o.SourceType = "query"
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "mode":
			o.Mode = lowerCamel(t.Lines())
		case "source":
			for member := range t.Object() {
				switch member {
				case "type":
					o.SourceType = lowerCamel(t.Lines())
				case "expression", "query":
					o.Expression = t.Lines()
				}
			}
		}
	}
	return o
}

func (t *tmsl) calculationGroup() *CalculationGroup {
	g := &CalculationGroup{}
	for member := range t.Object() {
		switch member {
		case "precedence":
			g.Precedence = t.Int()
		case "calculationItems":
			g.Items = list(t, t.calculationItem, func(o *CalculationItem) string { return o.Name })
		}
	}
	return g
}

func (t *tmsl) calculationItem() CalculationItem {
	o := CalculationItem{Source: t.source()}
	for member := range t.Object() {
		switch member {
		case "name":
			o.Name = t.Lines()
		case "description":
			o.Description = t.Lines()
		case "expression":
			o.Expression = t.Lines()
		case "ordinal":
			o.Ordinal = t.Int()
		}
	}
	return o
}
