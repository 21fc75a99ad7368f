//go:build unix

package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"readiness/internal/pace"
)

// programs are the two programs that a server needs.
type programs struct {
	initdb, postgres string
	version          string // as in "15.18"
	major            int
}

// usualPlaces are the folders in which systems install PostgreSQL's server
// programs, one per major version.
var usualPlaces = []string{
	"/usr/lib/postgresql/*/bin",                 // Debian, Ubuntu
	"/usr/pgsql-*/bin",                          // the project's own RPMs
	"/usr/libexec/postgresql*",                  // Alpine
	"/usr/lib/postgresql*/bin",                  // SUSE
	"/opt/homebrew/opt/postgresql*/bin",         // Homebrew on Apple silicon
	"/usr/local/opt/postgresql*/bin",            // Homebrew on Intel
	"/Applications/Postgres.app/Contents/*/bin", // Postgres.app
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/usr/local/pgsql/bin", // built from source
	"/usr/bin", "/usr/local/bin",
}

// howToInstall ends every error about missing programs.
const howToInstall = "install PostgreSQL's server (Debian, Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; " +
	"Alpine: apk add postgresql; " +
	"macOS: brew install postgresql), or set " + BinEnv + " to the folder of initdb and postgres, or give a database with --database-url"

// findPrograms returns the programs to use: those of an existing cluster's major
// version, else those on PATH, else the newest of the usual places, else downloaded
// ones.
func (s *Server) findPrograms(ctx context.Context) (programs, error) {
	major := 0
	if b, err := os.ReadFile(filepath.Join(s.cluster(), "PG_VERSION")); err == nil {
		if major, err = strconv.Atoi(strings.TrimSpace(string(b))); err != nil {
			return programs{}, fmt.Errorf("%s contains %.20q, which is not a PostgreSQL version that the service knows",
				filepath.Join(s.cluster(), "PG_VERSION"), b)
		}
	}
	bin := s.options.Bin
	if bin == "" && s.options.places == nil {
		bin = os.Getenv(BinEnv)
	}
	if bin != "" {
		p, err := s.programsIn(ctx, bin)
		if err != nil {
			return p, fmt.Errorf("no PostgreSQL in %s: %w; %s", bin, err, howToInstall)
		}
		return p, fits([]programs{p}, major)
	}
	var found []programs
	var refused error
	for _, dir := range s.candidates() {
		switch p, err := s.programsIn(ctx, dir); {
		case err == nil:
			found = append(found, p)
		case refused == nil && !errors.Is(err, os.ErrNotExist):
			refused = err
		}
	}
	if refused != nil && len(found) == 0 {
		return programs{}, refused
	}
	if i := slices.IndexFunc(found, func(p programs) bool { return p.major == major || major == 0 && p.major >= MinMajor }); i >= 0 {
		return found[i], nil
	}
	if err := fits(found, major); err != nil {
		return programs{}, err
	}
	if s.options.NoDownload {
		return programs{}, errors.New("PostgreSQL's programs initdb and postgres were not found: " + howToInstall)
	}
	dir, err := s.download(ctx)
	var p programs
	if err == nil {
		p, err = s.programsIn(ctx, dir)
	}
	if err != nil {
		return p, fmt.Errorf("PostgreSQL's programs were not found, and downloading them failed: %w; %s", err, howToInstall)
	}
	return p, nil
}

// fits returns an error that lists the found versions if there are some and none
// can run a cluster of that major version (0: any version that the service
// supports).
func fits(found []programs, major int) error {
	var versions []string
	for _, p := range found {
		if p.major == major || major == 0 && p.major >= MinMajor {
			return nil
		}
		versions = append(versions, fmt.Sprintf("%s (%s)", p.version, filepath.Dir(p.postgres)))
	}
	switch {
	case major != 0 && len(found) == 0:
		return fmt.Errorf("the data was made by PostgreSQL %d, which was not found: install that version, or set %s to its folder", major,
			BinEnv)
	case major != 0:
		return fmt.Errorf("the data was made by PostgreSQL %d, and only %s was found: install PostgreSQL %d, or dump the data with it "+
			"and restore it into a new data directory",
			major, strings.Join(versions, ", "), major)
	case len(found) > 0:
		return fmt.Errorf("PostgreSQL %s is too old: the service needs %d or newer", strings.Join(versions, ", "), MinMajor)
	}
	return nil
}

// candidates returns the folders to search, preferred ones first.
func (s *Server) candidates() []string {
	dirs, places := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(d string) bool { return d == "" }), usualPlaces
	if s.options.places != nil {
		dirs, places = nil, s.options.places
	}
	var usual []string
	for _, place := range append(slices.Clip(places), s.path("programs/*/bin")) {
		matches, _ := filepath.Glob(place)
		usual = append(usual, matches...)
	}
	number := regexp.MustCompile(`\d+`)
	slices.SortStableFunc(usual, func(a, b string) int {
		major := func(dir string) int { n, _ := strconv.Atoi(number.FindString(dir)); return n }
		return cmp.Compare(major(b), major(a))
	})
	return append(dirs, usual...)
}

// programsIn asks the programs in dir for their version, as the user who will run
// them. The error wraps os.ErrNotExist when one is missing.
func (s *Server) programsIn(ctx context.Context, dir string) (programs, error) {
	p := programs{initdb: filepath.Join(dir, "initdb"), postgres: filepath.Join(dir, "postgres")}
	for _, program := range []string{p.initdb, p.postgres} {
		if _, err := exec.LookPath(program); err != nil {
			return p, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := s.command(ctx, p.postgres, syscall.SIGKILL, "--version").Output()
	// A process that was forked while the program was being written holds it open until it executes its own (golang/go#22315).
	for errors.Is(err, syscall.ETXTBSY) && ctx.Err() == nil {
		_ = pace.Wait(ctx, 10*time.Millisecond)
		out, err = s.command(ctx, p.postgres, syscall.SIGKILL, "--version").Output()
	}
	if err != nil {
		return p, fmt.Errorf("run %s: %w", p.postgres, s.account.explain(err, s.options.DataDir, dir))
	}
	version := versionPattern.FindSubmatch(out)
	if version == nil {
		return p, fmt.Errorf("%s --version answers %.80q, which is not a PostgreSQL version", p.postgres, out)
	}
	p.version = string(version[1])
	p.major, err = strconv.Atoi(string(version[2]))
	return p, err
}

// versionPattern finds the version and the major version in output such as
// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
var versionPattern = regexp.MustCompile(`\(PostgreSQL\) ((\d{1,3})\S*)`)
