-- +goose Up
-- A document with an end, a preview say, is deleted when it has come.
ALTER TABLE documents ADD COLUMN expires_at timestamptz;
CREATE INDEX documents_expires_at ON documents (expires_at) WHERE expires_at IS NOT NULL;

-- +goose Down
ALTER TABLE documents DROP COLUMN expires_at;
