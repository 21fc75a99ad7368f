-- The calls of the last minute to a remote platform, and until when the platform wants no more (platform/quota).

-- +goose Up

-- Not logged, as rate_windows: after a crash of the server the windows begin empty and the platform's next 429 makes new holds.
CREATE UNLOGGED TABLE quota_windows (
    key      text          COLLATE "C" PRIMARY KEY, -- a bucket and a person
    hits     timestamptz[] NOT NULL,                -- when calls were counted, oldest first
    admitted boolean       NOT NULL                 -- whether the last call was counted
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE quota_windows ALTER COLUMN hits SET STORAGE MAIN;

CREATE UNLOGGED TABLE quota_holds (
    key      text        COLLATE "C" PRIMARY KEY, -- a window's key, or a tenant and a route
    ends     timestamptz NOT NULL
);

-- +goose Down
DROP TABLE quota_holds;
DROP TABLE quota_windows;
