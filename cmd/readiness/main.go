// Command readiness is the Readiness and Pixies Service: the server, its workers, a client and the operator's tools. It
// also scores and improves models in files, without a server. This package only parses flags and wires other packages.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"readiness/cmd/readiness/cli"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cancel(fmt.Errorf("signal: %s", <-signals))
		<-signals // a second signal stops the process at once
		os.Exit(cli.ExitInterrupted)
	}()
	os.Exit(Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Run executes one command line and returns the exit code of the process. A command's output goes to stdout, everything
// else to stderr. When ctx ends, the command stops gracefully.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return newRoot(stdout, stderr).Run(ctx, args)
}
