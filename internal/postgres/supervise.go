//go:build unix

package postgres

import (
	"context"
	"errors"
	"os"
	"time"
)

// supervise restarts the server on the same port whenever it dies, until Stop.
func (s *Server) supervise(p *process) {
	defer close(s.stopped)
	defer unlock(s.lock)
	rotation := time.NewTicker(30 * time.Second)
	defer rotation.Stop()
	pause := restartMin
	for {
		select {
		case ctx := <-s.stopping:
			s.stopErr = s.shutDown(ctx, p)
			return
		case <-rotation.C:
			if err := s.rotateLog(); err != nil {
				s.options.log().Warn("PostgreSQL's log cannot be cut", "error", err)
			}
			continue
		case <-p.exited:
		}
		if time.Since(p.since) > restartMax {
			pause = restartMin
		}
		s.options.log().Error("PostgreSQL ended and is restarted", "error", p.err, "pause", pause, "log", s.lastWords(p.logFrom))
		p = s.relaunch(&pause)
		if p == nil {
			s.stopErr = s.cleanUp()
			return
		}
	}
}

// relaunch returns a new process, or nil after Stop.
func (s *Server) relaunch(pause *time.Duration) *process {
	for {
		select {
		case <-s.stopping:
			return nil
		case <-time.After(*pause):
		}
		*pause = min(2**pause, restartMax)
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		err := s.stopLeftover(ctx)
		cancel()
		var p *process
		if err == nil {
			p, err = s.launch()
		}
		if err == nil {
			return p
		}
		s.options.log().Error("PostgreSQL cannot be started", "error", err, "pause", *pause)
	}
}

func (s *Server) shutDown(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	err := p.end(ctx)
	s.options.log().Info("PostgreSQL has stopped")
	return errors.Join(err, s.cleanUp())
}

func (s *Server) cleanUp() error {
	if s.remove == "" {
		return nil
	}
	return os.RemoveAll(s.remove)
}
