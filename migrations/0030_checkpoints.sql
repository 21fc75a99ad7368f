-- The account's own checkpoint is gone: the account's tree has the same events and more. Programs of before still serve while the
-- schema is migrated, and read the table; so a later release drops it, where it is still there.

-- +goose Up
SELECT 1;

-- +goose Down
CREATE TABLE IF NOT EXISTS checkpoints (
    account_id text   COLLATE "C" PRIMARY KEY,
    position   bigint NOT NULL,
    events     bigint NOT NULL,
    head       bytea  NOT NULL CHECK (octet_length(head) = 32)
);
