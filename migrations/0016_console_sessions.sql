-- +goose Up
-- Sign-ins of people at the console (vault/sessions.go): their tokens, encrypted with a key that is not in the database, under the hash of the
-- id that the browser has. Neither a row nor a backup of it lets anyone sign in.
CREATE TABLE console_sessions (
    id_hash    bytea       PRIMARY KEY,
    sealed     bytea       NOT NULL,
    created_at timestamptz NOT NULL,
    used_at    timestamptz NOT NULL
);
CREATE INDEX console_sessions_used ON console_sessions (used_at);

-- +goose Down
DROP TABLE console_sessions;
