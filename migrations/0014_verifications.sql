-- When the log was last read in full and found unchanged (readiness events verify), for the metric that says so.

-- +goose Up
CREATE TABLE verifications (
    what        text        COLLATE "C" PRIMARY KEY, -- log
    verified_at timestamptz NOT NULL,
    events      bigint      NOT NULL
);

-- +goose Down
DROP TABLE verifications;
