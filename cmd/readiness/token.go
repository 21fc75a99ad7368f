package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"readiness/http/token"
)

// maxTokenLife bounds what the embedded issuer mints.
const maxTokenLife = 366 * 24 * time.Hour

func (r *root) tokenCommand() *cobra.Command {
	var (
		data, accountID, person, scopes string
		life                            time.Duration
	)
	c := &cobra.Command{
		Use:   "token --account ID --person NAME",
		Short: "Make an access token of the embedded issuer",
		Long: `Prints an access token of the embedded issuer, alone on stdout. The issuer's key is in the data directory: whoever may
read it can be anybody, so the embedded issuer is for one machine. A token is made for any name; a person whom no
account knows is refused when the token is used.`,
		Example: `  TOKEN=$(readiness token --account contoso --person ada)
  readiness token --account contoso --person linus --scopes Service.Read.All --expires 15m`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if accountID == "" || person == "" {
				return usage("token needs --account and --person")
			}
			if life <= 0 || life > maxTokenLife {
				return usage("--expires must be more than 0 and at most %s", maxTokenLife)
			}
			granted := strings.Fields(scopes)
			for _, s := range granted {
				if !slices.Contains([]string{token.ScopeRead, token.ScopeReadWrite}, s) {
					return usage("--scopes: %q is none of %s, %s", s, token.ScopeRead, token.ScopeReadWrite)
				}
			}
			issuer, err := token.OpenIssuer(data)
			if err != nil {
				return err
			}
			signed, err := issuer.Mint(accountID, person, granted, time.Now(), life)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(r.stdout, signed)
			return err
		},
	}
	dataFlag(c.Flags(), &data)
	c.Flags().StringVar(&accountID, "account", "", "account the token picks")
	c.Flags().StringVar(&person, "person", "", "person the token stands for, as the accounts file names them")
	c.Flags().StringVar(&scopes, "scopes", token.ScopeRead+" "+token.ScopeReadWrite, "scopes, separated by spaces")
	c.Flags().DurationVar(&life, "expires", time.Hour, "how long the token is valid")
	return c
}
