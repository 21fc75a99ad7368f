package projections

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
)

// fold collects the changes that many events make to a view's rows. A row that changes often is
// written once and new rows are copied in. flush writes them.
type fold struct {
	view    *View
	rows    Rows
	tables  []*foldedTable // as view.Tables
	events  int64
	bytes   int
	through int64    // the position of the last event
	ended   []string // the accounts that were erased
}

type foldedTable struct {
	*Table
	last map[string]*pending // the last pending change of each key's row
	// phases are written one after the other. A later phase exists only when a change depends on
	// whether the row is stored after the earlier one.
	phases [][]*pending
	made   map[string]Key // what to make anew of a derived table
	buf    []byte
}

// pending is the merged change of one row: a removal of the stored row, if any, then at most one of
// fresh, set and sum.
type pending struct {
	phase  int
	key    Key
	remove bool
	fresh  Row // a new row
	set    Row // if the row is stored
	sum    Row // added to the row, which is created if it is not stored; empty ensures the row
}

func newFold(v *View) *fold {
	f := &fold{view: v}
	for _, t := range v.Tables {
		f.tables = append(f.tables, &foldedTable{Table: t, last: map[string]*pending{}, made: map[string]Key{}})
	}
	return f
}

// add folds an event into the pending changes.
func (f *fold) add(r eventstore.Recorded) error {
	f.rows.changes = f.rows.changes[:0]
	err := f.view.project(&f.rows, r)
	for i := 0; err == nil && i < len(f.rows.changes); i++ {
		var j int
		if j, err = f.view.place(&f.rows.changes[i]); err == nil {
			err = f.tables[j].change(&f.rows.changes[i])
		}
	}
	if err != nil {
		return fmt.Errorf("projections: view %s: position %d, event %s of stream %s: %w", f.view.Name, r.Position, r.Type, r.Stream, err)
	}
	if f.view.ends(r) {
		f.ended = append(f.ended, r.Account)
	}
	f.events++
	f.bytes += len(r.Data)
	f.through = r.Position
	return nil
}

func (t *foldedTable) change(c *change) error {
	key, buf, err := c.rowKey(t.buf[:0])
	if err != nil {
		return err
	}
	t.buf = buf
	if c.kind == 'm' {
		t.made[string(t.buf)] = key
		return nil
	}
	p := t.last[string(t.buf)]
	if p == nil || !p.takes(c.kind) {
		phase := 0
		if p != nil {
			phase = p.phase + 1
		}
		p = &pending{phase: phase, key: key}
		t.last[string(t.buf)] = p
		if phase == len(t.phases) {
			t.phases = append(t.phases, nil)
		}
		t.phases[phase] = append(t.phases[phase], p)
	}
	return p.take(t.Table, c)
}

// takes reports whether the change can be merged without knowing whether the row is stored.
func (p *pending) takes(kind byte) bool {
	switch {
	case kind == 'd' || p.fresh != nil:
		return true
	case p.set != nil:
		return kind == 's'
	case p.sum != nil:
		return kind == 'a' || kind == 'e'
	default:
		return true // removed
	}
}

// take merges the change into p.
func (p *pending) take(t *Table, c *change) error {
	untouched := !p.remove && p.fresh == nil && p.set == nil && p.sum == nil
	switch c.kind {
	case 'i':
		if p.fresh != nil {
			return fmt.Errorf("table %s: a row with the key %v is inserted twice", t.Name, p.key)
		}
		p.fresh = maps.Clone(c.values)
	case 's':
		switch {
		case p.fresh != nil:
			maps.Copy(p.fresh, c.values)
		case p.set != nil:
			maps.Copy(p.set, c.values)
		case untouched:
			p.set = maps.Clone(c.values)
		}
	case 'a':
		switch {
		case p.fresh != nil:
			return increase(p.fresh, c.values)
		case p.sum != nil:
			return increase(p.sum, c.values)
		case untouched:
			p.sum = maps.Clone(c.values)
		default: // removed before: starts at zero
			p.fresh = t.keyed(p.key, c.values)
		}
	case 'e':
		switch {
		case untouched:
			p.sum = Row{}
		case p.fresh == nil && p.sum == nil: // removed before
			p.fresh = t.keyed(p.key, nil)
		}
	case 'd':
		// A fresh row that was not removed first was not stored.
		p.remove = p.remove || p.fresh == nil
		p.fresh, p.set, p.sum = nil, nil, nil
	}
	return nil
}

// keyed returns a row with the key and the values.
func (t *Table) keyed(key Key, values Row) Row {
	row := make(Row, len(key)+len(values))
	maps.Copy(row, values)
	for i, k := range t.Key {
		row[k] = key[i]
	}
	return row
}

// increase adds deltas to a row; a missing value counts as zero.
func increase(row, deltas Row) error {
	for name, d := range deltas {
		sum, err := plus(row[name], d)
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		row[name] = sum
	}
	return nil
}

func plus(a, b any) (any, error) {
	if a == nil {
		return b, nil
	}
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case x.CanInt() && y.CanInt():
		return x.Int() + y.Int(), nil
	case x.CanFloat() && y.CanFloat():
		return x.Float() + y.Float(), nil
	}
	return nil, fmt.Errorf("%v (%T) and %v (%T) cannot be added", a, a, b, b)
}

// rowKey returns the key of the row that changes, as stored, and appends its canonical form to buf.
func (c *change) rowKey(buf []byte) (Key, []byte, error) {
	columns := c.keyColumns()
	key := make(Key, len(columns))
	for i, k := range columns {
		v := c.values[k]
		if c.kind != 'i' {
			v = c.key[i]
		}
		var err error
		if key[i], err = c.table.value(k, v); err != nil {
			return nil, nil, err
		}
		buf = appendKey(buf, c.table.typeOf(k), key[i])
	}
	return key, buf, nil
}

// appendKey appends a canonical form of v: it is equal for values that are equal in a column of the
// type.
func appendKey(buf []byte, columnType string, v any) []byte {
	buf = append(buf, 0)
	switch v := v.(type) {
	case string:
		return append(strconv.AppendInt(buf, int64(len(v)), 10), ":"+v...)
	case [16]byte:
		return append(buf, v[:]...)
	case time.Time:
		if columnType == "date" {
			return v.AppendFormat(buf, time.DateOnly)
		}
		return strconv.AppendInt(buf, v.UnixMicro(), 10)
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return strconv.AppendInt(buf, r.Int(), 10)
	case r.Kind() == reflect.String:
		return appendKey(buf[:len(buf)-1], columnType, r.String())
	default:
		return fmt.Appendf(buf, "%v", v)
	}
}

// flush writes the pending changes to the generation's tables. Without derive it leaves the derived ones as they are, for deriveAll.
func (f *fold) flush(ctx context.Context, tx pgx.Tx, generation int, derive bool) error {
	for _, t := range f.tables {
		relation := f.view.physical(t.Table, generation)
		for _, phase := range t.phases {
			if err := t.write(ctx, tx, relation, phase); err != nil {
				return fmt.Errorf("projections: view %s: write %s: %w", f.view.Name, relation, err)
			}
		}
		if derive && len(t.made) > 0 {
			for _, sql := range t.derive(f.view.of(generation), true) {
				if _, err := tx.Exec(ctx, sql, arraysOf(slices.Collect(maps.Values(t.made)))...); err != nil {
					return fmt.Errorf("projections: view %s: derive %s: %w", f.view.Name, relation, err)
				}
			}
		}
	}
	return f.purge(ctx, tx, generation)
}

// deriveAll makes all rows of a generation's table anew if it is derived.
func (v *View) deriveAll(ctx context.Context, tx pgx.Tx, t *Table, generation int) error {
	if t.Derived == nil {
		return nil
	}
	for _, sql := range t.derive(v.of(generation), false) {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return fmt.Errorf("derive %s: %w", t.Name, err)
		}
	}
	return nil
}

// write writes one phase, in which each row occurs once.
func (t *foldedTable) write(ctx context.Context, tx pgx.Tx, relation string, phase []*pending) error {
	// Changes of the same columns are written together.
	sets, sums := map[string][]*pending{}, map[string][]*pending{}
	var removed, fresh []*pending
	for _, p := range phase {
		if p.remove {
			removed = append(removed, p)
		}
		switch {
		case p.fresh != nil:
			fresh = append(fresh, p)
		case p.set != nil:
			columns := strings.Join(t.columnsOf(p.set), ", ")
			sets[columns] = append(sets[columns], p)
		case p.sum != nil:
			columns := strings.Join(t.columnsOf(p.sum), ", ")
			sums[columns] = append(sums[columns], p)
		}
	}
	if len(removed) > 0 {
		err := t.staged(ctx, tx, relation, nil, removed, nil,
			fmt.Sprintf(`DELETE FROM %s r USING stage s WHERE %s`, relation, t.sameKey("r", "s")))
		if err != nil {
			return err
		}
	}
	if err := t.copy(ctx, tx, relation, t.names(), fresh, func(p *pending) Row { return p.fresh }); err != nil {
		return err
	}
	for _, group := range sets {
		columns := t.columnsOf(group[0].set)
		sql := fmt.Sprintf(`UPDATE %s r SET %s FROM stage s WHERE %s`, relation, each(columns, "%[1]s = s.%[1]s"), t.sameKey("r", "s"))
		if err := t.staged(ctx, tx, relation, columns, group, func(p *pending) Row { return p.set }, sql); err != nil {
			return err
		}
	}
	for _, group := range sums {
		columns := t.columnsOf(group[0].sum)
		all := strings.Join(slices.Concat(t.Key, columns), ", ")
		sql := fmt.Sprintf(`INSERT INTO %s AS r (%s) SELECT %s FROM stage %s`, relation, all, all, t.onConflict(columns))
		if err := t.staged(ctx, tx, relation, columns, group, func(p *pending) Row { return p.sum }, sql); err != nil {
			return err
		}
	}
	return nil
}

// staged copies the keys and columns of the rows into a table stage and runs sql.
func (t *foldedTable) staged(ctx context.Context, tx pgx.Tx, relation string, columns []string, list []*pending, row func(*pending) Row,
	sql string) error {
	names := slices.Concat(t.Key, columns)
	if _, err := tx.Exec(ctx, fmt.Sprintf(`CREATE TEMPORARY TABLE stage ON COMMIT DROP AS SELECT %s FROM %s LIMIT 0`,
		strings.Join(names, ", "), relation)); err != nil {
		return err
	}
	if err := t.copy(ctx, tx, "stage", names, list, row); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeExec); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DROP TABLE stage`)
	return err
}

// copy copies rows in. For a staged row, row does not return the key.
func (t *foldedTable) copy(ctx context.Context, tx pgx.Tx, relation string, names []string, list []*pending, row func(*pending) Row) error {
	if len(list) == 0 {
		return nil
	}
	values := make([]any, len(names))
	_, err := tx.CopyFrom(ctx, pgx.Identifier{relation}, names, pgx.CopyFromSlice(len(list), func(i int) ([]any, error) {
		p := list[i]
		for j, name := range names {
			if k := slices.Index(t.Key, name); k >= 0 {
				values[j] = p.key[k]
				continue
			}
			v, err := t.value(name, row(p)[name])
			if err != nil {
				return nil, err
			}
			values[j] = v
		}
		return values, nil
	}))
	return err
}
