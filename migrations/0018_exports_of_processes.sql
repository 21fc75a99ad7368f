-- Who acts for a bulk export: the key of its process's lock (internal/database, Life). What a process that has died did is free at once. Exports of
-- the version before name none and are free when their time is over.

-- +goose Up
SET LOCAL lock_timeout = '3s';
ALTER TABLE exports ADD COLUMN process integer;

-- +goose Down
ALTER TABLE exports DROP COLUMN process;
