package scenarios

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/rogpeppe/go-internal/testscript"

	"readiness/cmd/readinessd/wiring"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// moments compares every view as of a number of positions with a database that was rebuilt from the export cut there, of all accounts or
// of one. The last position is the end of the log.
func moments(ts *testscript.TestScript, w *Service, args []string) {
	n, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	account := ""
	if len(args) > 1 {
		account = args[1]
	}
	var exported bytes.Buffer
	last, err := w.Store.Export(w.T.Context(), &exported, eventstore.NDJSON, eventstore.Selection{Account: account})
	ts.Check(err)
	for i := range n {
		position := last * (i + 1) / n
		cut, pool := w.cut(ts, exported.Bytes(), position)
		for _, v := range projections.All() {
			_, err := cut.Engine.Rebuild(w.T.Context(), cut.Store, v.Name, projections.RebuildOptions{})
			ts.Check(err)
			var got, live, want bytes.Buffer
			ts.Check(w.Engine.WriteAsOf(w.T.Context(), w.Store, &got, projections.AsOf{View: v.Name, Position: position, Account: account}))
			ts.Check(cut.Engine.WriteAsOf(w.T.Context(), cut.Store, &live, projections.AsOf{View: v.Name, Position: position}))
			for _, t := range v.Tables {
				ts.Check(liveRows(w, pool, &want, v, t))
			}
			if got.String() != want.String() || live.String() != want.String() {
				ts.Fatalf("view %s as of %d is\n%s\nand the database that was rebuilt from the export has\n%s", v.Name, position, got.String(), want.String())
			}
		}
	}
}

// liveRows writes the live rows of a table as WriteAsOf does.
func liveRows(w *Service, pool *pgxpool.Pool, to *bytes.Buffer, v *projections.View, t *projections.Table) error {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = c.Name
	}
	rows, err := pool.Query(w.T.Context(), fmt.Sprintf(`SELECT json_build_object('table', $1::text, 'row', to_json(r))::text
		FROM (SELECT %s FROM %s_v%d ORDER BY %s) r`, strings.Join(columns, ", "), t.Name, v.Version, strings.Join(t.Key, ", ")), t.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		to.WriteString(line + "\n")
	}
	return rows.Err()
}

// cut returns a database with the events of an export up to a position, whose views are not built yet.
func (w *Service) cut(ts *testscript.TestScript, exported []byte, position int64) (*wiring.Log, *pgxpool.Pool) {
	pool := testlog.Pool(w.T)
	log, err := wiring.OpenLog(pool, nil, time.Now, slog.New(slog.DiscardHandler))
	ts.Check(err)
	ts.Check(log.Unseal(testworld.AccountsKey))
	keys, err := w.Pool.Query(w.T.Context(), `SELECT account_id, key FROM account_keys`)
	ts.Check(err)
	var of string
	var key []byte
	_, err = pgx.ForEachRow(keys, []any{&of, &key}, func() error {
		_, err := pool.Exec(w.T.Context(), `INSERT INTO account_keys VALUES ($1, $2)`, of, key)
		return err
	})
	ts.Check(err)
	for line := range bytes.Lines(exported) {
		var e struct {
			Position, Version             int64
			SchemaVersion                 int
			EventID                       uuid.UUID
			AccountID, Stream, Type, Hash string
			Data, Metadata                json.RawMessage
			RecordedAt                    time.Time
		}
		ts.Check(json.Unmarshal(line, &e))
		if e.Position > position {
			break
		}
		hash, err := hex.DecodeString(e.Hash)
		ts.Check(err)
		_, err = pool.Exec(w.T.Context(), `INSERT INTO events (position, event_id, account_id, stream, version, type, schema_version, data, metadata,
			recorded_at, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, e.Position, e.EventID, e.AccountID, e.Stream, e.Version, e.Type,
			e.SchemaVersion, string(e.Data), string(e.Metadata), e.RecordedAt, hash)
		ts.Check(err)
	}
	_, err = pool.Exec(w.T.Context(), `SELECT setval('events_position_seq', $1)`, position)
	ts.Check(err)
	for _, v := range projections.All() { // those that follow the log have followed it to here
		_, err = pool.Exec(w.T.Context(), `INSERT INTO followers (name, position) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET position = excluded.position`, fmt.Sprintf("%s_v%d", v.Name, v.Version), position)
		ts.Check(err)
	}
	return log, pool
}
