-- Bodies of documents in a bucket (package documents). The row is what events name: it has a body, or the key of an object and an empty body.
-- An object is written once, under a key of its own, so none is shared by two rows. document_objects has the keys of objects that no row
-- names: those that are about to be named, until due, and those that a row no longer names. When due they are condemned and removed; a
-- condemned object is never named again.

-- +goose Up
SET LOCAL lock_timeout = '3s';
ALTER TABLE documents ADD COLUMN object text, ADD CONSTRAINT documents_body_or_object CHECK ((body <> '') = (object IS NULL)) NOT VALID;
CREATE INDEX documents_object ON documents (hash) WHERE object IS NOT NULL;

CREATE TABLE document_objects (
    key       text        PRIMARY KEY,
    due       timestamptz NOT NULL,
    condemned boolean     NOT NULL DEFAULT false
);
CREATE INDEX document_objects_due ON document_objects (due);

-- +goose StatementBegin
CREATE FUNCTION release_document_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO document_objects (key, due) VALUES (OLD.object, now());
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Whoever deletes a row releases its object in the same transaction.
CREATE TRIGGER documents_deleted AFTER DELETE ON documents
    FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION release_document_object();
CREATE TRIGGER documents_moved AFTER UPDATE OF object ON documents
    FOR EACH ROW WHEN (OLD.object IS NOT NULL AND OLD.object IS DISTINCT FROM NEW.object) EXECUTE FUNCTION release_document_object();

-- +goose Down
-- +goose StatementBegin
DO $$ BEGIN
    IF EXISTS (SELECT FROM documents WHERE object IS NOT NULL) THEN
        RAISE EXCEPTION 'documents are in a bucket: move them back before';
    END IF;
END $$;
-- +goose StatementEnd
DROP TRIGGER documents_deleted ON documents;
DROP TRIGGER documents_moved ON documents;
DROP FUNCTION release_document_object();
DROP TABLE document_objects;
ALTER TABLE documents DROP COLUMN object;
