// Package cli has the common parts of the commands of readiness: the program with its streams and its log, flags that the
// environment sets, exit codes, progress, and output to files. It knows no command.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"readiness/internal/filefault"
)

// Program is a command line and the state that all commands share.
type Program struct {
	Command        *cobra.Command
	Stdout, Stderr io.Writer
	Log            *slog.Logger // nil until flags are read
	// Pause waits between calls to a service; nil waits for as long as the service asks.
	Pause func(context.Context, time.Duration) error
	// Browse opens an address in the person's browser; nil for the system's.
	Browse func(address string) error
	// Someone reports whether a person can answer; nil for whether Stderr is a terminal.
	Someone func() bool
	// Patience is how long LateProgress hides its bar.
	Patience time.Duration

	logLevel, logFormat string
	// started is set once flags and arguments are valid; earlier errors are usage errors.
	started bool
}

// New returns a program without subcommands, with the flags of its log. Each flag can also be set in the environment.
func New(command *cobra.Command, stdout, stderr io.Writer) *Program {
	p := &Program{Command: command, Stdout: stdout, Stderr: stderr, Patience: time.Second}
	command.SilenceUsage, command.SilenceErrors = true, true
	command.PersistentPreRunE = p.prepare
	p.versionFlag()
	command.SetFlagErrorFunc(wrongFlag)
	command.SetHelpCommand(p.helpCommand())
	command.SetOut(stdout)
	command.SetErr(stderr)
	flags := command.PersistentFlags()
	flags.StringVar(&p.logLevel, "log-level", "info", "lowest level to log: debug, info, warn or error")
	flags.StringVar(&p.logFormat, "log-format", "auto",
		"format of log messages on stderr: json, text, or auto (text on a terminal, else json)")
	return p
}

// Run executes one command line and returns the exit code of the process. A command's output goes to Stdout, everything
// else to Stderr. When ctx ends, the command stops gracefully.
func (p *Program) Run(ctx context.Context, args []string) int {
	p.Command.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	c, err := p.Command.ExecuteContextC(ctx)
	return p.exitCode(c, err)
}

// prepare runs before every command: it reads unset flags from the environment and sets up logging.
func (p *Program) prepare(c *cobra.Command, _ []string) error {
	if err := fromEnvironment(c.Flags()); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(p.logLevel)); err != nil {
		return Usage("--log-level must be debug, info, warn or error, not %q", p.logLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch {
	case p.logFormat == "text", p.logFormat == "auto" && OnTerminal(p.Stderr):
		p.Log = slog.New(slog.NewTextHandler(p.Stderr, options))
	case p.logFormat == "json", p.logFormat == "auto":
		p.Log = slog.New(slog.NewJSONHandler(p.Stderr, options))
	default:
		return Usage("--log-format must be json, text or auto, not %q", p.logFormat)
	}
	p.started = true
	return nil
}

// exitCode reports the error of a command and returns the exit code for it.
func (p *Program) exitCode(c *cobra.Command, err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrDamaged), errors.Is(err, ErrFound):
		return ExitDamaged // the command has reported what it found
	case errors.Is(err, errUsage) || !p.started:
		if c.Name() == "help" {
			c = c.Root()
		}
		message := strings.TrimPrefix(err.Error(), errUsage.Error()+": ")
		if wrong := c.ValidateArgs(c.Flags().Args()); wrong != nil && wrong.Error() == err.Error() {
			if !errors.Is(err, errUsage) {
				message = wrongNumber(c)
			}
			message += "\nUsage: " + c.UseLine()
		}
		fmt.Fprintf(p.Stderr, "%s: %s\nSee %s --help.\n", p.Command.Name(), message, c.CommandPath())
		return ExitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(p.Stderr, "%s: interrupted\n", p.Command.Name())
		return ExitInterrupted
	default:
		text := err.Error()
		if at, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(at, fs.ErrNotExist) {
			text = strings.ReplaceAll(text, at.Error(), filepath.ToSlash(at.Path)+" does not exist")
		} else if ok && filefault.Cure(at) != "" {
			text = strings.ReplaceAll(text, at.Error(), filepath.ToSlash(at.Path)+": "+filefault.With(at))
		}
		fmt.Fprintf(p.Stderr, "%s: %s\n", p.Command.Name(), text)
		if _, some := errors.AsType[partlyError](err); some {
			return ExitPartly
		}
		return ExitFailed
	}
}

// WriteTo calls write with Stdout or, if output names a file, with a temporary file that then replaces it atomically.
func (p *Program) WriteTo(output string, write func(io.Writer) error) (err error) {
	if output == "" {
		return write(p.Stdout)
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(output); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; name the file to write", filepath.ToSlash(output))
	} else if err == nil {
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(output), "."+filepath.Base(output)+".*")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be written: its folder does not exist; make it first", filepath.ToSlash(output))
	}
	if err != nil {
		return unwritten(output, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // best effort
		}
	}()
	err = write(file)
	for _, step := range []func() error{func() error { return file.Chmod(mode) }, file.Close,
		func() error { return os.Rename(file.Name(), output) }} {
		if err == nil {
			err = step()
		}
	}
	return unwritten(output, err)
}

// unwritten names the file in an error of the disk, which is about a temporary file.
func unwritten(output string, err error) error {
	if filefault.Path(err) == "" {
		return err
	}
	return fmt.Errorf("%s cannot be written: %s", filepath.ToSlash(output), filefault.With(err))
}

// OnTerminal reports whether w is a terminal.
func OnTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) //nolint:gosec // a file descriptor is small
}
