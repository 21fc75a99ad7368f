-- The processes that collect views apart from the database (package collect), with the number of the last of their messages that was counted.
-- The row changes in the transaction that adds the message's views to page_view_hours, so a message counts once however often it arrives.

-- +goose Up
CREATE TABLE page_view_collectors (
    collector  uuid        PRIMARY KEY,
    number     bigint      NOT NULL,
    counted_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE page_view_collectors;
