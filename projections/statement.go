package projections

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/internal/lists"
)

// column returns the position of the table's column.
func (t *Table) column(name string) (int, bool) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	return i, i >= 0
}

// jsonWithoutNUL replaces the escapes of NUL in a JSON text. An escaped backslash does not start such
// an escape.
var jsonWithoutNUL = strings.NewReplacer(`\\`, `\\`, `\u0000`, `\ufffd`)

// value prepares a value for its column. A value for a jsonb column becomes JSON text. Text that
// PostgreSQL cannot store (NUL, bytes that are not UTF-8) is replaced by U+FFFD: events may contain
// it, and their rows must still be written.
func (t *Table) value(name string, v any) (any, error) {
	i, ok := t.column(name)
	if !ok {
		return nil, fmt.Errorf("table %s has no column %s", t.Name, name)
	}
	if t.Columns[i].Type == "jsonb" && v != nil {
		text, err := json.Marshal(v)
		return jsonWithoutNUL.Replace(string(text)), err
	}
	if text, ok := v.(string); ok {
		return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd"), nil
	}
	if id, ok := v.(uuid.UUID); ok {
		return [16]byte(id), nil // pgx would send a uuid.UUID as text
	}
	return v, nil
}

// keyIs returns the conditions on the key columns; their arguments start at $first.
func (t *Table) keyIs(first int) string {
	conditions := make([]string, len(t.Key))
	for i, k := range t.Key {
		conditions[i] = fmt.Sprintf("%s = $%d", k, first+i)
	}
	return strings.Join(conditions, " AND ")
}

// typeOf returns the SQL type of a column.
func (t *Table) typeOf(name string) string {
	if i, ok := t.column(name); ok {
		return t.Columns[i].Type
	}
	return ""
}

// names returns the names of the table's columns.
func (t *Table) names() []string {
	return lists.Map(t.Columns, func(c Column) string { return c.Name })
}

// columnsOf returns the columns of a row in the order of the table.
func (t *Table) columnsOf(row Row) []string {
	names := make([]string, 0, len(row))
	for _, c := range t.Columns {
		if _, ok := row[c.Name]; ok {
			names = append(names, c.Name)
		}
	}
	return names
}

// sameKey returns the condition that the rows of two relations have the same key.
func (t *Table) sameKey(a, b string) string {
	same := lists.Map(t.Key, func(k string) string { return fmt.Sprintf("%[1]s.%[3]s = %[2]s.%[3]s", a, b, k) })
	return strings.Join(same, " AND ")
}

// sumColumn adds the inserted value to that of the row r.
const sumColumn = "%[1]s = coalesce(r.%[1]s, 0) + EXCLUDED.%[1]s"

// onConflict returns the ON CONFLICT clause that adds the columns to the existing row r, or keeps it
// when there are no columns.
func (t *Table) onConflict(columns []string) string {
	key := strings.Join(t.Key, ", ")
	if len(columns) == 0 {
		return fmt.Sprintf(`ON CONFLICT (%s) DO NOTHING`, key)
	}
	return fmt.Sprintf(`ON CONFLICT (%s) DO UPDATE SET %s`, key, each(columns, sumColumn))
}

// each formats every name and joins them as a list.
func each(names []string, format string) string {
	out := lists.Map(names, func(n string) string { return fmt.Sprintf(format, n) })
	return strings.Join(out, ", ")
}

// check returns an error for a change that does not fit its table.
func (c *change) check() error {
	t := c.table
	if c.kind == 'i' {
		for _, k := range t.Key {
			if c.values[k] == nil {
				return fmt.Errorf("table %s: a row is inserted without its key column %s", t.Name, k)
			}
		}
	} else if key := c.keyColumns(); len(c.key) != len(key) {
		return fmt.Errorf("table %s has %d key columns, the change names %d", t.Name, len(key), len(c.key))
	}
	if (t.Derived != nil) != (c.kind == 'm') {
		return fmt.Errorf("table %s: only a derived table is derived, and nothing else changes it", t.Name)
	}
	for name := range c.values {
		if _, ok := t.column(name); !ok {
			return fmt.Errorf("table %s has no column %s", t.Name, name)
		}
		if c.kind != 'i' && slices.Contains(t.Key, name) {
			return fmt.Errorf("table %s: the key column %s cannot be changed", t.Name, name)
		}
	}
	if (c.kind == 's' || c.kind == 'a') && len(c.values) == 0 {
		return fmt.Errorf("table %s: a change without columns", t.Name)
	}
	return nil
}

// keyColumns returns the columns whose values are the change's key.
func (c *change) keyColumns() []string {
	if c.kind == 'm' && c.table.Derived != nil {
		return c.table.Derived.By
	}
	return c.table.Key
}

// derive returns SQL that makes rows of a derived table anew, one statement after the other: all, or with some those whose values of the
// columns By are in the arrays $1, $2 and so on. name returns the names of the view's tables.
func (t *Table) derive(name func(*Table) string, some bool) [2]string {
	deleted, condition := "true", "true"
	if some {
		arrays := make([]string, len(t.Derived.By))
		for i, column := range t.Derived.By {
			arrays[i] = fmt.Sprintf("$%d::%s[]", i+1, t.typeOf(column))
		}
		in := ` IN (SELECT * FROM unnest(` + strings.Join(arrays, ", ") + `))`
		deleted, condition = "("+strings.Join(t.Derived.By, ", ")+")"+in, "("+each(t.Derived.By, "p.%s")+")"+in
	}
	return [2]string{
		`DELETE FROM ` + name(t) + ` WHERE ` + deleted,
		`INSERT INTO ` + name(t) + ` (` + strings.Join(t.names(), ", ") + `) ` + t.Derived.Rows(name, condition),
	}
}

// arraysOf returns the keys as the arguments of derive: an array of each column's values.
func arraysOf(keys []Key) []any {
	arrays := make([]any, len(keys[0]))
	for i := range arrays {
		arrays[i] = lists.Map(keys, func(k Key) any { return k[i] })
	}
	return arrays
}

// statement returns the SQL of a checked change on the relation. The text depends only on the change's
// columns, so that the server prepares each text once.
func (c *change) statement(relation string) (string, []any, error) {
	t := c.table
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
	switch c.kind {
	case 'i':
		return fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, relation, strings.Join(names, ", "), strings.Join(values, ", ")), args, nil
	case 's':
		sets := make([]string, len(names))
		for i := range names {
			sets[i] = names[i] + " = " + values[i]
		}
		return fmt.Sprintf(`UPDATE %s SET %s WHERE %s`, relation, strings.Join(sets, ", "), t.keyIs(1)), args, nil
	case 'a', 'e':
		keys := make([]string, len(t.Key))
		for i := range t.Key {
			keys[i] = fmt.Sprintf("$%d", i+1)
		}
		return fmt.Sprintf(`INSERT INTO %s AS r (%s) VALUES (%s) %s`, relation,
				strings.Join(slices.Concat(t.Key, names), ", "), strings.Join(slices.Concat(keys, values), ", "), t.onConflict(names)),
			args,
			nil
	default:
		return fmt.Sprintf(`DELETE FROM %s WHERE %s`, relation, t.keyIs(1)), args, nil
	}
}

// createTable returns the DDL of a table without its secondary indexes.
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

// createView returns the DDL of the SQL view on the table; it replaces a view with the same columns.
func (t *Table) createView(name, table string) string {
	return fmt.Sprintf(`CREATE OR REPLACE VIEW %s AS SELECT %s FROM %s`, name, strings.Join(t.names(), ", "), table)
}

// createIndexes returns the DDL of the secondary indexes.
func (t *Table) createIndexes(name string) []string {
	return lists.Map(t.Indexes, func(on string) string { return fmt.Sprintf(`CREATE INDEX ON %s %s`, name, on) })
}
