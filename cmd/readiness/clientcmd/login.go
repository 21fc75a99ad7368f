package clientcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
)

// maxSecret bounds a token or key that is read, in bytes.
const maxSecret = 64 << 10

// loginFlags are the flags of login.
type loginFlags struct {
	baseURL, tokenFile, claims string
	signedIn
}

func (c *calls) loginCommand() *cobra.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use:   "login --base-url URL [--issuer ISSUER --client-id ID] [--token-file FILE]",
		Short: "Sign in, or store a token, in a profile",
		Long: `With --issuer, signs you in there with a browser on this machine or, with --device, with a code that you enter on another
one. The issuer's own page asks for your password; this program never sees it. The profile keeps the tokens, and commands
renew them until the issuer ends the sign-in. At the issuer, --client-id is a public client whose redirect address is
http://localhost/callback. Without --base-url, signs in again as the profile says.

Otherwise reads an access token from stdin or from --token-file. When it expires, log in again with a new one.

The token is stored with the service's address if the service accepts it, and is never shown.`,
		Example: `  readiness client login --base-url https://readiness.example.com --issuer https://login.example.com/tenant/v2.0 \
      --client-id 5b1f… --scope api://readiness/Service.ReadWrite.All
  readiness client login --device --base-url https://readiness.example.com --issuer https://login.example.com --client-id readiness
  readinessd token --account contoso --person ada | readiness client login --base-url http://127.0.0.1:8080
  readiness client login --base-url https://readiness.example.com --token-file token.txt --profile contoso`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := c.profilePath()
			if err != nil {
				return err
			}
			to, err := c.loginTo(cmd, f, path)
			if err != nil {
				return err
			}
			return c.logIn(cmd, f, to, path)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.baseURL, "base-url", "", "address of the service")
	flags.StringVar(&f.tokenFile, "token-file", "", "file that holds the token, instead of stdin")
	flags.StringVar(&f.Issuer, "issuer", "", "where to sign in: the issuer, exactly as its tokens name it")
	flags.StringVar(&f.ClientID, "client-id", "", "client id of this program at the issuer, a public client")
	flags.StringSliceVar(&f.Scopes, "scope", []string{"Service.ReadWrite.All"}, "scope to ask the issuer for, besides openid and "+
		"offline_access; can be repeated")
	flags.BoolVar(&f.Device, "device", false, "sign in with a code that you enter on another device")
	flags.StringVar(&f.CAFile, "ca-file", "", "PEM file with certificate authorities to trust, besides the system's")
	flags.StringVar(&f.claims, "claims", "", "claims that the issuer must require, from the service's refusal")
	return cmd
}

// loginTo returns the profile to sign in to, from the flags or, without an address, from the existing profile.
func (c *calls) loginTo(cmd *cobra.Command, f loginFlags, path string) (profile, error) {
	if f.baseURL == "" && f.Issuer == "" {
		kept, err := c.readProfile(path)
		if err == nil && kept.SignedIn != nil {
			if cmd.Flags().Changed("device") {
				kept.SignedIn.Device = f.Device
			}
			return kept, nil
		}
	}
	if err := client.CheckBaseURL(f.baseURL); err != nil {
		return profile{}, cli.Usage("--base-url: %s", strings.TrimPrefix(err.Error(), "client: "))
	}
	to := profile{BaseURL: f.baseURL}
	switch {
	case f.Issuer == "" && (f.ClientID != "" || f.Device || f.claims != ""):
		return to, cli.Usage("--client-id, --device and --claims need --issuer")
	case f.Issuer == "":
		return to, nil
	case f.ClientID == "":
		return to, cli.Usage("--issuer needs --client-id, the id of this program at the issuer")
	case f.tokenFile != "":
		return to, cli.Usage("--token-file and --issuer cannot be combined")
	}
	kept := f.signedIn
	kept.Scopes = append([]string{"openid", "offline_access"}, f.Scopes...)
	if kept.CAFile != "" { // the profile is used from other directories
		var err error
		if kept.CAFile, err = filepath.Abs(kept.CAFile); err != nil {
			return to, err
		}
	}
	to.SignedIn = &kept
	return to, nil
}

// logIn gets the token, checks that the service accepts it, and stores it.
func (c *calls) logIn(cmd *cobra.Command, f loginFlags, to profile, path string) error {
	unlock, err := c.lock(cmd.Context(), path)
	if err != nil {
		return err
	}
	defer unlock()
	var transport http.RoundTripper
	if to.SignedIn == nil {
		to.Token, err = c.readSecret(cmd.InOrStdin(), f.tokenFile, "token")
	} else if transport, err = to.SignedIn.transport(); err == nil {
		err = c.signIn(cmd.Context(), &to, f.claims)
	}
	if err != nil {
		return err
	}
	s, err := c.open(to, transport)
	if err != nil {
		return err
	}
	if unsealed(to.BaseURL) {
		fmt.Fprintf(c.program.Stderr, "readiness: warning: %s is not https: others on the network can read the token\n", to.BaseURL)
	}
	got, err := s.GetAccountWithResponse(cmd.Context())
	if err != nil {
		return c.readable(cmd.Context(), err)
	}
	if err := to.write(path); err != nil {
		return err
	}
	return c.answered(got.Body, func(s *sheet.Sheet) {
		s.Say("Profile %s calls %s in account %s as %s", c.profile, to.BaseURL, cli.Printable(got.JSON200.AccountID),
			cli.Printable(string(got.JSON200.API.Role)))
	})
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

// unsealed reports whether others on the network can read requests to the address.
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
		Long: `Deletes the profile. A sign-in at an issuer is ended there, if the issuer has an endpoint for that. An access token stays
valid until it expires; only its issuer can revoke it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := c.profilePath()
			if err != nil {
				return err
			}
			unlock, err := c.lock(cmd.Context(), path)
			if err != nil {
				return err
			}
			defer unlock()
			kept, unreadable := c.readProfile(path)
			if err := os.Remove(path); err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("there is no profile %s", c.profile)
				}
				return err
			}
			switch {
			case unreadable != nil:
				fmt.Fprintf(c.program.Stderr, "readiness: a sign-in that the profile may have had was not ended, since it cannot be read: %v\n", unreadable)
			case kept.SignedIn != nil && kept.SignedIn.Refresh != "":
				c.revoke(cmd.Context(), kept.SignedIn)
			}
			fmt.Fprintf(c.program.Stderr, "readiness: profile %s is deleted\n", c.profile)
			return nil
		},
	}
}

// revoke ends a sign-in at its issuer, and reports it if that is not possible.
func (c *calls) revoke(ctx context.Context, s *signedIn) {
	provider, err := c.provider(ctx, s)
	ended := false
	if err == nil {
		ended, err = provider.Revoke(ctx, s.Refresh)
	}
	switch {
	case err != nil:
		fmt.Fprintf(c.program.Stderr, "readiness: the sign-in is not ended at the issuer: %s\n", cli.Printable(err.Error()))
	case !ended:
		fmt.Fprintf(c.program.Stderr, "readiness: %s has no endpoint that ends a sign-in; the sign-in there expires by itself\n",
			cli.Printable(s.Issuer))
	}
}
