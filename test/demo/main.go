// Command demo demonstrates the service. It builds the program and serves the
// samples with a private PostgreSQL in a temporary directory. It drives the service
// over HTTP like any REST client, checks every answer, and deletes everything that it made.
// It exits 0 only if every answer was correct. It knows only the service's
// interface and imports none of its packages. With -platform emulator it does the
// same over the REST interface of Microsoft Fabric, which the program emulates.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// limit bounds the demo, including a download of PostgreSQL, but not how long it stays afterwards.
const limit = 15 * time.Minute

func main() {
	platform := flag.String("platform", "folder", "where the workspaces are: folder or emulator")
	flag.Parse()
	if *platform != "folder" && *platform != "emulator" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "demo: -platform must be folder or emulator, and there are no arguments")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, *platform == "emulator")
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "\ndemo: interrupted; nothing is left behind")
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}

// run runs the demo. With STAY=1 it then keeps the service running until interrupted ends.
func run(interrupted context.Context, overREST bool) (err error) {
	ctx, cancel := context.WithTimeout(interrupted, limit)
	defer cancel()
	began := time.Now()
	screen := newScreen(os.Stdout)
	dir, err := os.MkdirTemp("", "readiness-demo-")
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.RemoveAll(dir); removed != nil {
			err = errors.Join(err, removed)
		}
	}()
	// When root starts the demo, PostgreSQL runs as another user, who must traverse this directory.
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // nothing in it may be listed or read
		return err
	}
	screen.step("Building the two programs: go build ./cmd/readinessd ./cmd/readiness")
	p, err := build(ctx, dir, screen)
	if err != nil {
		return err
	}
	screen.say("built after %s", time.Since(began).Round(100*time.Millisecond))
	d := &demo{screen: screen, program: p}
	flags := []string{"--platform", "folder:" + p.workspaces, "--accounts", accounts}
	if overREST {
		if flags, err = d.emulate(ctx); err != nil {
			return err
		}
		defer d.emulator.stop()
	}
	screen.step("Starting it with its own PostgreSQL")
	began = time.Now()
	d.base, err = p.start(ctx, flags)
	if err != nil {
		return err
	}
	defer func() {
		if stopped := p.stop(); stopped != nil {
			err = errors.Join(err, stopped)
		}
		if err != nil {
			err = fmt.Errorf("%w\n\nthe service's last messages:\n%s", err, p.lastMessages())
		}
	}()
	screen.say("%s answers after %s", d.base, time.Since(began).Round(100*time.Millisecond))

	if err := d.story(ctx); err != nil {
		return err
	}
	if err := d.stay(interrupted); err != nil {
		return err
	}
	screen.step("Stopping")
	if err := p.stop(); err != nil {
		return err
	}
	screen.say("All %d answers were right. Every temporary file is deleted. %s since the start", d.answers,
		time.Since(began).Round(100*time.Millisecond))
	return nil
}

// emulate starts the emulator and returns the flags of a service over it.
func (d *demo) emulate(ctx context.Context) (flags []string, err error) {
	if d.emulator, err = d.program.emulate(ctx); err != nil {
		return nil, err
	}
	d.screen.step("Emulating Microsoft Fabric, Power BI and Entra over the samples: readinessd emulator")
	d.screen.say("%s, which allows a person %d calls and %d about long-running operations in %s", d.emulator.url, quotaCalls,
		quotaOperations, quotaWindow)
	return d.emulator.flags(), nil
}

// stay keeps the service running until ctx ends, if STAY=1 asks for it.
func (d *demo) stay(ctx context.Context) error {
	if os.Getenv("STAY") != "1" {
		return nil
	}
	d.screen.step("Staying")
	d.screen.say("The console is at %s/; sign in as ada. Press Ctrl-C to stop", d.base)
	select {
	case <-ctx.Done():
		return nil
	case <-d.program.ended:
		return errors.Join(d.program.failure, errors.New("the service ended"))
	}
}
