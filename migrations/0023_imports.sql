-- Up to which position the log was imported (eventstore/import.go), and whether every operation that had not ended there has ended since
-- (work/imported.go).

-- +goose Up
CREATE TABLE imports (
    position bigint  PRIMARY KEY,
    settled  boolean NOT NULL DEFAULT false
);

-- +goose Down
DROP TABLE imports;
