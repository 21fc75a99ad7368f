-- Which events hold sealed texts, by account and key: each key that the log names must be stored (eventstore/sealed).

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS events_sealed_idx; -- one whose build was interrupted
CREATE INDEX CONCURRENTLY events_sealed_idx ON events (account_id,
    substr(data::text, strpos(data::text, '{"$sealed":1,"key":"') + 20, 8)) WHERE strpos(data::text, '{"$sealed":1,"key":"') > 0;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS events_sealed_idx;
