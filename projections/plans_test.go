package projections_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/commands"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/storage/documents"
	"readiness/storage/people"
	"readiness/test/bench"
	"readiness/test/testlog"
)

// rowsOfPlans is how many rows each table has when plans are checked: enough to make an index far
// cheaper.
const rowsOfPlans = 6000

var (
	plansBegin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	scanned    = regexp.MustCompile(`Seq Scan on (\w+)`)
)

// No query of a view or of the log reads an entire table, whatever its filters and whether or not the
// database knows the values when it plans. The test calls every method of Views and explains each of
// its queries.
func TestEveryQueryOfTheViewsIsByIndex(t *testing.T) {
	t.Parallel()
	sent := &bench.Statements{}
	config, err := pgxpool.ParseConfig(testlog.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.Tracer = sent
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	codec, err := eventstore.NewCodec(commands.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	engine := projections.NewEngine(pool, projections.All()...)
	if err := engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	fillForPlans(t, pool)
	who, err := people.New(pool, make([]byte, people.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	views := &projections.Views{Pool: pool, People: who, Documents: documents.New(pool),
		Store: eventstore.New(pool, codec, eventstore.Options{Inline: engine.Inline})}

	statements := map[string]bench.Statement{}
	of := map[string]string{} // the method that made the query
	value := reflect.ValueOf(views)
	for i := range value.NumMethod() {
		name := value.Type().Method(i).Name
		if strings.HasPrefix(name, "Queue") { // these queue queries into a caller's batch
			continue
		}
		for _, how := range []asked{{}, {narrow: true}, {narrow: true, next: true}, {next: true}} {
			args := []reflect.Value{reflect.ValueOf(sent.Keep(t.Context()))}
			for n := 1; n < value.Method(i).Type().NumIn(); n++ {
				args = append(args, how.value(t, value.Method(i).Type().In(n), ""))
			}
			// The result is not checked: no event made these rows.
			value.Method(i).Call(args)
			for _, s := range sent.Kept() {
				statements[s.SQL], of[s.SQL] = s, name
			}
		}
	}
	for _, v := range projections.All() {
		for sql, args := range projections.ChangesOf(v) {
			statements[sql], of[sql] = bench.Statement{SQL: sql, Args: args}, "the view "+v.Name
		}
	}
	if len(statements) < 60 {
		t.Errorf("only %d statements were checked", len(statements))
	}
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, sql := range slices.Sorted(maps.Keys(statements)) {
		plans, err := statements[sql].Plans(t.Context(), conn.Conn())
		if err != nil {
			t.Errorf("%s: %v", of[sql], err)
			continue
		}
		for _, plan := range plans {
			if found := scanned.FindStringSubmatch(plan); found != nil && !small(found[1]) {
				t.Errorf("%s reads all of %s:\n%s\n%s", of[sql], found[1], sql, plan)
			}
		}
	}
}

// small reports whether a table does not grow with the log.
func small(table string) bool {
	return strings.HasPrefix(table, "pg_") || table == "events_position_seq" || table == "followers"
}

// asked says how to fill in a query: with every filter, and as the query of a next page.
type asked struct{ narrow, next bool }

// value returns a value for an argument of a method, or for a field of one, by its type: one that a
// row of fillForPlans has.
func (a asked) value(t *testing.T, of reflect.Type, member string) reflect.Value {
	t.Helper()
	v := reflect.New(of).Elem()
	switch x := v.Addr().Interface().(type) {
	case *uuid.UUID:
		*x = uuid.NewMD5(uuid.Nil, []byte("7"))
		return v
	case *time.Time:
		*x = plansBegin.Add(7 * time.Minute)
		return v
	}
	switch of.Kind() {
	case reflect.String:
		switch {
		case strings.Contains(strings.ToLower(member), "account") || member == "":
			v.SetString("account7")
		case a.narrow:
			v.SetString("value7")
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(20)
	case reflect.Bool:
		v.SetBool(a.narrow)
	case reflect.Pointer:
		// A cursor is a struct; a filter is an id or a time.
		pointed := of.Elem()
		cursor := pointed.Kind() == reflect.Struct && pointed != reflect.TypeFor[time.Time]()
		if cursor && a.next || !cursor && a.narrow {
			v.Set(reflect.New(pointed))
			v.Elem().Set(a.value(t, pointed, member))
		}
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			break
		}
		for range 3 {
			v = reflect.Append(v, a.value(t, of.Elem(), member))
		}
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() {
				v.Field(i).Set(a.value(t, of.Field(i).Type, of.Field(i).Name))
			}
		}
	}
	return v
}

// fillForPlans inserts rows into the log, the documents and every table of every view.
func fillForPlans(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO streams (stream, account_id, type, version, chain) SELECT 'toy-' || i, 'account' || i % 100, 'toy', 1, sha256('') FROM generate_series(1, $1::int) i`, rowsOfPlans)
	b.Queue(`INSERT INTO events (event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
		SELECT md5(i::text)::uuid, 'account' || i % 100, 'toy-' || i, 1, 'toy.type' || i % 50, 1, '{}', json_build_object('person', 'value' || i % 500, 'operationId', md5(i::text)::uuid), $2::timestamptz + i * interval '1 min', sha256('')
		FROM generate_series(1, $1::int) i`, rowsOfPlans, plansBegin)
	b.Queue(`INSERT INTO documents (hash, body) SELECT 'value' || i, 'x' FROM generate_series(1, $1::int) i`, rowsOfPlans)
	b.Queue(`INSERT INTO page_view_hours SELECT 'account' || i % 100, md5(i::text)::uuid, $2::timestamptz + i * interval '1 hour', 'page', 1 FROM generate_series(1, $1::int) i`, rowsOfPlans, plansBegin)
	b.Queue(`INSERT INTO people SELECT 'account' || i % 100, 'value' || i, sha256(i::text::bytea), sha256(i::text::bytea), sha256(i::text::bytea), sha256(i::text::bytea)
		FROM generate_series(1, $1::int) i`, rowsOfPlans)
	b.Queue(`INSERT INTO account_keys SELECT 'account' || i, sha256(i::text::bytea) FROM generate_series(1, $1::int) i`, rowsOfPlans)
	for _, v := range projections.All() {
		for _, table := range v.Tables {
			values := make([]string, len(table.Columns))
			names := make([]string, len(table.Columns))
			for i, c := range table.Columns {
				names[i], values[i] = c.Name, valueForPlans(table, c)
			}
			b.Queue(fmt.Sprintf(`INSERT INTO %s_v%d (%s) SELECT %s FROM generate_series(1, %d) i`, table.Name, v.Version, strings.Join(names, ", "), strings.Join(values, ", "), rowsOfPlans))
		}
	}
	b.Queue("ANALYZE")
	if err := pool.SendBatch(context.WithoutCancel(t.Context()), b).Close(); err != nil {
		t.Fatal(err)
	}
}

// valueForPlans returns the SQL of a column's value in row i.
func valueForPlans(table *projections.Table, c projections.Column) string {
	begin := "'" + plansBegin.Format(time.RFC3339) + "'::timestamptz"
	switch c.Type {
	case "uuid":
		return `md5(i::text)::uuid`
	case "text":
		if c.Name == "account_id" && !slices.Equal(table.Key, []string{"account_id"}) {
			return `'account' || i % 100`
		}
		if c.Name == "account_id" {
			return `'account' || i`
		}
		return `'value' || i`
	case "timestamptz":
		return begin + ` + i * interval '1 min'`
	case "date":
		return `(` + begin + ` + i * interval '1 day')::date`
	case "boolean":
		return `i % 2 = 0`
	case "jsonb":
		return `'{}'::jsonb`
	case "uuid[]":
		return `ARRAY[md5(i::text)::uuid]`
	case "text[]":
		return `ARRAY['value' || i]`
	case "bytea":
		return `''::bytea`
	default: // numbers
		return `i`
	}
}
