-- Merkle trees over the log, their tiles and their signed heads (audit). The tree '' has all events; every other is an account's.

-- +goose Up
SET LOCAL lock_timeout = '3s';

-- An epoch is a history that is only added to. A database that was restored to an earlier time begins another one (audit restart).
CREATE TABLE audit_epochs (
    epoch    int         PRIMARY KEY CHECK (epoch > 0),
    origin   text        NOT NULL, -- of the tree of all events; those of the accounts are below it
    because  text        NOT NULL,
    began_at timestamptz NOT NULL
);

-- One row a tree: its head. The row of the tree '' is locked by whoever makes any of them larger.
CREATE TABLE audit_trees (
    tree         text        COLLATE "C" NOT NULL,
    epoch        int         NOT NULL REFERENCES audit_epochs,
    size         bigint      NOT NULL CHECK (size >= 0),
    position     bigint      NOT NULL, -- of the last event in it
    root         bytea       NOT NULL CHECK (octet_length(root) = 32),
    first_entry  bytea,                -- of an epoch after the first: what the head of the earlier epoch was
    note         text,                 -- the signed head; none while size is 0
    sealed_at    timestamptz NOT NULL, -- of '': when the log was last looked at; of an account: when the head was signed
    announced    bigint      NOT NULL DEFAULT -1, -- the size of the last account.sealed
    announced_on date        NOT NULL,            -- its day; before the first, the day when the tree was begun
    PRIMARY KEY (tree, epoch)
) WITH (fillfactor = 50);

CREATE TABLE audit_tiles (
    tree           text   COLLATE "C" NOT NULL,
    epoch          int    NOT NULL,
    level          int    NOT NULL,
    index          bigint NOT NULL,
    hashes         bytea  NOT NULL CHECK (octet_length(hashes) % 32 = 0 AND octet_length(hashes) BETWEEN 32 AND 8192),
    first_position bigint, -- of level 0: of the events whose entries it has
    last_position  bigint,
    PRIMARY KEY (tree, epoch, level, index),
    FOREIGN KEY (tree, epoch) REFERENCES audit_trees
);
ALTER TABLE audit_tiles ALTER COLUMN hashes SET STORAGE EXTERNAL; -- hashes cannot be compressed
CREATE INDEX audit_tiles_position_idx ON audit_tiles (tree, epoch, first_position) WHERE level = 0;

-- Every head that was ever signed. No tree has two of one size.
CREATE TABLE audit_checkpoints (
    tree      text        COLLATE "C" NOT NULL,
    epoch     int         NOT NULL,
    size      bigint      NOT NULL,
    position  bigint      NOT NULL,
    root      bytea       NOT NULL CHECK (octet_length(root) = 32),
    note      text        NOT NULL,
    signed_at timestamptz NOT NULL,
    PRIMARY KEY (tree, epoch, size),
    FOREIGN KEY (tree, epoch) REFERENCES audit_trees
);

-- +goose StatementBegin
CREATE FUNCTION audit_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the trees of the log only grow: % on % is refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd

CREATE TRIGGER audit_epochs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_epochs
    FOR EACH STATEMENT EXECUTE FUNCTION audit_only_grows();
CREATE TRIGGER audit_checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION audit_only_grows();
CREATE TRIGGER audit_trees_keep BEFORE DELETE OR TRUNCATE ON audit_trees FOR EACH STATEMENT EXECUTE FUNCTION audit_only_grows();
CREATE TRIGGER audit_trees_forward BEFORE UPDATE ON audit_trees FOR EACH ROW
    WHEN (NEW.tree <> OLD.tree OR NEW.epoch <> OLD.epoch OR NEW.size < OLD.size OR NEW.size = OLD.size AND NEW.root <> OLD.root
        OR NEW.first_entry IS DISTINCT FROM OLD.first_entry)
    EXECUTE FUNCTION audit_only_grows();
CREATE TRIGGER audit_tiles_keep BEFORE DELETE OR TRUNCATE ON audit_tiles FOR EACH STATEMENT EXECUTE FUNCTION audit_only_grows();
CREATE TRIGGER audit_tiles_forward BEFORE UPDATE ON audit_tiles FOR EACH ROW
    WHEN (NEW.tree <> OLD.tree OR NEW.epoch <> OLD.epoch OR NEW.level <> OLD.level OR NEW.index <> OLD.index
        OR substr(NEW.hashes, 1, octet_length(OLD.hashes)) <> OLD.hashes)
    EXECUTE FUNCTION audit_only_grows();

-- +goose Down
DROP TABLE audit_checkpoints, audit_tiles, audit_trees, audit_epochs;
DROP FUNCTION audit_only_grows();
