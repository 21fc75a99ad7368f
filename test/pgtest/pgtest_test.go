package pgtest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/test/pgtest"
)

// childEnv makes the test binary use a database, print its address and wait to be
// killed.
const childEnv = "READINESS_PGTEST_TEST_CHILD"

func TestEachTestHasItsOwnMigratedDatabase(t *testing.T) {
	t.Parallel()
	a, b := pgtest.Pool(t), pgtest.Pool(t)
	if _, err := a.Exec(t.Context(), "CREATE TABLE mine (x int)"); err != nil {
		t.Fatal(err)
	}
	var mine, jobs, events bool
	err := b.QueryRow(t.Context(), "SELECT to_regclass('mine') IS NOT NULL, to_regclass('river_job') IS NOT NULL, to_regclass('events') IS NOT NULL").
		Scan(&mine, &jobs, &events)
	if err != nil {
		t.Fatal(err)
	}
	if mine || !jobs || !events {
		t.Errorf("in the second database: table of the first = %v, of jobs = %v, of events = %v; want false, true, true", mine, jobs, events)
	}
}

func TestDatabaseEndsWithItsTest(t *testing.T) {
	var url string
	t.Run("uses one", func(t *testing.T) {
		url = pgtest.URL(t)
		conn, err := pgx.Connect(t.Context(), url) // never closed
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if conn, err := pgx.Connect(t.Context(), url); err == nil {
		conn.Close(t.Context())
		t.Error("the database is there after its test")
	}
}

func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.EmptyURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var tables int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables); err != nil || tables != 0 {
		t.Errorf("got %d tables, %v, want none", tables, err)
	}
}

func TestChild(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		return // only for the child that TestServerEndsWithAKilledTest kills
	}
	fmt.Println(pgtest.URL(t))
	select {}
}

func TestServerEndsWithAKilledTest(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), exe, "-test.run=^TestChild$")
	child.Env = append(os.Environ(), childEnv+"=1", pgtest.ServerEnv+"=")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var url, cluster string
	if _, err := fmt.Fscanln(out, &url); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), "SHOW data_directory").Scan(&cluster); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(cluster); os.IsNotExist(err) {
			break
		}
		select {
		case <-ctx.Done():
			t.Fatalf("5 minutes after the test was killed, %s is there", cluster)
		case <-tick.C:
		}
	}
	if conn, err := pgx.Connect(t.Context(), url); err == nil {
		conn.Close(t.Context())
		t.Error("the server runs after its test was killed")
	}
}
