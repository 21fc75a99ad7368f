-- The calls of the last minute, by who made them (http/rate).

-- +goose Up

-- Not logged: after a crash of the server the windows begin empty, which lets a caller do at most one minute's calls twice.
-- A row is rewritten by each call, so pages keep room for its next version; 500 hits are 4 kB and stay in the row.
CREATE UNLOGGED TABLE rate_windows (
    key     text        COLLATE "C" PRIMARY KEY,
    hits    timestamptz[] NOT NULL, -- when calls were allowed, oldest first
    allowed boolean     NOT NULL    -- whether the last call was
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE rate_windows ALTER COLUMN hits SET STORAGE MAIN;

-- +goose Down
DROP TABLE rate_windows;
