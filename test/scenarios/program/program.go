package program

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/http/token"
	"readiness/internal/postgres"
	"readiness/platform/fabric/emulator"
	"readiness/test/testworld"
)

var seed = flag.Uint64("crash.seed", 1, "seed of the instants at which the crash tests kill; 0 chooses one at random")

// PollPause is the pause between two reads of an operation.
const PollPause = 30 * time.Millisecond

// Program is the program with a folder of one workspace, and its processes one after another.
type Program struct {
	T        *testing.T
	Binary   string // path of the program
	Data     string
	Args     []string // of serve
	Env      []string // of every process, beside that of the test
	Database []string // flags with which commands reach the database
	Seed     uint64
	Random   *rand.Rand // of the instants of kills

	testworld.Disk        // of the workspaces
	Cluster        string // of the PostgreSQL that is killed

	Base, Token string
	Entra       *emulator.Entra // where people sign in; nil for the program's own issuer
	WorkspaceID uuid.UUID
	Models      []uuid.UUID
	Key         int
	Runs        []uuid.UUID // accepted
	done        int         // how many of them are known to have ended
	Lives       []*Process
	Last        map[string]any // answer
}

// New returns the program with its own workspace and an account of the named people.
func New(t *testing.T, people []string, database ...string) *Program {
	t.Helper()
	dir, err := os.MkdirTemp("", "readiness-crash-") // one that another user, PostgreSQL's, may enter
	testworld.Check(t, err)
	t.Cleanup(func() { RemoveAll(t, dir) })
	testworld.Check(t, os.Chmod(dir, 0o711))
	program, err := service()
	testworld.Check(t, err)
	c := &Program{
		T: t, Binary: program, Data: filepath.Join(dir, "data"), Disk: testworld.Disk{Root: filepath.Join(dir, "workspaces")}, Database: database, Seed: *seed,
		WorkspaceID: uuid.New(),
	}
	c.Cluster = filepath.Join(c.Data, "cluster")
	if c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	c.Random = rand.New(rand.NewPCG(c.Seed, 0))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with -crash.seed %d", c.Seed)
		}
	})
	c.Workspace(t, testworld.Workspace{ID: c.WorkspaceID, Name: "Retail"})
	accounts := filepath.Join(dir, "accounts.yaml")
	text := "accounts:\n  - accountId: acme\n    plan: Enterprise\n    people:\n"
	for _, person := range people {
		text += fmt.Sprintf("      - {person: %s, role: admin}\n", person)
	}
	testworld.Check(t, os.WriteFile(accounts, []byte(text), 0o644))
	c.Args = append([]string{"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "", "--platform", "folder:" + c.Root, "--accounts", accounts, "--data", c.Data, "--workers", "2"}, database...)
	c.Database = append([]string{"--data", c.Data}, database...)
	return c
}

// RemoveAll removes a folder to which the PostgreSQL of a killed service may still write for a moment.
func RemoveAll(t *testing.T, dir string) {
	t.Helper()
	began := time.Now()
	for err := os.RemoveAll(dir); err != nil; err = os.RemoveAll(dir) {
		if time.Since(began) > Patience {
			t.Fatalf("after %s the folder was still not removed: %v", Patience, err)
		}
		<-time.After(firstPause)
	}
}

// Put writes a file of the workspace.
func (c *Program) Put(text string, path ...string) {
	c.T.Helper()
	c.PutIn("Retail", text, path...)
}

// PutIn writes a file of the workspace in the folder.
func (c *Program) PutIn(workspace, text string, path ...string) {
	c.T.Helper()
	c.Write(c.T, text, append([]string{workspace}, path...)...)
}

// Mint makes a token of the service's embedded issuer, or of Entra, for the person.
func (c *Program) Mint(person string) string {
	c.T.Helper()
	if c.Entra != nil {
		made, err := c.Entra.SignIn(Tenant, emulator.User{Name: person}.ID(), time.Hour)
		testworld.Check(c.T, err)
		return made
	}
	issuer, err := token.FindIssuer(c.Data)
	testworld.Check(c.T, err)
	made, err := issuer.Mint("acme", person, []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), time.Hour)
	testworld.Check(c.T, err)
	return made
}

// URL returns the address of the database, "" while it is down.
func (c *Program) URL() string {
	if len(c.Database) > 2 {
		return c.Database[3]
	}
	url, _ := postgres.Running(c.Data)
	return url
}

// Query reads one value from the database; ok is false while it does not answer.
func Query[T any](c *Program, sql string, args ...any) (v T, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.URL())
	if err != nil {
		return v, false
	}
	defer conn.Close(ctx)
	return v, conn.QueryRow(ctx, sql, args...).Scan(&v) == nil
}

// Count returns the count that a query selects from the database, which must answer.
func (c *Program) Count(sql string, args ...any) int {
	c.T.Helper()
	n, ok := Query[int](c, sql, args...)
	if !ok {
		c.T.Fatalf("the database does not answer: %s", sql)
	}
	return n
}
