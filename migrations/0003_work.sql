-- +goose Up
-- Results too large for an event, by the SHA-256 of their bytes.
CREATE TABLE documents (
    hash       text        PRIMARY KEY,
    body       bytea       NOT NULL, -- zstd
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Platform tokens of accepted work, encrypted; the key is not in the database.
CREATE TABLE step_tokens (
    operation_id uuid        PRIMARY KEY,
    sealed       bytea       NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX ON step_tokens (expires_at);

-- Calls that carry an Idempotency-Key: being handled while operation_id is
-- null, then the operation they started, until expires_at.
CREATE TABLE idempotency_keys (
    account_id   text        NOT NULL,
    issuer       text        NOT NULL,
    person       text        NOT NULL,
    key          text        NOT NULL,
    fingerprint  text        NOT NULL,
    claim        uuid        NOT NULL,
    operation_id uuid,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (account_id, issuer, person, key)
);
CREATE INDEX ON idempotency_keys (expires_at);

-- +goose Down
DROP TABLE idempotency_keys, step_tokens, documents;
