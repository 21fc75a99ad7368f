package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Parts stop in the reverse order of their start, even if one of them fails to stop.
func TestLifetimeEndsBackwards(t *testing.T) {
	t.Parallel()
	var ended []string
	life := &lifetime{log: slog.New(slog.DiscardHandler)}
	for _, name := range []string{"database", "work", "HTTP"} {
		life.then(name, func(ctx context.Context) error {
			if _, bounded := ctx.Deadline(); !bounded {
				t.Errorf("%s has no time limit", name)
			}
			ended = append(ended, name)
			if name == "work" {
				return errors.New("stuck")
			}
			return nil
		})
	}
	var ran bool
	life.background("housekeeping", func(ctx context.Context) { <-ctx.Done(); ran = true })
	err := life.end()
	if want := []string{"HTTP", "work", "database"}; !slices.Equal(ended, want) || !ran {
		t.Errorf("ended %v, in the background %t, want %v and true", ended, ran, want)
	}
	if err == nil || err.Error() != "work: stuck" {
		t.Errorf("got error %v, want work: stuck", err)
	}
	if err := life.end(); err != nil || len(ended) != 3 {
		t.Errorf("a second end: got error %v, ended %v", err, ended)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "new")
	found := make([]secrets, 8)
	var wg sync.WaitGroup
	for i := range found {
		wg.Go(func() {
			var err error
			if found[i], err = openSecrets(data); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range found {
		if len(s.secret) != secretSize || !bytes.Equal(s.secret, found[0].secret) {
			t.Fatalf("processes that start together have different secrets: %v", found)
		}
	}
	if left, err := os.ReadDir(data); err != nil || len(left) != 1 {
		t.Errorf("got %v, error %v, want only the key", left, err)
	}
	path := filepath.Join(data, keyFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, error %v, want 0600", info.Mode(), err)
	}
	a, b := found[0].key("vault", 32), found[0].key("continuation tokens", 32)
	if bytes.Equal(a, b) || bytes.Equal(a, found[0].secret) || !bytes.Equal(a, found[1].key("vault", 32)) {
		t.Error("keys must differ by purpose, and be the same for one")
	}

	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil { //nolint:gosec // what is refused
		t.Fatal(err)
	}
	if _, err := openSecrets(open); err == nil || !strings.Contains(err.Error(), "chmod o-w on it") {
		t.Errorf("a data directory that all may write to: got %v", err)
	}
	if left, err := os.ReadDir(open); err != nil || len(left) > 0 {
		t.Errorf("it has %v, %v; want nothing", left, err)
	}
	for name, spoil := range map[string]func() error{
		"readable by others": func() error { return os.Chmod(path, 0o640) },
		"cut short":          func() error { return errors.Join(os.Chmod(path, 0o600), os.Truncate(path, secretSize-1)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := openSecrets(data); err == nil {
			t.Errorf("%s: the key was accepted", name)
		}
	}
}
