-- Views of pages are added up here until their hour is over; then they become one event a report, and go, in one
-- transaction (commands.RecordViews).

-- +goose Up
CREATE TABLE page_view_hours (
    account_id text        NOT NULL,
    report_id  uuid        NOT NULL,
    hour       timestamptz NOT NULL,
    page       text        NOT NULL,
    views      bigint      NOT NULL,
    PRIMARY KEY (account_id, report_id, hour, page)
) WITH (fillfactor = 50); -- a row is updated each second
CREATE INDEX page_view_hours_hour ON page_view_hours (hour, account_id, report_id);

-- +goose Down
DROP TABLE page_view_hours;
