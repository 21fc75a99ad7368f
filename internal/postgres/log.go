//go:build unix

package postgres

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
)

const (
	logName = "server.log"

	// logMax is the size in bytes above which the log is cut. Its last lines move
	// to server.log.1, which is overwritten.
	logMax = 8 << 20

	// wordsMax bounds how many bytes of the server's log an error shows.
	wordsMax = 4 << 10
)

// openLog opens the log for one run of the server, which writes to it directly, so
// that its lines are kept even when this process is gone. It returns the offset of
// this run's first line.
func (s *Server) openLog() (*os.File, int64, error) {
	if err := s.rotateLog(); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(s.path(logName), os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, 0, err
	}
	size, err := f.Seek(0, io.SeekEnd)
	return f, size, err
}

// rotateLog cuts the log when it is too long. The server keeps writing to the same
// file, at its new end.
func (s *Server) rotateLog() error {
	f, err := os.OpenFile(s.path(logName), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= logMax {
		return err
	}
	old, err := os.OpenFile(s.path(logName+".1"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(old, io.NewSectionReader(f, max(0, info.Size()-logMax), logMax))
	return errors.Join(err, old.Close(), f.Truncate(0))
}

// lastWords returns the last lines of the log after the offset from.
func (s *Server) lastWords(from int64) string {
	f, err := os.Open(s.path(logName))
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < from {
		return ""
	}
	b, _ := io.ReadAll(io.NewSectionReader(f, max(from, info.Size()-wordsMax), wordsMax))
	return last(b)
}

// last returns the last twelve lines of b.
func last(b []byte) string {
	lines := bytes.Split(bytes.TrimSpace(b[max(0, len(b)-wordsMax):]), []byte("\n"))
	lines = lines[max(0, len(lines)-12):]
	return strings.ToValidUTF8(string(bytes.Join(lines, []byte("\n"))), "?")
}
