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
	exitFailed  = 1 // failed, or refused by a rule
	exitUsage   = 2 // the command line or an environment variable is wrong
	exitDamaged = 3 // ran and found what it looks for: damage, a difference, or too low a score
	exitPartly  = 4 // done except for some items, which the command has reported
	// exitInterrupted: a second interrupt stopped the command at once.
	exitInterrupted = 130
)

const exitCodesHelp = `Exit codes:
  0  done
  1  failed, or refused by a rule: there is no result
  2  wrong command line or environment
  3  events verify found damage, projections rebuild --diff found a difference, or assess or a
     benchmark or A/B run failed --fail-under, --fail-on or --fail-on-regression
  4  done, except for items that could not be read, assessed or changed; the output says which and why
130  stopped at once by a second interrupt`

// errUsage and errDamaged determine the exit code of the error that wraps them.
var (
	errUsage   = errors.New("usage")
	errDamaged = errors.New("damage was found")
)

// partlyError is the error of a command that succeeded for some of its items and has reported the others.
type partlyError struct{ text string }

func (e partlyError) Error() string { return e.text }

func partly(format string, args ...any) error { return partlyError{fmt.Sprintf(format, args...)} }

// usage returns an error of the command line.
func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUsage, fmt.Errorf(format, args...))
}

// root is the command line and the state that all commands share.
type root struct {
	command        *cobra.Command
	stdout, stderr io.Writer
	log            *slog.Logger
	logLevel       string
	logFormat      string
	// pause waits between calls to a service; nil waits for as long as the service asks.
	pause func(context.Context, time.Duration) error
	// started is set once flags and arguments are valid; earlier errors are usage errors.
	started bool
}

func newRoot(stdout, stderr io.Writer) *root {
	r := &root{stdout: stdout, stderr: stderr}
	r.command = &cobra.Command{
		Use:   "readiness",
		Short: "Assess how ready semantic models are for AI",
		Long: `readiness scores how ready Power BI semantic models are for AI, and improves them. It works on models in files, without a
server, or as a service on which people sign in. The service records everything as events in PostgreSQL.

` + exitCodesHelp,
		Example: `  readiness assess .
  readiness apply . --write
  readiness rules show DSC-01
  readiness serve --data .readiness --platform folder:samples/workspaces --accounts samples/accounts.yaml
  readiness token --account contoso --person ada | readiness client login --base-url http://127.0.0.1:8080
  readiness client assess "Retail Analytics" Inventory
  source <(readiness completion bash)`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: r.prepare,
		RunE: func(c *cobra.Command, _ []string) error {
			return usage("a command is missing; %s", "readiness --help lists the commands")
		},
		Args: cobra.NoArgs,
	}
	r.command.SetOut(stdout)
	r.command.SetErr(stderr)
	flags := r.command.PersistentFlags()
	flags.StringVar(&r.logLevel, "log-level", "info", "lowest level to log: debug, info, warn or error")
	flags.StringVar(&r.logFormat, "log-format", "auto",
		"format of log messages on stderr: json, text, or auto (text on a terminal, else json)")
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Models in files:", []*cobra.Command{
			r.assessCommand(), r.previewCommand(), r.applyCommand(), r.revertCommand(), r.rulesCommand(),
		}},
		{"A service, as a person:", []*cobra.Command{r.clientCommand()}},
		{"A service, as its operator:", []*cobra.Command{
			r.serveCommand(), r.workerCommand(), r.tokenCommand(), r.accountsCommand(), r.migrateCommand(), r.reportsCommand(),
			r.projectionsCommand(), r.eventsCommand(), r.fabricCommand(),
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

// prepare runs before every command: it reads unset flags from the environment and sets up logging.
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

// exitCode reports err and returns the exit code for it.
func (r *root) exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errDamaged), errors.Is(err, errFound):
		return exitDamaged // the command has reported what it found
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

// environmentAnnotation overrides the name of a flag's environment variable.
const environmentAnnotation = "environment"

// environmentOf returns the name of a flag's environment variable.
func environmentOf(f *pflag.Flag) string {
	if own := f.Annotations[environmentAnnotation]; own != nil {
		return own[0]
	}
	return environmentName(f.Name)
}

// environmentName returns the default name of a flag's environment variable.
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

// documentEnvironment adds the name of each flag's environment variable to its help.
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
