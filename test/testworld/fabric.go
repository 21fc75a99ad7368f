package testworld

import (
	"context"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"readiness/commands"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/platform/reads"
	"readiness/work"
)

// Platform is what a test needs of the platform.
type Platform interface {
	commands.Platform
	commands.Permissions
	work.Platform
}

// chosen returns the world's folder or, if READINESS_TEST_PLATFORM is fabric, what reads and writes the same folder over
// Fabric's REST interface and its emulator.
func (w *World) chosen(t testing.TB) Platform {
	t.Helper()
	if os.Getenv("READINESS_TEST_PLATFORM") != "fabric" {
		return w.Folder
	}
	f := w.Folder
	behind, err := folder.Open(w.Root, folder.Options{})
	Check(t, err)
	var scopes []string
	for _, all := range fabric.Scopes {
		for _, s := range all {
			scopes = append(scopes, s[strings.LastIndexByte(s, '/')+1:])
		}
	}
	server := httptest.NewTLSServer(emulator.New(emulator.Options{
		Folder: behind, PageSize: 3, Lasts: time.Nanosecond, Layout: emulator.Layout{Exact: true},
		Person: func(bearer string) (emulator.Person, error) {
			return emulator.Person{ID: strings.TrimPrefix(bearer, bearerOf), Scopes: scopes}, nil
		},
	}))
	t.Cleanup(server.Close)
	p, err := fabric.New(fabric.Options{
		URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
		ShowsCopilot: true, Reads: reads.Store{Pool: w.Pool}, Exports: reads.Exports{Pool: w.Pool},
		Writing: func(context.Context, item.Caller) error { return nil },
		Wait:    func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Tokens: func(ctx context.Context, as item.Caller, _ item.Permission) (string, error) {
			access, err := f.Access(ctx, as)
			if err == nil {
				err = item.Permitted(access)
			}
			return bearerOf + as.Person.ID, err
		},
	})
	Check(t, err)
	return overREST{p, f}
}

// bearerOf begins the token of a person, who may have no name.
const bearerOf = "as "

// overREST reads and writes over REST. Who granted what is what the accounts declare.
type overREST struct {
	*fabric.Platform
	folder *folder.Platform
}

func (p overREST) Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
	return p.folder.Access(ctx, as)
}
