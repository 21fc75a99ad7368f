package postgres

import (
	"context"
	"errors"
)

// Server is a running PostgreSQL server. There is none on Windows.
type Server struct{}

// Start refuses.
func Start(context.Context, Options) (*Server, error) {
	return nil, errors.New("the service cannot run a private PostgreSQL server on Windows; name a database with --database-url")
}

// URL is empty.
func (*Server) URL() string { return "" }

// Stop does nothing.
func (*Server) Stop(context.Context) error { return nil }

// Exists reports that there is no server.
func Exists(string) bool { return false }

// Running reports that no server runs.
func Running(string) (url string, ok bool) { return "", false }
