-- +goose Up
-- Keys of the AI providers that accounts saved, encrypted; the key that opens them is not in the database (vault/credentials.go).
-- A provider without a key has no row, and a provider that is deleted takes its row with it.
CREATE TABLE ai_credentials (
    account_id  text  COLLATE "C" NOT NULL,
    provider_id uuid  NOT NULL,
    sealed      bytea NOT NULL,
    PRIMARY KEY (account_id, provider_id)
);

-- +goose Down
DROP TABLE ai_credentials;
