package migrations

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
)

// AsApplication makes every new connection of the pool act as the application's role. The role may
// read the event log and add to it, but not change or delete events or signed heads, even where the log's trigger is
// missing or off. It owns no table, so it cannot change the schema either. On a server where Up's user
// may not create roles, connections keep their role and only the trigger guards the log.
func AsApplication(config *pgxpool.Config) {
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx,
			`SELECT set_config('role', rolname, false) FROM pg_roles WHERE rolname = 'readiness_app' AND pg_has_role(oid, `+maySet+`)`)
		return err
	}
}

// grant creates the application's role and grants it its rights, on existing tables and on those that
// this user will add. Roles belong to the server, not to the database, so another database may have
// created the role, even at the same time.
func grant(ctx context.Context, url string) error {
	conn, err := database.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err = conn.Exec(ctx, makeRole); err == nil {
		_, err = conn.Exec(ctx, grants)
	}
	if err != nil {
		return fmt.Errorf("migrations: rights of the application's role: %w", err)
	}
	return nil
}

// maySet is the privilege to act as a role; before PostgreSQL 16 every member had it.
const maySet = `CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END`

const makeRole = `
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'readiness_app') THEN
        CREATE ROLE readiness_app NOLOGIN;
    END IF;
    IF NOT pg_has_role('readiness_app', ` + maySet + `) THEN
        GRANT readiness_app TO CURRENT_USER;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
END $$`

// grants waits for another process that runs it, or that was killed while running it: the server fails
// concurrent changes of one table's rights.
const grants = `
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'readiness_app') THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('readiness: rights of the application''s role', 0));
    GRANT USAGE ON SCHEMA public TO readiness_app;
    BEGIN
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO readiness_app', current_database());
    EXCEPTION WHEN insufficient_privilege THEN NULL; -- PUBLIC has the right by default
    END;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO readiness_app;
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO readiness_app;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO readiness_app;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO readiness_app;
    REVOKE UPDATE, DELETE, TRUNCATE ON events FROM readiness_app;
    REVOKE DELETE, TRUNCATE ON streams FROM readiness_app;
    REVOKE UPDATE, DELETE, TRUNCATE ON account_keys FROM readiness_app;
    GRANT EXECUTE ON FUNCTION erase_account_key(text) TO readiness_app;
    REVOKE UPDATE, DELETE, TRUNCATE ON audit_epochs, audit_checkpoints FROM readiness_app;
    REVOKE DELETE, TRUNCATE ON audit_trees, audit_tiles FROM readiness_app;
END $$`
