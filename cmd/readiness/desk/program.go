package desk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// program is one that answers each line with a line. It is started with the first call, and again after end. Calls must not
// overlap.
type program struct {
	ctx     context.Context
	words   []string
	timeout time.Duration
	stderr  io.Writer

	running *exec.Cmd
	kill    context.CancelFunc
	in      io.WriteCloser
	out     *bufio.Reader
}

// longestAnswer bounds a line of a program in bytes.
const longestAnswer = 1 << 20

func (p *program) start() error {
	ctx, kill := context.WithCancel(p.ctx)
	c := exec.CommandContext(ctx, p.words[0], p.words[1:]...)
	c.Stderr, c.WaitDelay = p.stderr, time.Second
	in, err := c.StdinPipe()
	if err != nil {
		kill()
		return err
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		kill()
		return fmt.Errorf("%s cannot be started: %w", p.words[0], err)
	}
	p.running, p.kill, p.in, p.out = c, kill, in, bufio.NewReaderSize(out, longestAnswer)
	return nil
}

// call sends a line and returns the answering one.
func (p *program) call(ctx context.Context, line []byte) ([]byte, error) {
	if p.running == nil {
		if err := p.start(); err != nil {
			return nil, err
		}
	}
	overdue := time.AfterFunc(p.timeout, p.kill)
	defer overdue.Stop()
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	_, err := p.in.Write(append(line, '\n'))
	var answer []byte
	if err == nil {
		answer, err = p.out.ReadSlice('\n')
	}
	if err == nil {
		return answer, nil
	}
	inTime := overdue.Stop()
	p.end()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !inTime:
		return nil, fmt.Errorf("%s did not answer within %s", p.words[0], p.timeout)
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%s answered with a line of over %d bytes", p.words[0], longestAnswer)
	}
	return nil, fmt.Errorf("%s ended before it answered: it must read lines until its input ends, and write one for each (%w)", p.words[0], err)
}

// end ends the program, if it runs.
func (p *program) end() {
	if p.running == nil {
		return
	}
	_ = p.in.Close()
	p.kill()
	_ = p.running.Wait()
	p.running = nil
}
