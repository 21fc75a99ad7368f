-- The account's own checkpoint is gone: the account's tree has the same events and more. No program since the first release writes or reads
-- the table; those of before are stopped for the upgrade (CHANGELOG.md).
-- unused since v0.1.0: checkpoints

-- +goose Up
SET LOCAL lock_timeout = '3s';
DROP TABLE checkpoints;

-- +goose Down
CREATE TABLE checkpoints (
    account_id text   COLLATE "C" PRIMARY KEY,
    position   bigint NOT NULL,
    events     bigint NOT NULL,
    head       bytea  NOT NULL CHECK (octet_length(head) = 32)
);
