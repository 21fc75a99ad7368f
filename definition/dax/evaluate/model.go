package evaluate

import (
	"fmt"

	"readiness/definition/semanticmodel"
)

// Data are the rows of one table of a model.
type Data struct {
	Table   string
	Columns []DataColumn
}

// DataColumn is a column; all columns of a table have as many values.
type DataColumn struct {
	Name   string
	Values []Value
}

// Model is a semantic model with rows. It may be queried by several callers at once.
type Model struct {
	tables        []*table
	byName        map[string]*table
	measures      map[string]*measure
	relationships []*relationship
	relations     *relations // those that are active by default
	english       bool       // texts of FORMAT are English
}

// table is a table with its rows. Row n is the blank row that stands for whatever rows of
// other tables do not find; it is in the table only if there is such a row.
type table struct {
	name    string
	columns []*column
	byName  map[string]*column
	n       int
	// missing says why the table has no rows to evaluate, "" if it has.
	missing    string
	calculated string // the expression of a calculated table
	isTime     bool   // it is marked as a date table
	// classes number rows so that equal rows have the number of the first of them.
	classes []int32
}

// column is a column. values are distinct, and values[0] is BLANK.
type column struct {
	table      *table
	name       string
	dataType   semanticmodel.DataType
	missing    string // as in table
	expression string // of a calculated column
	source     string // of a column of a calculated table: its name in the expression
	values     []Value
	codes      []int32 // the index in values for each row, and 0 for the blank row
	index      map[Value]int32
	// ruling is true for a column of dates whose filters in CALCULATE replace those on
	// the other columns of its table.
	// mayRule is true when that is not certain: only an inactive relationship ends here.
	ruling, mayRule bool
}

// measure is a measure of the model or of a query.
type measure struct {
	name string
	in   source
}

// New returns the model with its rows. It evaluates calculated tables and columns that
// have no rows as far as it can; what it cannot evaluate is refused when a query uses
// it. The error names a table or column that data gives and the model has not, and keys
// that break a relationship.
func New(m *semanticmodel.Model, data []Data, o Options) (*Model, error) {
	model := &Model{byName: map[string]*table{}, measures: map[string]*measure{}}
	model.english = len(m.Culture) < 2 || m.Culture[:2] == "en"
	for _, t := range m.Tables {
		model.add(t)
	}
	for _, d := range data {
		if err := model.fill(d); err != nil {
			return nil, err
		}
	}
	if err := model.calculate(o, false); err != nil {
		return nil, err
	}
	if err := model.relate(m.Relationships); err != nil {
		return nil, err
	}
	if err := model.calculate(o, true); err != nil {
		return nil, err
	}
	for _, t := range model.tables {
		t.classify()
	}
	return model, nil
}

// add adds a table without rows, and its measures.
func (m *Model) add(t semanticmodel.Table) {
	added := &table{name: t.Name, byName: map[string]*column{}, missing: "there are no rows of the table '" + t.Name + "'",
		isTime: t.DataCategory == "Time"}
	for _, p := range t.Partitions {
		if p.SourceType == "calculated" {
			added.calculated = p.Expression
		}
	}
	for _, c := range t.Columns {
		if c.IsRowNumber {
			continue
		}
		of := &column{table: added, name: c.Name, dataType: c.DataType, expression: c.Expression, source: c.SourceColumn,
			missing: fmt.Sprintf("there are no values of the column '%s'[%s]", t.Name, c.Name)}
		of.ruling = added.isTime && c.IsKey
		added.columns = append(added.columns, of)
		added.byName[folded(c.Name)] = of
	}
	for _, x := range t.Measures {
		m.measures[folded(x.Name)] = &measure{name: x.Name, in: source{"measure [" + x.Name + "]", x.Expression}}
	}
	m.tables = append(m.tables, added)
	m.byName[folded(t.Name)] = added
}

// fill gives a table its rows.
func (m *Model) fill(d Data) error {
	t := m.byName[folded(d.Table)]
	if t == nil {
		return fmt.Errorf("the model has no table '%s'", d.Table)
	}
	if len(d.Columns) > 0 {
		t.n = len(d.Columns[0].Values)
	}
	t.missing = ""
	for _, given := range d.Columns {
		c := t.byName[folded(given.Name)]
		switch {
		case c == nil:
			return fmt.Errorf("the table '%s' has no column [%s]", t.name, given.Name)
		case c.missing == "":
			return fmt.Errorf("the column '%s'[%s] is given twice", t.name, c.name)
		case len(given.Values) != t.n:
			return fmt.Errorf("the columns of '%s' have %d and %d values", t.name, t.n, len(given.Values))
		}
		c.fill(given.Values)
	}
	return nil
}

// fill gives a column its values. A text is shown as it was first written.
func (c *column) fill(values []Value) {
	c.missing = ""
	c.values, c.codes, c.index = []Value{{}}, make([]int32, len(values)+1), map[Value]int32{{}: 0}
	for row, v := range values {
		key := v.key()
		code, known := c.index[key]
		if !known {
			code = int32(len(c.values))
			c.values = append(c.values, v)
			c.index[key] = code
		}
		c.codes[row] = code
	}
}

// code returns the code of a value, false if the column has no such value.
func (c *column) code(v Value) (int32, bool) {
	code, ok := c.index[v.key()]
	return code, ok
}

func (c *column) String() string { return "'" + c.table.name + "'[" + c.name + "]" }

// classify numbers equal rows.
func (t *table) classify() {
	t.classes = make([]int32, t.n+1)
	first := make(map[string]int32, t.n)
	var key []byte
	for row := range t.n {
		key = key[:0]
		for _, c := range t.columns {
			if c.missing == "" {
				key = appendCode(key, c.codes[row])
			}
		}
		class, known := first[string(key)]
		if !known {
			class = int32(row)
			first[string(key)] = class
		}
		t.classes[row] = class
	}
	t.classes[t.n] = int32(t.n)
}

func appendCode(key []byte, code int32) []byte {
	return append(key, byte(code), byte(code>>8), byte(code>>16), byte(code>>24))
}
