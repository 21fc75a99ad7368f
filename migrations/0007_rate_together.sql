-- Calls of one caller that come at the same time are counted together (http/rate).

-- +goose Up
ALTER TABLE rate_windows
    ADD COLUMN calls    integer NOT NULL DEFAULT 0, -- how many the window lets through
    ADD COLUMN admitted integer NOT NULL DEFAULT 0, -- how many of those that came last it let through
    ALTER COLUMN allowed SET DEFAULT true;          -- only the version before reads it, which may still serve

-- +goose Down
ALTER TABLE rate_windows DROP COLUMN calls, DROP COLUMN admitted, ALTER COLUMN allowed DROP DEFAULT;
