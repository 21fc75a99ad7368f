package model

import (
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// isDate reports whether a table is a date table.
func (t *Table) isDate() bool {
	return t.DateByName || t.MarkedAsDate() || t.callsCalendar() || slices.ContainsFunc(t.Columns, t.consistsOfDates)
}

func writtenType(c *semanticmodel.Column) semanticmodel.DataType { return c.DataType }

// headerTypes are the types that DATATABLE gives its columns.
var headerTypes = map[string]semanticmodel.DataType{
	"STRING": semanticmodel.String, "INTEGER": semanticmodel.Int64, "DOUBLE": semanticmodel.Double, "CURRENCY": semanticmodel.Decimal,
	"BOOLEAN": semanticmodel.Boolean, "DATETIME": semanticmodel.DateTime,
}

// inferredTypes adds the types that the engine gives to columns of calculated tables, which the definition omits: to
// [Date] of CALENDAR, and to those of DATATABLE by its header.
func inferredTypes(t *semanticmodel.Table) func(*semanticmodel.Column) semanticmodel.DataType {
	if !slices.ContainsFunc(t.Partitions, IsCalculated) {
		return writtenType
	}
	header := map[string]semanticmodel.DataType{} // by source column
	for _, p := range t.Partitions {
		if !IsCalculated(p) {
			continue
		}
		for _, c := range dax.DataTableHeader(p.Expression) {
			at := "[" + strings.ToLower(c.Name) + "]"
			if _, known := header[at]; !known {
				header[at] = headerTypes[c.Type]
			}
		}
	}
	return func(c *semanticmodel.Column) semanticmodel.DataType {
		switch {
		case c.DataType != "":
			return c.DataType
		case c.SourceColumn == "[Date]" && header["[date]"] == "":
			return semanticmodel.DateTime
		}
		return header[strings.ToLower(c.SourceColumn)]
	}
}

// holdsOnlyMeasures also holds for a single column, as tables for measures need one,
// unless a measure uses it.
func holdsOnlyMeasures(t *Table, exposed func(*Column) bool) bool {
	return !slices.ContainsFunc(t.Columns, exposed) || len(t.Columns) == 1 && !t.Columns[0].Used
}

// callsCalendar reports whether a table with a dateTime column is calculated by CALENDAR
// or CALENDARAUTO.
func (t *Table) callsCalendar() bool {
	return slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.Is(semanticmodel.DateTime) }) &&
		slices.ContainsFunc(t.Src.Partitions, func(p semanticmodel.Partition) bool {
			return IsCalculated(p) && slices.ContainsFunc(dax.Read(p.Expression).Calls, func(c dax.Call) bool {
				return strings.EqualFold(c.Name, "CALENDAR") || strings.EqualFold(c.Name, "CALENDARAUTO")
			})
		})
}

// datePartNames are parts of the names of columns that hold parts of dates, in English, Spanish, Portuguese, Italian, French and German.
var datePartNames = []string{"date", "day", "week", "month", "quarter", "qtr", "year", "fiscal", "period", "semester", "holiday", "season",
	"fecha", "dia", "día", "semana", "mes", "mês", "trimestre", "ano", "año", "anno", "giorno", "settimana", "jour", "semaine", "mois", "année", "annee",
	"tag", "woche", "monat", "quartal", "jahr"}

// consistsOfDates reports whether facts are related to the dateTime column c, and the
// other columns of its table are calculated or parts of dates.
func (t *Table) consistsOfDates(c *Column) bool {
	return c.oneOfMany && c.Is(semanticmodel.DateTime) && len(t.Columns) > 1 && !slices.ContainsFunc(t.Columns, func(other *Column) bool {
		return other != c && !other.Calculated() && !slices.ContainsFunc(datePartNames,
			func(part string) bool { return strings.Contains(other.Norm, part) })
	})
}

// withoutUnseen returns a model without the parts that the platform did not show, and
// without instructions in cultures, which belong to them.
func withoutUnseen(m *semanticmodel.Model) *semanticmodel.Model {
	if !m.Copilot.NotVisible {
		return m
	}
	seen := *m
	seen.Copilot = semanticmodel.Copilot{NotVisible: true}
	seen.Cultures = slices.Clone(m.Cultures)
	for i := range seen.Cultures {
		seen.Cultures[i].CustomInstructions = nil
	}
	return &seen
}
