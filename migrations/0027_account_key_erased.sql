-- Keys of accounts' texts are not changed and not deleted, except by erase_account_key, which acts as the owner of the table: it deletes a
-- key only if the account's last event says that the account was erased.

-- +goose Up
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION account_erased(of text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM account_keys WHERE account_id = of AND key IS NULL)
        AND (SELECT type FROM events WHERE stream = 'account-' || of ORDER BY version DESC LIMIT 1) IS NOT DISTINCT FROM 'account.erased';
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION erase_account_key(of text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (SELECT type FROM events WHERE stream = 'account-' || of ORDER BY version DESC LIMIT 1) IS DISTINCT FROM 'account.erased' THEN
        RAISE EXCEPTION 'the key of account % is kept: the last event of the account does not say that it was erased', of
            USING ERRCODE = 'insufficient_privilege', HINT = 'Run readiness accounts erase.';
    END IF;
    INSERT INTO account_keys (account_id, key) VALUES (of, NULL) ON CONFLICT (account_id) DO UPDATE SET key = NULL;
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION erase_account_key(text) FROM PUBLIC;

-- +goose Down
DROP FUNCTION erase_account_key(text);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION account_erased(of text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM account_keys WHERE account_id = of AND key IS NULL);
END $$;
-- +goose StatementEnd
