package program_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/internal/testlog"
	"readiness/platform/fabric"
	"readiness/platform/fabric/fabrictest"
	"readiness/platform/fabric/setup"
	"readiness/platform/folder"
)

// The tenant and the application of the emulated Fabric.
const (
	fabricTenant = "11111111-1111-4111-8111-111111111111"
	fabricClient = "33333333-3333-4333-8333-333333333333"
)

// objectOf returns the id of a person in the tenant.
func objectOf(person string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("person/"+person)).String()
}

// overFabric makes the program read the workspaces over REST, from an emulator in this process at which the people sign
// in.
func (c *crash) overFabric(people []string, change func(*fabrictest.Options)) *fabrictest.Service {
	c.t.Helper()
	accounts := "accounts:\n  - accountId: acme\n    plan: Enterprise\n    settings: {fabricWrites: true}\n    people:\n"
	service, issuer := c.emulate(people, change)
	for _, p := range people {
		accounts += fmt.Sprintf("      - {issuer: %s, person: %s/%s, role: admin}\n", issuer, fabricTenant, objectOf(p))
	}
	check(c.t, os.WriteFile(c.args[slices.Index(c.args, "--accounts")+1], []byte(accounts), 0o600))
	return service
}

// emulate starts an emulator in this process and makes the program use it, with accounts that have yet to be written. The people
// sign in at the issuer.
func (c *crash) emulate(people []string, change func(*fabrictest.Options)) (service *fabrictest.Service, issuer string) {
	c.t.Helper()
	behind, err := folder.Open(c.Root, folder.Options{})
	check(c.t, err)
	c.entra, err = fabrictest.NewEntra(fabricClient, time.Now)
	check(c.t, err)
	var users []fabrictest.User
	for _, p := range people {
		users = append(users, fabrictest.User{Name: p, Object: objectOf(p)})
	}
	c.entra.SetPeople(users...)
	o := fabrictest.Options{Folder: behind, Person: c.entra.Person}
	change(&o)
	service = fabrictest.New(o)
	listener, err := (&net.ListenConfig{}).Listen(c.t.Context(), "tcp", "127.0.0.1:0")
	check(c.t, err)
	url := "https://" + listener.Addr().String()
	c.entra.SetAddress(url)
	certificate, err := fabrictest.NewCertificate(time.Now())
	check(c.t, err)
	ctx, stop := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		check(c.t, fabrictest.Serve(ctx, listener, fabrictest.Handler(service, c.entra), certificate, log.New(&strings.Builder{}, "", 0)))
	})
	c.t.Cleanup(func() { stop(); serving.Wait() })

	issuer = url + "/" + fabricTenant + "/v2.0"
	dir := c.t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		check(c.t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	set := func(flag, value string) {
		if at := slices.Index(c.args, flag); at >= 0 {
			c.args[at+1] = value
			return
		}
		c.args = append(c.args, flag, value)
	}
	set("--platform", "fabric")
	set("--fabric-url", url)
	set("--fabric-power-bi-url", url)
	set("--fabric-iq-url", url)
	set("--fabric-authority", url)
	set("--fabric-client-id", fabricClient)
	set("--fabric-tenant", fabricTenant)
	set("--fabric-secret-file", write("secret.txt", "secret"))
	set("--issuer", issuer)
	set("--audience", fabricClient)
	set("--ca-file", write("ca.pem", string(certificate.Cert)))
	return service, issuer
}

// writesToFabric turns writing on, in a tenant whose definitions show everything.
func (c *crash) writesToFabric() {
	c.t.Helper()
	file := filepath.Join(c.t.TempDir(), "answers.json")
	check(c.t, setup.KeepAnswers(file, fabricTenant, fabric.Answers{ProbedAt: time.Now(), Passed: true, CopilotShown: true}))
	c.args = append(c.args, "--fabric-writes", "--fabric-answers", file)
}

// TestKilledReads kills the program while reads of definitions last longer than its steps.
func TestKilledReads(t *testing.T) {
	t.Parallel()
	killReads(t, 3, 3)
}

// TestKilledExport kills the program while a bulk export lasts, and while its answer is read.
func TestKilledExport(t *testing.T) {
	t.Parallel()
	killReads(t, 3, 30)
}

// killReads kills the program that many times in runs over that many models, whose reads last for seconds at the platform.
// Every run ends with all models, and reads that were begun at the platform before a kill continue after it.
func killReads(t *testing.T, kills, models int) {
	t.Helper()
	c := newCrash(t, models, 4, "--database-url", testlog.URL(t))
	service := c.overFabric([]string{"ada"}, func(o *fabrictest.Options) { o.Lasts, o.RetryAfter = 3*time.Second, time.Second })
	c.life(func(context.Context) {})
	c.strike(kills, 4*time.Second, func(lasts time.Duration) (inProgress bool) {
		c.life(func(ctx context.Context) {
			first, cancel := context.WithTimeout(ctx, lasts)
			defer cancel()
			for first.Err() == nil {
				c.accept(first)
				c.wait(first, pollPause)
			}
			// On a slow machine a small part of a run is such a call, so the kill waits for one.
			for began := time.Now(); !inProgress && time.Since(began) < patience; c.wait(ctx, pollPause) {
				n, ok := query[int](c, `SELECT (SELECT count(*) FROM pending_reads) + (SELECT count(*) FROM exports WHERE state = 'begun')`)
				if inProgress = ok && n > 0; !inProgress {
					c.accept(ctx)
				}
			}
		})
		return inProgress
	})
	c.finish()
	c.verify()
	singles, exports, all := 0, 0, len(c.runs)*models
	for _, call := range service.Calls() {
		switch {
		case call.Method == "POST" && strings.HasSuffix(call.Path, "/getDefinition"):
			singles++
		case call.Method == "POST" && strings.HasSuffix(call.Path, "/bulkExportDefinitions"):
			exports++
		}
	}
	t.Logf("seed %d: %d kills over %d runs of %d models: %d single reads, %d exports", c.seed, kills, len(c.runs), models, singles, exports)
	lives := len(c.lives)
	switch { // in each life, two steps can have made a call that they have not recorded
	case models < 4 && (singles < all || singles > all+2*lives || exports > 0):
		t.Errorf("%d reads and %d exports were begun for %d models in %d lives", singles, exports, all, lives)
	case models >= 4 && (exports < len(c.runs) || exports > len(c.runs)+lives || singles > all/2):
		t.Errorf("%d exports and %d reads were begun for %d runs in %d lives", exports, singles, len(c.runs), lives)
	}
	if left, ok := query[int](c, `SELECT (SELECT count(*) FROM pending_reads) + (SELECT count(*) FROM exported_parts)`); !ok || left > 2*lives {
		t.Errorf("%d reads and parts are left", left)
	}
}
