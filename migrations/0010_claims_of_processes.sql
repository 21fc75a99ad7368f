-- Who handles a call that carries an Idempotency-Key: the key of its process's lock (internal/database, Life). A claim whose process has died is free
-- at once. Claims of the version before name none and are free when their time is over.

-- +goose Up
ALTER TABLE idempotency_keys ADD COLUMN process integer;

-- +goose Down
ALTER TABLE idempotency_keys DROP COLUMN process;
