package item

// SelectedTable is a table of a semantic model, with the columns and measures of it that a query may name.
type SelectedTable struct {
	Name              string
	Columns, Measures []string
}
