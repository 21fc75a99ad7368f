package projections

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// column returns the position of the table's column.
func (t *Table) column(name string) (int, bool) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	return i, i >= 0
}

// value prepares a value for its column: what goes into a jsonb column becomes
// JSON text.
func (t *Table) value(name string, v any) (any, error) {
	i, ok := t.column(name)
	if !ok {
		return nil, fmt.Errorf("table %s has no column %s", t.Name, name)
	}
	if t.Columns[i].Type == "jsonb" && v != nil {
		text, err := json.Marshal(v)
		return string(text), err
	}
	return v, nil
}

// key are the conditions on the key columns, whose arguments begin at $first.
func (t *Table) keyIs(first int) string {
	conditions := make([]string, len(t.Key))
	for i, k := range t.Key {
		conditions[i] = fmt.Sprintf("%s = $%d", k, first+i)
	}
	return strings.Join(conditions, " AND ")
}

// statement is the change as SQL on the relation. The text depends on the
// change's columns only, so that the server prepares each once.
func (c change) statement(relation string) (string, []any, error) {
	t := c.table
	if c.kind != 'i' && len(c.key) != len(t.Key) {
		return "", nil, fmt.Errorf("table %s has %d key columns, the change names %d", t.Name, len(t.Key), len(c.key))
	}
	args := slices.Clone([]any(c.key))
	var names, values []string // in the order of the table's columns
	for _, col := range t.Columns {
		v, ok := c.values[col.Name]
		if !ok {
			continue
		}
		v, err := t.value(col.Name, v)
		if err != nil {
			return "", nil, err
		}
		args = append(args, v)
		names, values = append(names, col.Name), append(values, fmt.Sprintf("$%d", len(args)))
	}
	if len(names) != len(c.values) {
		return "", nil, fmt.Errorf("a change of table %s names columns it does not have: %v", t.Name, c.values)
	}
	switch c.kind {
	case 'i':
		return fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, relation, strings.Join(names, ", "), strings.Join(values, ", ")), args, nil
	case 's':
		sets := make([]string, len(names))
		for i := range names {
			sets[i] = names[i] + " = " + values[i]
		}
		return fmt.Sprintf(`UPDATE %s SET %s WHERE %s`, relation, strings.Join(sets, ", "), t.keyIs(1)), args, nil
	case 'a':
		keys := make([]string, len(t.Key))
		sums := make([]string, len(names))
		for i := range t.Key {
			keys[i] = fmt.Sprintf("$%d", i+1)
		}
		for i, n := range names {
			sums[i] = fmt.Sprintf("%s = r.%s + EXCLUDED.%s", n, n, n)
		}
		return fmt.Sprintf(`INSERT INTO %s AS r (%s) VALUES (%s) ON CONFLICT (%s) DO UPDATE SET %s`, relation,
			strings.Join(slices.Concat(t.Key, names), ", "), strings.Join(slices.Concat(keys, values), ", "),
			strings.Join(t.Key, ", "), strings.Join(sums, ", ")), args, nil
	default:
		return fmt.Sprintf(`DELETE FROM %s WHERE %s`, relation, t.keyIs(1)), args, nil
	}
}

// createTable is the DDL of a table without its secondary indexes.
func (t *Table) createTable(name string) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = c.Name + " " + c.Type
		if c.Type == "text" {
			columns[i] += ` COLLATE "C"`
		}
	}
	return fmt.Sprintf(`CREATE TABLE %s (%s, PRIMARY KEY (%s))`, name, strings.Join(columns, ", "), strings.Join(t.Key, ", "))
}

// createIndexes is the DDL of the secondary indexes.
func (t *Table) createIndexes(name string) []string {
	out := make([]string, len(t.Indexes))
	for i, on := range t.Indexes {
		out[i] = fmt.Sprintf(`CREATE INDEX ON %s %s`, name, on)
	}
	return out
}
