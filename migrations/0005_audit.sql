-- +goose Up
-- The history of an account is read by what an auditor asks for (projections/audit.go), each in the order of positions.
DROP INDEX events_type_position_idx;
CREATE INDEX events_account_id_type_position_idx ON events (account_id, type, position);
CREATE INDEX events_account_id_operation_position_idx ON events (account_id, (metadata ->> 'operationId'), position);
CREATE INDEX events_account_id_person_position_idx ON events (account_id, (metadata ->> 'person'), position);
CREATE INDEX events_account_id_recorded_at_idx ON events (account_id, recorded_at);

-- How far an account's events were hashed, so that the next checkpoint goes on from there (eventstore/checkpoint.go).
CREATE TABLE checkpoints (
    account_id text   COLLATE "C" PRIMARY KEY,
    position   bigint NOT NULL,
    events     bigint NOT NULL,
    head       bytea  NOT NULL CHECK (octet_length(head) = 32)
);

-- +goose Down
DROP TABLE checkpoints;
DROP INDEX events_account_id_type_position_idx, events_account_id_operation_position_idx, events_account_id_person_position_idx, events_account_id_recorded_at_idx;
CREATE INDEX events_type_position_idx ON events (type, position);
