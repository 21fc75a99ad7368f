package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The samples, relative to the module's root.
const (
	workspaces = "samples/workspaces"
	accounts   = "samples/accounts.yaml"
)

// program is the service as a child process, which serves copies of the samples.
type program struct {
	path, desk, data, workspaces string
	server                       *exec.Cmd
	ended                        chan struct{} // closed when the server has ended
	failure                      error         // how it ended; valid once ended is closed
	stopping                     sync.Once

	mu       sync.Mutex
	messages []string
}

// build compiles the program into dir. The first build compiles every library,
// which takes minutes on a slow machine, so the screen shows progress.
func build(ctx context.Context, dir string, screen *screen) (*program, error) {
	if _, err := os.Stat(accounts); err != nil {
		return nil, errors.New("start the demo in the module's root folder, where samples/ is")
	}
	p := &program{path: filepath.Join(dir, "readinessd"), desk: filepath.Join(dir, "readiness"), data: filepath.Join(dir, "data"),
		workspaces: filepath.Join(dir, "workspaces")}
	if err := os.CopyFS(p.workspaces, os.DirFS(workspaces)); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-v", "-o", dir+string(filepath.Separator), "./cmd/readinessd", "./cmd/readiness")
	cmd.Env = append(os.Environ(), "GOTMPDIR="+dir) // so that an interrupted build leaves nothing elsewhere
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	shown, compiled := time.Now(), 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		p.messages = append(p.messages, line)
		if !strings.Contains(line, " ") { // a package
			compiled++
		}
		if time.Since(shown) > 3*time.Second {
			screen.say("compiled %d packages; now %s", compiled, line)
			shown = time.Now()
		}
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, p.lastMessages())
	}
	p.messages = nil
	return p, nil
}

// start starts the server with the platform's flags and returns its address.
func (p *program) start(ctx context.Context, platform []string) (base string, err error) {
	p.server = exec.CommandContext(context.WithoutCancel(ctx), p.path, append([]string{"serve", "--data", p.data, "--listen", "127.0.0.1:0",
		"--metrics-listen", "",
		"--log-format", "text", "--log-level", "warn"}, platform...)...)
	// Ctrl-C reaches only this process, which stops the server gracefully.
	p.server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.server.StdoutPipe()
	if err != nil {
		return "", err
	}
	p.server.Stderr = writer(p.note)
	if err := p.server.Start(); err != nil {
		return "", err
	}
	p.ended = make(chan struct{})
	listening := make(chan string, 1)
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if rest, ok := strings.CutPrefix(lines.Text(), "Listening on "); ok {
				address, _, _ := strings.Cut(rest, ",")
				listening <- address
			}
		}
		p.failure = p.server.Wait()
	}()
	select {
	case base := <-listening:
		return base, nil
	case <-p.ended:
		return "", fmt.Errorf("the service did not start: %w\n%s", errors.Join(p.failure, errors.New("it ended")), p.lastMessages())
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), p.stop())
	}
}

// stop stops the server gracefully, once, and returns an error if it did not stop
// cleanly.
func (p *program) stop() (err error) {
	p.stopping.Do(func() {
		if p.ended == nil {
			return
		}
		_ = p.server.Process.Signal(syscall.SIGTERM) // it may be gone already
		select {
		case <-p.ended:
		case <-time.After(2 * time.Minute):
			_ = p.server.Process.Kill()
			<-p.ended
			err = errors.New("the service did not stop within two minutes and was killed")
			return
		}
		if p.failure != nil {
			err = fmt.Errorf("the service did not stop cleanly: %w", p.failure)
		}
	})
	return err
}

// command runs another command of the program while the server runs, and returns
// its output.
func (p *program) command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.path, append(args, "--data", p.data)...)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("readiness %s: %w\n%s", strings.Join(args, " "), err, failed.Bytes())
	}
	return out.String(), nil
}

func (p *program) note(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, strings.TrimRight(string(b), "\n"))
	if over := len(p.messages) - 20; over > 0 {
		p.messages = p.messages[over:]
	}
	return len(b), nil
}

func (p *program) lastMessages() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.messages, "\n")
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
