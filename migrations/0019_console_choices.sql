-- +goose Up
-- What people decided about the changes of a preview in the console (http/console/choices), and the applies that they started from there. Both
-- expire with the preview.
CREATE TABLE console_choices (
    account_id text        COLLATE "C" NOT NULL,
    preview_id uuid        NOT NULL,
    change_key text        COLLATE "C" NOT NULL,
    verdict    text        NOT NULL CHECK (verdict IN ('open', 'accepted', 'rejected')),
    own_text   text, -- a person's text in place of the proposed one; NULL for none
    person     text        NOT NULL,
    decided_at timestamptz NOT NULL,
    revision   integer     NOT NULL, -- counts the decisions about the change
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, preview_id, change_key)
);
CREATE INDEX console_choices_expires ON console_choices (expires_at);

CREATE TABLE console_applies (
    account_id   text        COLLATE "C" NOT NULL,
    preview_id   uuid        NOT NULL,
    operation_id uuid        NOT NULL,
    person       text        NOT NULL,
    started_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (account_id, preview_id, operation_id)
);
CREATE INDEX console_applies_expires ON console_applies (expires_at);

-- +goose Down
DROP TABLE console_applies;
DROP TABLE console_choices;
