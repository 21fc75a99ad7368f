package program

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
	"time"

	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/fabric/setup"
	"readiness/platform/folder"
	"readiness/test/testworld"
)

// The tenant and the application of the emulated Fabric.
const (
	Tenant       = "11111111-1111-4111-8111-111111111111"
	fabricClient = "33333333-3333-4333-8333-333333333333"
)

// OverFabric makes the program read the workspaces over REST, from an emulator in this process at which the people sign
// in.
func (c *Program) OverFabric(people []string, change func(*emulator.Options)) *emulator.Service {
	c.T.Helper()
	accounts := "accounts:\n  - accountId: acme\n    plan: Enterprise\n    settings: {fabricWrites: true}\n    people:\n"
	service, issuer := c.Emulate(people, change)
	for _, p := range people {
		accounts += fmt.Sprintf("      - {issuer: %s, person: %s/%s, role: admin}\n", issuer, Tenant, emulator.User{Name: p}.ID())
	}
	testworld.Check(c.T, os.WriteFile(c.Args[slices.Index(c.Args, "--accounts")+1], []byte(accounts), 0o600))
	return service
}

// Emulate starts an emulator in this process and makes the program use it, with accounts that have yet to be written. The people
// sign in at the issuer.
func (c *Program) Emulate(people []string, change func(*emulator.Options)) (service *emulator.Service, issuer string) {
	c.T.Helper()
	behind, err := folder.Open(c.Root, folder.Options{})
	testworld.Check(c.T, err)
	c.Entra, err = emulator.NewEntra(fabricClient, time.Now)
	testworld.Check(c.T, err)
	var users []emulator.User
	for _, p := range people {
		users = append(users, emulator.User{Name: p})
	}
	c.Entra.SetPeople(users...)
	o := emulator.Options{Folder: behind, Person: c.Entra.Person}
	change(&o)
	service = emulator.New(o)
	listener, err := (&net.ListenConfig{}).Listen(c.T.Context(), "tcp", "127.0.0.1:0")
	testworld.Check(c.T, err)
	url := "https://" + listener.Addr().String()
	c.Entra.SetAddress(url)
	certificate, err := emulator.NewCertificate(time.Now())
	testworld.Check(c.T, err)
	ctx, stop := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		testworld.Check(c.T, emulator.Serve(ctx, listener, emulator.Handler(service, c.Entra), certificate, log.New(&strings.Builder{}, "", 0)))
	})
	c.T.Cleanup(func() { stop(); serving.Wait() })

	issuer = url + "/" + Tenant + "/v2.0"
	dir := c.T.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		testworld.Check(c.T, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	set := func(flag, value string) {
		if at := slices.Index(c.Args, flag); at >= 0 {
			c.Args[at+1] = value
			return
		}
		c.Args = append(c.Args, flag, value)
	}
	set("--platform", "fabric")
	set("--fabric-url", url)
	set("--fabric-power-bi-url", url)
	set("--fabric-iq-url", url)
	set("--fabric-authority", url)
	set("--fabric-client-id", fabricClient)
	set("--fabric-tenant", Tenant)
	set("--fabric-secret-file", write("secret.txt", "secret"))
	set("--issuer", issuer)
	set("--audience", fabricClient)
	set("--ca-file", write("ca.pem", string(certificate.Cert)))
	return service, issuer
}

// WritesToFabric turns writing on, in a tenant whose definitions show everything.
func (c *Program) WritesToFabric() {
	c.T.Helper()
	file := filepath.Join(c.T.TempDir(), "answers.json")
	testworld.Check(c.T, setup.KeepAnswers(file, Tenant, fabric.Answers{ProbedAt: time.Now(), Passed: true, CopilotShown: true}))
	c.Args = append(c.Args, "--fabric-writes", "--fabric-answers", file)
}

// MintEnding returns a token of ada's that was issued long ago and ends after the time.
func (c *Program) MintEnding(after time.Duration) string {
	c.T.Helper()
	const life = 2 * time.Hour
	made, err := c.Entra.SignInAt(Tenant, emulator.User{Name: "ada"}.ID(), time.Now().Add(after-life), life)
	testworld.Check(c.T, err)
	return made
}

// MintAt returns a token of ada's that was issued at the time.
func (c *Program) MintAt(at time.Time) string {
	c.T.Helper()
	made, err := c.Entra.SignInAt(Tenant, emulator.User{Name: "ada"}.ID(), at, 2*time.Hour)
	testworld.Check(c.T, err)
	return made
}
