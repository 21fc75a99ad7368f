package clientcmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"readiness/client"
	"readiness/cmd/readiness/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
)

// maxSecret bounds a token or key that is read, in bytes.
const maxSecret = 64 << 10

func (c *calls) loginCommand() *cobra.Command {
	var baseURL, tokenFile string
	cmd := &cobra.Command{
		Use:   "login --base-url URL [--token-file FILE]",
		Short: "Store the address of a service and a token in a profile",
		Long: `Reads an access token from stdin or from --token-file, checks that the service accepts it, and stores it in the profile
with the service's address. The token is never shown. When it expires, log in again with a new one.`,
		Example: `  readiness token --account contoso --person ada | readiness client login --base-url http://127.0.0.1:8080
  readiness client login --base-url https://readiness.example.com --token-file token.txt --profile contoso`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := client.CheckBaseURL(baseURL); err != nil {
				return cli.Usage("--base-url: %s", strings.TrimPrefix(err.Error(), "client: "))
			}
			path, err := c.profilePath()
			if err != nil {
				return err
			}
			token, err := c.readSecret(cmd.InOrStdin(), tokenFile, "token")
			if err != nil {
				return err
			}
			to := profile{baseURL, token}
			s, err := c.open(to)
			if err != nil {
				return err
			}
			if unsealed(baseURL) {
				fmt.Fprintf(c.program.Stderr, "readiness: warning: %s is not https: others on the network can read the token\n", baseURL)
			}
			got, err := s.GetAccountWithResponse(cmd.Context())
			if err != nil {
				return c.readable(cmd.Context(), err)
			}
			if err := to.write(path); err != nil {
				return err
			}
			return c.answered(got.Body, func(s *sheet.Sheet) {
				s.Say("Profile %s calls %s in account %s as %s", c.profile, baseURL, cli.Printable(got.JSON200.AccountID),
					cli.Printable(string(got.JSON200.API.Role)))
			})
		},
	}
	cmd.Flags().StringVar(&baseURL, "base-url", "", "address of the service")
	cmd.Flags().StringVar(&tokenFile, "token-file", "", "file that holds the token, instead of stdin")
	return cmd
}

// readSecret reads a token or a key from a file, or from stdin if file is "" or "-". On a terminal it prompts for it.
func (c *calls) readSecret(stdin io.Reader, file, what string) (string, error) {
	if file != "" && file != "-" {
		f, err := os.Open(file) //nolint:gosec // the user's own file
		if err != nil {
			return "", err
		}
		defer f.Close()
		stdin = f
	} else if f, ok := stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) { //nolint:gosec // a file descriptor is small
		fmt.Fprintf(c.program.Stderr, "%s (not shown): ", what)
		text, err := term.ReadPassword(int(f.Fd())) //nolint:gosec // a file descriptor is small
		fmt.Fprintln(c.program.Stderr)
		if err != nil {
			return "", err
		}
		stdin = strings.NewReader(string(text))
	}
	text, err := io.ReadAll(io.LimitReader(stdin, maxSecret+1))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" || len(secret) > maxSecret || strings.ContainsFunc(secret, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", fmt.Errorf("the input is not a %s: it must be one line of visible ASCII characters", what)
	}
	return secret, nil
}

// unsealed reports whether others on the network can read what is sent to the address.
func unsealed(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme == "https" || u.Hostname() == "localhost" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip == nil || !ip.IsLoopback()
}

func (c *calls) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Delete a profile with its token",
		Long:  "Deletes the profile. The token stays valid until it expires; only its issuer can revoke it.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := c.profilePath()
			if err != nil {
				return err
			}
			if err := os.Remove(path); err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("there is no profile %s", c.profile)
				}
				return err
			}
			fmt.Fprintf(c.program.Stderr, "readiness: profile %s is deleted\n", c.profile)
			return nil
		},
	}
}
