// Command readiness is the Readiness and Pixies Service: the server, its
// workers and its operator's tools. This package wires and reads flags; what
// the service does is in the packages it wires.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cancel(fmt.Errorf("signal: %s", <-signals))
		<-signals // whoever sends another does not want to wait
		os.Exit(exitInterrupted)
	}()
	os.Exit(Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Run carries out one command line and returns the exit code of the process.
// What a command is for goes to stdout, everything else to stderr. The command
// ends in good order when ctx does.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.command.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	return root.exitCode(root.command.ExecuteContext(ctx))
}
