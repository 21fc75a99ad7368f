package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/domain/item"
	"readiness/http/console/signin"
	"readiness/http/token"
	"readiness/internal/postgres"
)

// maxTokenLife bounds the life of a token of the embedded issuer.
const maxTokenLife = 366 * 24 * time.Hour

func (r *root) tokenCommand() *cobra.Command {
	var (
		flags                     databaseFlags
		accountID, person, scopes string
		console                   string
		life                      time.Duration
		force                     bool
	)
	c := &cobra.Command{
		Use:   "token --account ID --person NAME",
		Short: "Create an access token of the embedded issuer",
		Long: `Prints an access token of the embedded issuer, and nothing else, to stdout. The issuer's key is in the data directory:
anyone who can read it can act as any person, so use the embedded issuer on a single machine only. The service creates
the key when it starts; this command does not.

The account must know the person; the command looks that up in the database, also while a service is running. --force
skips the lookup; the service refuses an unknown person when the token is used.`,
		Example: `  TOKEN=$(readinessd token --account contoso --person ada)
  readinessd token --account contoso --person linus --scopes Service.Read.All --expires 15m
  readinessd token --console http://127.0.0.1:8080`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if console != "" {
				return r.printTrial(console, flags.data)
			}
			if accountID == "" || person == "" {
				return cli.Usage("token needs --account and --person")
			}
			if life <= 0 || life > maxTokenLife {
				return cli.Usage("--expires must be more than 0 and at most %s", maxTokenLife)
			}
			granted := strings.Fields(scopes)
			for _, s := range granted {
				if !slices.Contains([]string{token.ScopeRead, token.ScopeReadWrite}, s) {
					return cli.Usage("--scopes: %q must be %s or %s", s, token.ScopeRead, token.ScopeReadWrite)
				}
			}
			issuer, err := token.FindIssuer(flags.data)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("the data directory %s has no key of the embedded issuer; name the service's data directory with "+
					"--data, or start the service, which creates the key", flags.data)
			} else if err != nil {
				return err
			}
			if !force {
				if err := r.knows(c.Context(), flags, accountID, person); err != nil {
					return err
				}
			}
			signed, err := issuer.Mint(accountID, person, granted, time.Now(), life)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(r.Stdout, signed)
			return err
		},
	}
	flags.add(c.Flags())
	c.Flags().StringVar(&console, "console", "", "print, instead of a token, an address that lets one browser try the console at this "+
		"address, for 10 minutes")
	c.Flags().BoolVar(&force, "force", false, "create the token without checking that the account knows the person")
	c.Flags().StringVar(&accountID, "account", "", "account that the token selects")
	c.Flags().StringVar(&person, "person", "", "person that the token identifies, as named in the accounts file")
	c.Flags().StringVar(&scopes, "scopes", token.ScopeRead+" "+token.ScopeReadWrite, "scopes, separated by spaces")
	c.Flags().DurationVar(&life, "expires", time.Hour, "how long the token is valid")
	return c
}

// printTrial prints an address that lets a browser try the console at a base address.
func (r *root) printTrial(base, data string) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return cli.Usage("--console must be the address of the console, such as http://127.0.0.1:8080, not %q", base)
	}
	if there, err := hasKey(data); err != nil {
		return err
	} else if !there {
		return fmt.Errorf("the data directory %s has no %s; name the service's data directory with --data", data, keyFile)
	}
	secrets, err := openSecrets(data)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(r.Stdout, signin.Address(strings.TrimRight(base, "/"), trialKey(secrets), time.Now()))
	return err
}

// knows returns an error unless the account knows the person of the embedded issuer.
func (r *root) knows(ctx context.Context, flags databaseFlags, accountID, person string) error {
	if flags.url == "" && !postgres.Exists(flags.data) {
		return fmt.Errorf("the data directory %s holds no database to look up %q in; name the service's database with --database-url, or "+
			"use --force", flags.data, person)
	}
	return r.operate(ctx, flags, func(url string) error {
		core, err := openCore(ctx, url, flags.connections, false, r.Log)
		if err != nil {
			return err
		}
		defer core.close()
		secrets, err := openSecrets(flags.data)
		if err != nil {
			return err
		}
		if err := core.know(secrets); err != nil {
			return err
		}
		members, err := core.views.Members(ctx, item.Person{ID: person})
		if err != nil {
			return err
		}
		of := make([]string, len(members))
		for i, m := range members {
			of[i] = m.AccountID
		}
		switch {
		case slices.Contains(of, accountID):
			return nil
		case len(of) == 0:
			return fmt.Errorf("no account knows a person %q of the embedded issuer; add the person to the accounts file and apply it "+
				"(readinessd accounts apply FILE), or use --force", person)
		}
		return fmt.Errorf("the account %q does not know %q; accounts that do: %s", accountID, person, strings.Join(of, ", "))
	})
}
