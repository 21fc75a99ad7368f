-- Messages to webhooks (docs/decisions.md 25): what each is sent, and when it is due. The log says what webhooks there are.

-- +goose Up

CREATE TABLE webhook_deliveries (
    account_id text        COLLATE "C" NOT NULL,
    webhook_id uuid        NOT NULL,
    id         uuid        NOT NULL,             -- derived from the webhook and the event
    place      bigint      GENERATED ALWAYS AS IDENTITY, -- a webhook's messages are sent in this order
    message    jsonb       NOT NULL,
    made_at    timestamptz NOT NULL,
    since      timestamptz NOT NULL,             -- when it was first due, or asked for again
    state      text        NOT NULL CHECK (state IN ('Waiting', 'Delivered', 'Parked')),
    attempts   int         NOT NULL DEFAULT 0,
    tried_at   timestamptz,                      -- of the last attempt
    status     int,                              -- what the receiver answered last; NULL for no answer
    reason     text,                             -- why the last attempt did not deliver it
    PRIMARY KEY (webhook_id, id)
);
CREATE INDEX ON webhook_deliveries (webhook_id, place) WHERE state = 'Waiting';
CREATE INDEX ON webhook_deliveries (webhook_id, place);
CREATE INDEX ON webhook_deliveries (since) WHERE state <> 'Waiting';
CREATE INDEX ON webhook_deliveries (account_id);

CREATE TABLE webhook_lanes (
    webhook_id uuid        PRIMARY KEY,
    account_id text        COLLATE "C" NOT NULL,
    due_at     timestamptz,                      -- when its oldest waiting message is sent; NULL while none waits
    failures   int         NOT NULL DEFAULT 0,   -- attempts in a row that failed
    process    int                               -- the key of the process that sends (internal/database); NULL for none
);
CREATE INDEX ON webhook_lanes (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ON webhook_lanes (account_id);

-- Before this, no account had a webhook.
INSERT INTO followers (name, position) SELECT 'webhooks', coalesce(max(position), 0) FROM events ON CONFLICT DO NOTHING;

-- +goose Down
DELETE FROM followers WHERE name = 'webhooks';
DROP TABLE webhook_lanes, webhook_deliveries;
