-- Reads of definitions that a remote platform has begun and not finished (platform/reads).

-- +goose Up

-- Not logged: after a crash of the server a read begins again.
CREATE UNLOGGED TABLE pending_reads (
    operation_id uuid        NOT NULL, -- of the service
    issuer       text        COLLATE "C" NOT NULL,
    person       text        COLLATE "C" NOT NULL,
    item_id      uuid        NOT NULL,
    remote       text        NOT NULL, -- the operation of the platform
    begun        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (operation_id, issuer, person, item_id)
);

-- +goose Down
DROP TABLE pending_reads;
