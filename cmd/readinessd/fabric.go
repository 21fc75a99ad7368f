package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/platform/fabric/setup"
)

func (r *root) fabricCommand() *cobra.Command {
	c := &cobra.Command{Use: "fabric", Short: "Set up the connection to Microsoft Fabric"}
	c.AddCommand(r.fabricCheckCommand(), r.fabricProbeCommand())
	return c
}

func (r *root) fabricCheckCommand() *cobra.Command {
	var application setup.Application
	var tokenFile string
	c := &cobra.Command{
		Use:   "check",
		Short: "Check the connection to Microsoft Fabric, step by step",
		Long: `Checks what "readinessd serve --platform fabric" needs, with the same flags: the configuration, the tenant's sign-in, the
exchange of a person's token for each permission, and one read. It stops at the first step that fails and says what to
do. The exchange needs the token that a person sends to the service, in --token-file; without it the check ends after
the tenant's sign-in. It changes nothing and prints no token.`,
		Example: `  readinessd fabric check --fabric-client-id 3c0f… --fabric-tenant 72f9… --fabric-secret-file secret.txt
  readinessd fabric check --fabric-client-id 3c0f… --fabric-tenant 72f9… --fabric-secret-file secret.txt --token-file token.txt`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := application.Validate(); err != nil {
				return cli.Usage("%w", err)
			}
			if err := application.Trust(); err != nil {
				return err
			}
			token := ""
			if tokenFile != "" {
				text, err := os.ReadFile(tokenFile)
				if token = strings.TrimSpace(string(text)); err == nil && token == "" {
					err = errors.New("the file is empty")
				}
				if err != nil {
					return fmt.Errorf("--token-file: %w", err)
				}
			}
			return application.Check(c.Context(), token, func(step, outcome string) {
				fmt.Fprintf(r.Stdout, "%-14s %s\n", step, cli.Printable(outcome))
			}, r.Log)
		},
	}
	application.AddTo(c.Flags())
	c.Flags().StringVar(&tokenFile, "token-file", "", "file with the token that a person sends to the service")
	return c
}
