package scenarios

import (
	"context"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/commands"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/fabrictest"
	"readiness/platform/folder"
	"readiness/platform/reads"
	"readiness/work"
)

// analytics is what a scenario needs of the platform.
type analytics interface {
	commands.Platform
	commands.Permissions
	work.Platform
}

// chosenPlatform returns the folder or, if READINESS_SCENARIO_PLATFORM is fabric, what reads the same folder through
// Fabric's REST interface and its emulator.
func chosenPlatform(t testing.TB, pool *pgxpool.Pool, root string, f *folder.Platform) analytics {
	t.Helper()
	if os.Getenv("READINESS_SCENARIO_PLATFORM") != "fabric" {
		return f
	}
	behind, err := folder.Open(root, folder.Options{})
	check(t, err)
	var scopes []string
	for _, all := range fabric.Scopes {
		for _, s := range all {
			scopes = append(scopes, s[strings.LastIndexByte(s, '/')+1:])
		}
	}
	server := httptest.NewTLSServer(fabrictest.New(fabrictest.Options{
		Folder: behind, PageSize: 3, Lasts: time.Nanosecond, Layout: fabrictest.Layout{Exact: true},
		Person: func(bearer string) (fabrictest.Person, error) {
			return fabrictest.Person{ID: bearer, Scopes: scopes}, nil
		},
	}))
	t.Cleanup(server.Close)
	p, err := fabric.New(fabric.Options{
		URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
		ShowsCopilot: true, Reads: reads.Store{Pool: pool}, Exports: reads.Exports{Pool: pool},
		Writing: func(context.Context, item.Caller) error { return nil },
		Wait:    func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Tokens: func(ctx context.Context, as item.Caller, _ item.Permission) (string, error) {
			access, err := f.Access(ctx, as)
			if err == nil {
				err = item.Permitted(access)
			}
			return as.Person.ID, err
		},
	})
	check(t, err)
	return overREST{p, f}
}

// overREST reads and writes over REST. Who granted what is what the accounts declare.
type overREST struct {
	*fabric.Platform
	folder *folder.Platform
}

func (p overREST) Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
	return p.folder.Access(ctx, as)
}
