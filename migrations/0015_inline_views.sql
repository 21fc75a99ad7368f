-- An append of a program that does not know a live inline view would leave that view without the append's rows. So each append says
-- which inline views it wrote, after it has the lock that a view's switch waits for, and is refused if one is missing.

-- +goose Up
SET LOCAL lock_timeout = '3s';
ALTER TABLE view_generations ADD COLUMN inline boolean NOT NULL DEFAULT false; -- written by appends

UPDATE view_generations SET inline = true WHERE view IN ('ab_runs', 'ab_tests', 'accounts', 'assessments', 'benchmark_runs',
    'operations', 'pixies', 'schedules', 'tracked_items');

-- written holds the name and version of each inline view that the append wrote, such as 'operations 3'.
-- +goose StatementBegin
CREATE FUNCTION refuse_missed_views(written text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    missed text;
BEGIN
    SELECT string_agg(view || ' ' || version, ', ' ORDER BY view) INTO missed
        FROM view_generations WHERE state = 'live' AND inline AND view || ' ' || version <> ALL (written);
    IF missed IS NOT NULL THEN
        RAISE EXCEPTION 'this program does not write the live views %', missed
            USING ERRCODE = 'RV001', HINT = 'Run the program that built them, or withdraw them: readiness projections withdraw --view NAME';
    END IF;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION refuse_missed_views(text[]);
ALTER TABLE view_generations DROP COLUMN inline;
