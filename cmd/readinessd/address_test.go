package main

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"

	"readiness/cmd/cli"
)

func TestOwnAddress(t *testing.T) {
	t.Parallel()
	for at, test := range map[string]struct {
		want  string
		warns bool
	}{
		"127.0.0.1:8080": {"http://127.0.0.1:8080", false},
		"10.0.0.7:80":    {"http://10.0.0.7:80", false},
		"[::1]:8080":     {"http://[::1]:8080", false},
		"[::]:8080":      {"http://localhost:8080", true},
		"0.0.0.0:8080":   {"http://localhost:8080", true},
	} {
		var log bytes.Buffer
		r := &root{&cli.Program{Log: slog.New(slog.NewTextHandler(&log, nil))}}
		addr, err := net.ResolveTCPAddr("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.ownAddress(addr); got != test.want || strings.Contains(log.String(), "--base-url") != test.warns {
			t.Errorf("%s: got %s and %q", at, got, log.String())
		}
	}
}
