-- Signed heads are published in the order of their positions (audit/publish), those that were signed together at once.

-- +goose Up
SET LOCAL lock_timeout = '3s';
CREATE INDEX audit_checkpoints_position_idx ON audit_checkpoints (epoch, position);

-- +goose Down
DROP INDEX audit_checkpoints_position_idx;
