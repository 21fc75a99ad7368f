-- A generation of a view that is being built notes the program whose code fills it, so that another program begins again instead of
-- finishing it, and when it was complete, so that it can be made live later.

-- +goose Up
SET LOCAL lock_timeout = '3s';
ALTER TABLE view_generations ADD COLUMN program text;
ALTER TABLE view_generations ADD COLUMN built_at timestamptz;

-- +goose Down
ALTER TABLE view_generations DROP COLUMN built_at;
ALTER TABLE view_generations DROP COLUMN program;
