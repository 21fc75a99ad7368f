package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The exit codes of every command.
const (
	exitOK      = 0
	exitFailed  = 1 // it failed, or a rule refused it
	exitUsage   = 2 // the command line or an environment variable is wrong
	exitDamaged = 3 // it ran, and found what it looks for: damage, a difference, or too low a score
	exitPartly  = 4 // it ran, but for some of the items that it is about, which it has told
	// exitInterrupted: a second signal ended it at once.
	exitInterrupted = 130
)

const exitCodesHelp = `Exit codes:
  0  done
  1  failed, or refused by a rule: there is no result
  2  wrong command line or environment
  3  events verify found damage, projections rebuild --diff a difference, or assess what --fail-under or --fail-on asks for
  4  done, but for items that could not be read, assessed or changed: each is told, with why
130  a second interrupt ended it at once`

// errUsage and errDamaged choose the exit code of the error that wraps them.
var (
	errUsage   = errors.New("usage")
	errDamaged = errors.New("damage was found")
)

// partlyError is the error of a command that has done, and told, all but some of the
// items that it is about.
type partlyError struct{ text string }

func (e partlyError) Error() string { return e.text }

func partly(format string, args ...any) error { return partlyError{fmt.Sprintf(format, args...)} }

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUsage, fmt.Errorf(format, args...))
}

// root is the command line with what all commands share.
type root struct {
	command        *cobra.Command
	stdout, stderr io.Writer
	log            *slog.Logger
	logLevel       string
	logFormat      string
	// pause waits between calls of a service; nil waits for the time that it asks for.
	pause func(context.Context, time.Duration) error
	// started is set when flags and arguments were right; errors before are
	// errors of usage.
	started bool
}

func newRoot(stdout, stderr io.Writer) *root {
	r := &root{stdout: stdout, stderr: stderr}
	r.command = &cobra.Command{
		Use:   "readiness",
		Short: "Assess how ready semantic models are for AI",
		Long: `readiness tells how ready semantic models are for AI, and makes them more ready: of models in files, without a server; of
a service, which it serves, as the signed-in person, with everything that happens in an event log in PostgreSQL.

Every flag is also an environment variable: --database-url is READINESS_DATABASE_URL. The flag wins.

` + exitCodesHelp,
		Example: `  readiness assess .
  readiness apply . --write
  readiness serve --data .readiness --platform folder:samples/workspaces --accounts samples/accounts.yaml
  readiness token --account contoso --person ada | readiness client login --base-url http://127.0.0.1:8080
  readiness client assess "Retail Analytics" Inventory
  source <(readiness completion bash)`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: r.prepare,
		RunE: func(c *cobra.Command, _ []string) error {
			return usage("a command is missing; %s", "the commands are listed by readiness --help")
		},
		Args: cobra.NoArgs,
	}
	r.command.SetOut(stdout)
	r.command.SetErr(stderr)
	flags := r.command.PersistentFlags()
	flags.StringVar(&r.logLevel, "log-level", "info", "least important messages to log: debug, info, warn or error")
	flags.StringVar(&r.logFormat, "log-format", "auto", "how messages are logged to stderr: json, text, or auto: text on a terminal")
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Models in files:", []*cobra.Command{r.assessCommand(), r.previewCommand(), r.applyCommand(), r.revertCommand()}},
		{"A service, as a person:", []*cobra.Command{r.clientCommand()}},
		{"A service, as its operator:", []*cobra.Command{
			r.serveCommand(), r.workerCommand(), r.tokenCommand(), r.accountsCommand(), r.migrateCommand(), r.reportsCommand(), r.projectionsCommand(), r.eventsCommand(),
		}},
	} {
		r.command.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, c := range group.commands {
			c.GroupID = group.title
			r.command.AddCommand(c)
		}
	}
	r.command.AddCommand(r.versionCommand())
	r.command.InitDefaultCompletionCmd()
	documentEnvironment(r.command)
	return r
}

// prepare runs before every command: flags that were not given take their value
// from the environment.
func (r *root) prepare(c *cobra.Command, _ []string) error {
	if err := fromEnvironment(c.Flags()); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(r.logLevel)); err != nil {
		return usage("--log-level must be debug, info, warn or error, not %q", r.logLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch {
	case r.logFormat == "text", r.logFormat == "auto" && onTerminal(r.stderr):
		r.log = slog.New(slog.NewTextHandler(r.stderr, options))
	case r.logFormat == "json", r.logFormat == "auto":
		r.log = slog.New(slog.NewJSONHandler(r.stderr, options))
	default:
		return usage("--log-format must be json, text or auto, not %q", r.logFormat)
	}
	r.started = true
	return nil
}

// exitCode reports err and chooses the exit code for it.
func (r *root) exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errDamaged), errors.Is(err, errFound):
		return exitDamaged // the command has said what it found
	case errors.Is(err, errUsage) || !r.started:
		message := strings.TrimPrefix(err.Error(), errUsage.Error()+": ")
		fmt.Fprintf(r.stderr, "readiness: %s\nSee readiness --help, or the help of the command.\n", message)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(r.stderr, "readiness: interrupted")
		return exitFailed
	default:
		fmt.Fprintf(r.stderr, "readiness: %s\n", err)
		if _, some := errors.AsType[partlyError](err); some {
			return exitPartly
		}
		return exitFailed
	}
}

// environmentAnnotation names the environment variable of a flag whose name does not.
const environmentAnnotation = "environment"

// environmentOf is the environment variable of a flag.
func environmentOf(f *pflag.Flag) string {
	if own := f.Annotations[environmentAnnotation]; own != nil {
		return own[0]
	}
	return environmentName(f.Name)
}

// environmentName is the environment variable of a flag of this name.
func environmentName(flag string) string {
	return "READINESS_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func fromEnvironment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := environmentOf(f)
		value, ok := os.LookupEnv(name)
		if f.Changed || !ok || f.Name == "help" || failed != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = usage("environment variable %s: %w", name, err)
		}
	})
	return failed
}

// documentEnvironment names each flag's environment variable in its help.
func documentEnvironment(c *cobra.Command) {
	name := func(f *pflag.Flag) {
		if f.Name != "help" {
			f.Usage += " (" + environmentOf(f) + ")"
		}
	}
	c.LocalNonPersistentFlags().VisitAll(name)
	c.PersistentFlags().VisitAll(name)
	for _, child := range c.Commands() {
		if child.Name() != "completion" {
			documentEnvironment(child)
		}
	}
}
