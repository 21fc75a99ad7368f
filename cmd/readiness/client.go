package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/client"
)

// clientCalls is a command line that calls a running service for a person.
type clientCalls struct {
	r       *root
	profile string
	config  string // folder of the profiles
	json    bool   // answers are told as the service sent them
	timeout time.Duration
	// noWait leaves what was started to the service.
	noWait bool
}

func (r *root) clientCommand() *cobra.Command {
	calls := &clientCalls{r: r}
	c := &cobra.Command{
		Use:   "client",
		Short: "Call a running service as a person",
		Long: `Calls a running service as the person whose token it is given. login keeps the service's address and the token in a
profile, a file that its owner alone may read; READINESS_CLIENT_BASE_URL and READINESS_CLIENT_TOKEN together take the
place of a profile, and the token alone that of a profile's token.

Workspaces, semantic models and reports are given by id or by name. What takes time is waited for, as the service asks
to; an interrupt leaves it to the service, and operations wait takes it up again. Some work goes on only while the
person who started it waits: an apply of properties, one without a preview, a bundle and its revert, side B of an A/B run.

Tables are for people; --json prints what the service answered as it is, of a long list a document for each page.
A refusal is told with its code, what it concerns and the id that finds it in the service's log; the exit code is 1.`,
		Example: `  readiness token --account contoso --person ada | readiness client login --base-url http://127.0.0.1:8080
  readiness client assess "Retail Analytics" Inventory
  readiness client preview "Retail Analytics" Inventory descriptions`,
		Args: cobra.NoArgs,
		RunE: needsSubcommand,
	}
	flags := c.PersistentFlags()
	flags.StringVar(&calls.profile, "profile", defaultProfile, "which login is used")
	flags.StringVar(&calls.config, "config", "", "folder of the profiles; by default readiness in the user's folder of settings")
	flags.BoolVar(&calls.json, "json", false, "print what the service answered as it is")
	flags.DurationVar(&calls.timeout, "timeout", time.Minute, "how long one answer is waited for")
	c.AddCommand(calls.loginCommand(), calls.logoutCommand(), calls.accountCommand(), calls.workspacesCommand(), calls.modelsCommand(), calls.reportsCommand(),
		calls.assessCommand(), calls.previewCommand(), calls.applyCommand(), calls.revertCommand(), calls.pixiesCommand(),
		calls.benchmarkCommand(), calls.abTestsCommand(), calls.schedulesCommand(), calls.providersCommand(), calls.operationsCommand())
	ownEnvironment(c)
	return c
}

// ownEnvironment gives the flags of c and of the commands below it environment variables of their own: serve has a --base-url too.
func ownEnvironment(c *cobra.Command) {
	own := func(f *pflag.Flag) {
		f.Annotations = map[string][]string{environmentAnnotation: {strings.Replace(environmentName(f.Name), "READINESS_", "READINESS_CLIENT_", 1)}}
	}
	c.LocalNonPersistentFlags().VisitAll(own)
	c.PersistentFlags().VisitAll(own)
	for _, child := range c.Commands() {
		ownEnvironment(child)
	}
}

// run makes a command of calls: what a service refused is told with all that it said.
func (c *clientCalls) run(do func(ctx context.Context, s *client.Service, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		to, err := c.login()
		if err != nil {
			return err
		}
		s, err := c.open(to)
		if err != nil {
			return err
		}
		return c.told(cmd.Context(), do(cmd.Context(), s, args))
	}
}

// open is the service that a login is for.
func (c *clientCalls) open(to profile) (*client.Service, error) {
	if c.timeout <= 0 {
		return nil, usage("--timeout must be more than 0")
	}
	return client.Open(to.BaseURL, client.Options{
		Token: client.Token(to.Token), Timeout: c.timeout, UserAgent: "readiness/" + version(), Pause: c.r.pause,
	})
}

// told is an error as people read it.
func (c *clientCalls) told(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	refused, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	var b strings.Builder
	if refused.ErrorCode != "" {
		fmt.Fprintf(&b, "%s: ", printable(refused.ErrorCode))
	}
	b.WriteString(printable(refused.Message))
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\n  "+format, args...) }
	for _, p := range refused.Parameters {
		line("%s: %s", printable(p.Name), printable(p.Value))
	}
	for _, d := range refused.MoreDetails {
		line("%s: %s", printable(d.ErrorCode), printable(d.Message))
	}
	line("HTTP status: %d", refused.Status)
	if refused.RequestID != [16]byte{} {
		line("request id: %s", refused.RequestID)
	}
	if refused.RetryAfter > 0 {
		line("may be tried again in %s", refused.RetryAfter)
	}
	if refused.Status == 401 {
		line("a new token is taken by readiness client login")
	}
	return toldError{b.String(), err}
}

// toldError is a refusal with all that was said of it.
type toldError struct {
	text string
	err  error
}

func (e toldError) Error() string { return e.text }
func (e toldError) Unwrap() error { return e.err }

// answered writes what the service answered as it is, or has it told as a table.
func (c *clientCalls) answered(body []byte, tell func(*sheet)) error {
	if !c.json {
		s := c.newSheet()
		tell(s)
		return s.writeTo(c.r.stdout)
	}
	_, err := fmt.Fprintf(c.r.stdout, "%s\n", strings.TrimRight(string(body), "\n"))
	return err
}
