package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Number returns the number in an environment variable, or otherwise if it is not
// set.
func Number(env string, otherwise int) (int, error) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(env), strconv.Itoa(otherwise)))
	if err != nil {
		return 0, fmt.Errorf("bench: %s: %w", env, err)
	}
	return n, nil
}

// Fill fills a log, with five events per stream, and the view of operations with
// earlier data, spread over the given number of accounts from acct-10 on. The
// events have no valid hashes and are not meant to be read.
func Fill(ctx context.Context, pool *pgxpool.Pool, events, accounts int) error {
	if events == 0 { // plans for tables that are known to be empty would be cached
		return nil
	}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		again, err := withoutIndexes(ctx, tx, "events", "streams", "operations_v6_g1")
		if err != nil {
			return err
		}
		for _, sql := range []string{
			`INSERT INTO streams (stream, account_id, type, version, chain) SELECT 'past-' || i, 'acct-' || 10 + i % $2::int, 'past', 5,
				sha256('') FROM generate_series(1, $1::int / 5) i`,
			`INSERT INTO events (event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
				SELECT md5(i || '-' || v)::uuid, 'acct-' || 10 + i % $2::int, 'past-' || i, v, 'past.happened', 1, '{}',
					json_build_object('account', 'acct-' || 10 + i % $2::int, 'person', 'past-' || i % 50, 'operationId',
						md5('o' || i)), now() - interval '1 day', sha256('')
				FROM generate_series(1, $1::int / 5) i, generate_series(1, 5) v`,
			`INSERT INTO operations_v6 (id, account_id, person, type, status, created_at, updated_at, workspace_id, item_type,
				impact, waits, assessed, unreadable, unassessed)
				SELECT md5('o' || i)::uuid, 'acct-' || 10 + i % $2::int, 'past-' || i % 50, 'AssessSemanticModel', 'Succeeded',
					now() - i * interval '1 second', now(), md5('w')::uuid, 'SemanticModel', '{}', false, 0, 0, 0
				FROM generate_series(1, $1::int / 5) i`,
		} {
			if _, err := tx.Exec(ctx, sql, events, accounts); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, again)
		return err
	})
	if err != nil {
		return fmt.Errorf("bench: fill the log: %w", err)
	}
	if _, err := pool.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}

// withoutIndexes drops the indexes of tables, so that they fill in a fraction of
// the time, and returns the SQL that creates them again.
func withoutIndexes(ctx context.Context, tx pgx.Tx, tables ...string) (again string, err error) {
	var drop string
	err = tx.QueryRow(ctx, `
		SELECT string_agg(CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
				ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, c.conname) END, ';'),
			'SET LOCAL maintenance_work_mem = ''1GB'';' || string_agg(CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
				ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) END, ';')
		FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x')
		WHERE i.indrelid = ANY ($1::text[]::regclass[])`, tables).Scan(&drop, &again)
	if err != nil {
		return "", err
	}
	_, err = tx.Exec(ctx, drop)
	return again, err
}
