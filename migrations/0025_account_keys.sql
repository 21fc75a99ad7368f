-- The keys under which texts of persons in events are sealed (eventstore/sealed), one for each account. Without its key a text cannot be
-- read; the event and its hash stay as they are.

-- +goose Up
CREATE TABLE account_keys (
    account_id text  COLLATE "C" PRIMARY KEY,
    key        bytea -- under a key of the service that is not in the database; NULL once the account was erased
);

-- +goose Down
DROP TABLE account_keys;
