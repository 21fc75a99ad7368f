//go:build unix

// Command withpostgres runs a command together with a throwaway PostgreSQL server,
// whose address is in the command's READINESS_TEST_DATABASE_URL. It removes all
// files of the server afterwards. If there is enough memory, the server's files and
// the command's temporary files are kept in memory, because a disk is many times
// slower. It exits with the command's exit code. If the variable is already set, it
// only runs the command.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"readiness/internal/memdir"
	"readiness/internal/postgres"
)

const addressEnv = "READINESS_TEST_DATABASE_URL"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
	}
	os.Exit(code)
}

// run runs the command and returns its exit code.
func run(command []string) (code int, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	cmd := exec.CommandContext(context.Background(), command[0], command[1:]...)
	if os.Getenv(addressEnv) == "" {
		if dir, remove := memdir.Make(); dir != "" {
			defer func() { err = errors.Join(err, remove()) }()
			if err := os.Setenv("TMPDIR", dir); err != nil {
				return 1, err
			}
		}
		starting, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer cancel()
		log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		server, err := postgres.StartTemporary(starting, postgres.Options{
			Log: log,
			// The tests of several packages run at once, each with its pools.
			Settings: map[string]string{"max_connections": "500"},
		})
		if err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, server.Stop(context.Background())) }()
		cmd.Env = append(os.Environ(), addressEnv+"="+server.URL())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 127, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s) // it may have ended already
		case err := <-ended:
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				if s := exit.Sys().(syscall.WaitStatus); s.Signaled() {
					return 128 + int(s.Signal()), nil
				}
				return exit.ExitCode(), nil
			}
			return 0, err
		}
	}
}
