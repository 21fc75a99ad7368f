-- Whose the ids of persons are (people), which alone stand for persons in events, views and documents. Rows of the version before in
-- idempotency_keys, pending_reads and exports name persons by issuer and id; they are deleted within a day.

-- +goose Up
CREATE TABLE people (
    account_id  text  COLLATE "C" NOT NULL,
    person_id   text  COLLATE "C" NOT NULL,
    key         bytea NOT NULL, -- of the person, under a key of the service that is not in the database
    sealed      bytea NOT NULL, -- issuer and id at it, under key
    blind_index bytea NOT NULL, -- HMAC of issuer and id
    name_index  bytea NOT NULL, -- HMAC of the id at the issuer
    PRIMARY KEY (account_id, person_id),
    CONSTRAINT people_blind_index_key UNIQUE (blind_index, account_id)
);
CREATE INDEX people_name_index_idx ON people (account_id, name_index);

-- +goose Down
DROP TABLE people;
