package projections

import (
	"fmt"
	"slices"
)

// ChangesOf returns the statements that change a view's rows, with arguments: one of each kind for
// every table.
func ChangesOf(v *View) map[string][]any {
	all := map[string][]any{}
	for _, t := range v.Tables {
		if t.Derived != nil {
			for _, sql := range t.derive(v.live, true) {
				all[sql] = arraysOf([]Key{make(Key, len(t.Derived.By))})
			}
			continue
		}
		columns, numbers := Row{}, Row{}
		for _, c := range t.Columns {
			if slices.Contains(t.Key, c.Name) {
				continue
			}
			columns[c.Name] = nil
			if c.Type == "int" || c.Type == "bigint" {
				numbers[c.Name] = nil
			}
		}
		for kind, row := range map[byte]Row{'s': columns, 'a': numbers, 'd': nil} {
			if kind != 'd' && len(row) == 0 {
				continue
			}
			c := change{table: t, kind: kind, key: make(Key, len(t.Key)), values: row}
			sql, args, err := c.statement(v.live(t))
			if err != nil {
				panic(fmt.Sprintf("view %s: %v", v.Name, err))
			}
			all[sql] = args
		}
	}
	return all
}
