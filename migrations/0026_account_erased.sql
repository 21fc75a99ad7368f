-- Whether an account was erased: its key is gone, and nothing is appended for it any more. The function is volatile, so that it sees what was
-- committed until it is called, and not only until the statement that calls it began: an append calls it under the lock that erasing holds.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION account_erased(of text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM account_keys WHERE account_id = of AND key IS NULL);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION account_erased(text);
