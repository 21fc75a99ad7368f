-- The history of an account is read by what an auditor asks for (projections/audit.go), each in the order of positions. The indexes are
-- built while appends continue. Interrupted, it is repeated from the beginning; an index that was left incomplete is dropped by 0008.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS events_type_position_idx;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_account_id_type_position_idx ON events (account_id, type, position);
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_account_id_operation_position_idx ON events (account_id, (metadata ->> 'operationId'), position);
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_account_id_person_position_idx ON events (account_id, (metadata ->> 'person'), position);
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_account_id_recorded_at_idx ON events (account_id, recorded_at);

-- How far an account's events were hashed, so that the next checkpoint continues from there (eventstore/checkpoint.go).
CREATE TABLE IF NOT EXISTS checkpoints (
    account_id text   COLLATE "C" PRIMARY KEY,
    position   bigint NOT NULL,
    events     bigint NOT NULL,
    head       bytea  NOT NULL CHECK (octet_length(head) = 32)
);

-- +goose Down
DROP TABLE checkpoints;
DROP INDEX events_account_id_type_position_idx, events_account_id_operation_position_idx, events_account_id_person_position_idx, events_account_id_recorded_at_idx;
CREATE INDEX IF NOT EXISTS events_type_position_idx ON events (type, position);
