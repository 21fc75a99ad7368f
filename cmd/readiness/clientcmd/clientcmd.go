// Package clientcmd is readiness client: the commands that call a running service as a person, and print its responses as
// tables or as received. Profiles with tokens are files that only their owner can read. It sends a token only to the
// address of its profile.
package clientcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/cmd/readiness/screen"
	"readiness/offline/show"
)

// calls is the client command, which calls a running service for a person.
type calls struct {
	program *cli.Program
	profile string
	config  string // folder of the profiles
	json    bool   // print responses as received
	timeout time.Duration
	// noWait makes commands that start work return without waiting for it.
	noWait bool
}

// Command returns the command client of a program.
func Command(p *cli.Program) *cobra.Command {
	calls := &calls{program: p}
	c := &cobra.Command{
		Use:   "client",
		Short: "Call a running service as a person",
		Long: `Calls a running service with a person's token. login stores the service's address and the token in a profile, a file that
only its owner can read. READINESS_CLIENT_BASE_URL and READINESS_CLIENT_TOKEN together replace the profile;
READINESS_CLIENT_TOKEN alone replaces the profile's token.

Name workspaces, semantic models and reports by id or by name. Commands wait for the work that they start. If you
interrupt one, the work continues in the service; operations wait resumes waiting. Some work continues only while the
person who started it waits: an apply of properties, an apply without a preview, a bundle and its revert, and side B of
an A/B run.

Output is a table; --json prints the service's response instead, one document per page of a long list. A refusal shows
its code, what it concerns and the request id to search for in the service's log; the exit code is 1.`,
		Example: `  readinessd token --account contoso --person ada | readiness client login --base-url http://127.0.0.1:8080
  readiness client assess "Retail Analytics" Inventory
  readiness client preview "Retail Analytics" Inventory descriptions`,
		RunE: cli.NeedsSubcommand,
	}
	flags := c.PersistentFlags()
	flags.StringVar(&calls.profile, "profile", defaultProfile, "profile to use")
	flags.StringVar(&calls.config, "config", "", "folder of the profiles; by default readiness in the user's configuration folder")
	flags.BoolVar(&calls.json, "json", false, "print the service's response as received")
	flags.DurationVar(&calls.timeout, "timeout", time.Minute, "how long to wait for each response")
	c.AddCommand(calls.loginCommand(), calls.logoutCommand(), calls.accountCommand(), calls.membersCommand(), calls.workspacesCommand(),
		calls.modelsCommand(),
		calls.reportsCommand(),
		calls.assessCommand(), calls.assessmentsCommand(), calls.portfolioCommand(), calls.historyCommand(), calls.ownerCommand(), calls.notesCommand(),
		calls.previewCommand(),
		calls.applyCommand(), calls.revertCommand(), calls.pixiesCommand(),
		calls.benchmarkCommand(), calls.abTestsCommand(), calls.schedulesCommand(), calls.providersCommand(), calls.webhooksCommand(),
		calls.operationsCommand(),
		calls.auditCommand())
	calls.complete(c)
	cli.OwnEnvironment(c, "client") // serve has a --base-url too
	return c
}

// run returns a RunE that opens the service, calls do, and reports a refusal in full.
func (c *calls) run(do func(ctx context.Context, s *client.Service, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		to, err := c.login()
		if err != nil {
			return err
		}
		s, err := c.openProfile(to)
		if err != nil {
			return err
		}
		return c.readable(cmd.Context(), do(cmd.Context(), s, args))
	}
}

// open returns the service that a login is for.
func (c *calls) open(to profile, transport http.RoundTripper) (*client.Service, error) {
	if c.timeout <= 0 {
		return nil, cli.Usage("--timeout must be more than 0")
	}
	o := c.options(client.Token(to.Token))
	o.Transport = transport
	return client.Open(to.BaseURL, o)
}

func (c *calls) options(token client.TokenSource) client.Options {
	return client.Options{Token: token, Timeout: c.timeout, UserAgent: "readiness/" + cli.Version(), Pause: c.program.Pause}
}

// readable returns err as people read it: a refusal with its details, ctx.Err() if the command was interrupted.
func (c *calls) readable(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	refused, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	var b strings.Builder
	if refused.ErrorCode != "" {
		fmt.Fprintf(&b, "%s: ", cli.Printable(refused.ErrorCode))
	}
	b.WriteString(cli.Printable(refused.Message))
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\n  "+format, args...) }
	for _, p := range refused.Parameters {
		line("%s: %s", cli.Printable(p.Name), cli.Printable(p.Value))
	}
	for _, d := range refused.MoreDetails {
		line("%s: %s", cli.Printable(d.ErrorCode), cli.Printable(d.Message))
	}
	line("HTTP status: %d", refused.Status)
	if refused.RequestID != [16]byte{} {
		line("request id: %s", refused.RequestID)
	}
	if refused.RetryAfter > 0 {
		line("retry in %s", refused.RetryAfter)
	}
	if refused.Status == 401 {
		again := "readiness client login" + c.profileFlag()
		if claims := refused.Claims(); claims != "" {
			again += " --claims " + show.ShellWord(claims)
		}
		line("sign in again, or store a new token, with %s", again)
	}
	return readableError{b.String(), err}
}

// readableError is a refusal with all its details.
type readableError struct {
	text string
	err  error
}

func (e readableError) Error() string { return e.text }
func (e readableError) Unwrap() error { return e.err }

// shown prints what a call got, as answered does.
func shown[T any](c *calls, got *client.OK[T], err error, show func(*sheet.Sheet, T)) error {
	if err != nil {
		return err
	}
	return c.answered(got.Body, func(s *sheet.Sheet) { show(s, *got.JSON200) })
}

// answered prints the service's response as received, or as the table that show writes.
func (c *calls) answered(body []byte, show func(*sheet.Sheet)) error {
	if !c.json {
		s := &sheet.Sheet{Profile: c.profileFlag(), Screen: screen.Of(c.program.Stdout)}
		show(s)
		_, err := io.WriteString(c.program.Stdout, s.String())
		return err
	}
	_, err := fmt.Fprintf(c.program.Stdout, "%s\n", strings.TrimRight(string(body), "\n"))
	return err
}
