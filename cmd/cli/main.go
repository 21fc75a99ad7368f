package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main executes the command line of this process and ends it with the command's exit code. An interrupt stops the command
// gracefully, a second one at once.
func Main(p *Program) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cancel(fmt.Errorf("signal: %s", <-signals))
		<-signals
		os.Exit(ExitInterrupted)
	}()
	os.Exit(p.Run(ctx, os.Args[1:]))
}
