package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/domain/account"
	"readiness/http/console"
	"readiness/http/console/choices"
	"readiness/http/console/signin"
	"readiness/http/token"
	"readiness/internal/pace"
	"readiness/storage/vault"
)

// consoleFlags are the flags of the console.
type consoleFlags struct {
	off                  bool
	clientID, secretFile string
	scopes               []string
}

func (f *consoleFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.off, "no-console", false, "serve the interface without the pages for people")
	flags.StringVar(&f.clientID, "console-client-id", "", "client id of the console at the issuers; its redirect address there is "+
		"the base address followed by /sign-in/callback")
	flags.StringVar(&f.secretFile, "console-client-secret-file", "", "file with the console's secret at the issuers, if it has one")
	flags.StringSliceVar(&f.scopes, "console-scope", nil, "scope that the console asks the issuers for, so that their tokens are for this "+
		"service, such as api://readiness/Service.ReadWrite.All and offline_access; can be repeated")
}

func (f *consoleFlags) check(issuers []string) error {
	if f.clientID != "" && len(issuers) == 0 {
		return cli.Usage("--console-client-id needs --issuer, where people sign in")
	}
	if (len(f.scopes) > 0 || f.secretFile != "") && f.clientID == "" {
		return cli.Usage("--console-scope and --console-client-secret-file need --console-client-id")
	}
	return nil
}

func (f *consoleFlags) secret() (string, error) {
	if f.secretFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(f.secretFile)
	if err != nil {
		return "", fmt.Errorf("--console-client-secret-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// consoleOptions returns the options of the console without its API; nil for no console.
func (s *service) consoleOptions(f serveFlags, issuer *token.Issuer, declared []account.Declaration, at net.Addr) (*console.Options,
	error) {
	if f.console.off {
		return nil, nil
	}
	sessions, err := vault.NewSessions(s.pool, s.secrets.key("console sessions", vault.KeySize))
	if err != nil {
		return nil, err
	}
	o := &console.Options{Sessions: sessions, Choices: choices.NewStore(s.pool), BaseURL: f.baseURL,
		Transport: f.fabric.Transport, Version: cli.Version(), Log: s.log,
		Now: time.Now}
	secret, err := f.console.secret()
	if err != nil {
		return nil, err
	}
	if f.console.clientID != "" {
		for _, address := range signInAddresses(f) {
			o.Issuers = append(o.Issuers, signin.Issuer{URL: address, ClientID: f.console.clientID, ClientSecret: secret,
				Scopes: f.console.scopes})
		}
	}
	if base, err := url.Parse(f.baseURL); issuer != nil && err == nil && signin.Loopback(base.Host) && signin.Loopback(at.String()) {
		mint := func(account, person string, life time.Duration) (string, error) {
			return issuer.Mint(account, person, []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), life)
		}
		o.Trial = &signin.Trial{People: trialPeople(declared), Key: trialKey(s.secrets), Mint: mint}
	}
	return o, nil
}

// trialKey returns the key of the addresses that let a browser use the trial.
func trialKey(s secrets) []byte { return s.key("console trial", sha256.Size) }

// signInAddresses returns the issuers where people sign in: for one of several tenants, that of each tenant.
func signInAddresses(f serveFlags) (all []string) {
	for _, address := range f.issuers {
		if !strings.Contains(address, "{tid}") {
			all = append(all, address)
			continue
		}
		for _, tenant := range f.fabric.Tenants {
			all = append(all, strings.ReplaceAll(address, "{tid}", tenant))
		}
	}
	return all
}

// trialPeople returns the people of the embedded issuer in the accounts file.
func trialPeople(declared []account.Declaration) (people []signin.TrialPerson) {
	for _, d := range declared {
		for _, p := range d.People {
			if p.Person.Issuer == "" {
				people = append(people, signin.TrialPerson{Account: d.AccountID, Name: p.Person.ID, Role: string(p.Role)})
			}
		}
	}
	return people
}

// sweepConsole returns a function that deletes ended sessions, and the choices about expired previews, every 10 minutes until ctx ends.
func (s *service) sweepConsole(o *console.Options) func(context.Context) {
	return func(ctx context.Context) {
		for range pace.Every(ctx, 10*time.Minute) {
			if err := errors.Join(o.Sessions.Sweep(ctx, time.Now()), o.Choices.Sweep(ctx, time.Now())); err != nil && ctx.Err() == nil {
				s.log.Warn("deleting ended sessions and choices of the console failed", "error", err)
			}
		}
	}
}
