-- Bulk exports of definitions from a remote platform, and what they gave until it is read (platform/reads).

-- +goose Up

-- Not logged: after a crash of the server the definitions are read one by one.
CREATE UNLOGGED TABLE exports (
    id           bigint      GENERATED ALWAYS AS IDENTITY UNIQUE,
    operation_id uuid        NOT NULL, -- of the service
    issuer       text        COLLATE "C" NOT NULL,
    person       text        COLLATE "C" NOT NULL,
    workspace_id uuid        NOT NULL,
    remote       text        NOT NULL DEFAULT '', -- the operation of the platform; '' until it is begun
    state        text        NOT NULL DEFAULT 'begun' CHECK (state IN ('begun', 'ready', 'failed')),
    next         timestamptz NOT NULL, -- when the platform may next be asked for it
    begun        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (operation_id, issuer, person, workspace_id)
);
CREATE INDEX exports_begun ON exports (begun);

CREATE UNLOGGED TABLE exported_items (
    export_id bigint NOT NULL REFERENCES exports (id) ON DELETE CASCADE,
    item_id   uuid   NOT NULL,
    root      text   COLLATE "C" NOT NULL, -- the parts of the item are below it
    PRIMARY KEY (export_id, item_id)
);

CREATE UNLOGGED TABLE exported_parts (
    export_id bigint NOT NULL REFERENCES exports (id) ON DELETE CASCADE,
    path      text   COLLATE "C" NOT NULL,
    data      bytea  NOT NULL,
    PRIMARY KEY (export_id, path)
);

-- +goose Down
DROP TABLE exported_parts;
DROP TABLE exported_items;
DROP TABLE exports;
