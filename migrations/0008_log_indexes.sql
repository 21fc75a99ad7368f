-- The log keeps the indexes that appends, streams, followers and the paging of an account need. What auditors filter by
-- is a view that follows the log (projections/audit.go); nothing ever looked an event up by its id.
--
-- None of this holds appends up: an index is dropped concurrently, and a constraint, whose table must be locked for a
-- moment, waits for that lock a short while at a time. Interrupted, it is repeated from the beginning.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS events_account_id_type_position_idx;
DROP INDEX CONCURRENTLY IF EXISTS events_account_id_operation_position_idx;
DROP INDEX CONCURRENTLY IF EXISTS events_account_id_person_position_idx;
DROP INDEX CONCURRENTLY IF EXISTS events_account_id_recorded_at_idx;

-- +goose StatementBegin
DO $$
BEGIN
    FOR attempt IN 1..600 LOOP
        BEGIN
            SET LOCAL lock_timeout = '100ms';
            ALTER TABLE events DROP CONSTRAINT IF EXISTS events_event_id_key;
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.4); -- the appends that waited go on
        END;
    END LOOP;
    RAISE EXCEPTION 'the table events could not be locked for a moment in 5 minutes; end the transactions that hold it (pg_locks) and migrate again';
END $$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE events ADD CONSTRAINT events_event_id_key UNIQUE (event_id);
CREATE INDEX IF NOT EXISTS events_account_id_type_position_idx ON events (account_id, type, position);
CREATE INDEX IF NOT EXISTS events_account_id_operation_position_idx ON events (account_id, (metadata ->> 'operationId'), position);
CREATE INDEX IF NOT EXISTS events_account_id_person_position_idx ON events (account_id, (metadata ->> 'person'), position);
CREATE INDEX IF NOT EXISTS events_account_id_recorded_at_idx ON events (account_id, recorded_at);
