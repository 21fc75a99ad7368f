-- The log (eventstore), who follows it, and the generations of the views folded from it (projections).

-- +goose Up

-- Position 0 is taken here and never used, so that "the last position handed out" is true of an empty log too:
-- the watermark compares it with what appenders hold (architecture 2). CACHE 1: a session that kept numbers
-- back would hand them out under a lock taken for a later one.
CREATE SEQUENCE events_position_seq AS bigint MINVALUE 0 START WITH 0 CACHE 1;
SELECT nextval('events_position_seq');

CREATE TABLE events (
    position       bigint      PRIMARY KEY DEFAULT nextval('events_position_seq'),
    event_id       uuid        NOT NULL UNIQUE,
    account_id     text        COLLATE "C" NOT NULL,
    stream         text        COLLATE "C" NOT NULL,
    version        bigint      NOT NULL CHECK (version > 0),
    type           text        COLLATE "C" NOT NULL,
    schema_version int         NOT NULL CHECK (schema_version > 0),
    data           json        NOT NULL, -- the bytes written, because they are hashed (docs/adr/0001)
    metadata       json        NOT NULL,
    recorded_at    timestamptz NOT NULL,
    hash           bytea       NOT NULL,
    CONSTRAINT events_stream_version_key UNIQUE (stream, version)
);
ALTER SEQUENCE events_position_seq OWNED BY events.position;
CREATE INDEX events_account_id_position_idx ON events (account_id, position);
CREATE INDEX events_type_position_idx ON events (type, position);

-- One row a stream: the version its next event is appended after, and the head of its hash chain.
-- Room is left on each page because every append updates its streams' rows in place.
CREATE TABLE streams (
    stream     text   COLLATE "C" PRIMARY KEY,
    account_id text   COLLATE "C" NOT NULL,
    type       text   COLLATE "C" NOT NULL,
    version    bigint NOT NULL CHECK (version > 0),
    chain      bytea  NOT NULL CHECK (octet_length(chain) = 32)
) WITH (fillfactor = 70);

-- +goose StatementBegin
CREATE FUNCTION events_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the event log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege', HINT = 'Append an event that says what changed.';
END $$;
-- +goose StatementEnd

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION events_are_append_only();
CREATE TRIGGER streams_append_only BEFORE DELETE OR TRUNCATE ON streams
    FOR EACH STATEMENT EXECUTE FUNCTION events_are_append_only();
CREATE TRIGGER streams_only_forward BEFORE UPDATE ON streams FOR EACH ROW
    WHEN (NEW.version <= OLD.version OR NEW.stream <> OLD.stream OR NEW.account_id <> OLD.account_id OR NEW.type <> OLD.type)
    EXECUTE FUNCTION events_are_append_only();

-- How far each follower has come; error is what its handler said about the event after position, while it fails.
CREATE TABLE followers (
    name       text        COLLATE "C" PRIMARY KEY,
    position   bigint      NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    error      text,
    failed_at  timestamptz
);

-- Every set of tables a view was ever built in. At most one generation of a view's version is live.
CREATE TABLE view_generations (
    view       text        COLLATE "C" NOT NULL,
    version    int         NOT NULL,
    generation int         NOT NULL,
    state      text        NOT NULL CHECK (state IN ('building', 'live', 'retired')),
    position   bigint      NOT NULL, -- while building: the log is folded up to here; live, following: see followers
    tables     text[]      NOT NULL,
    error      text,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (view, version, generation)
);
CREATE UNIQUE INDEX view_generations_live_key ON view_generations (view, version) WHERE state = 'live';

-- +goose Down
DROP TABLE view_generations, followers, streams, events;
DROP FUNCTION events_are_append_only();
