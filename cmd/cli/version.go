package cli

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// What the linker sets when a release is built (deploy/release): the version, the commit, and the commit's time (RFC 3339).
var version, commit, date string

// Build is the version and commit of a program. A member is "" if it is unknown.
type Build struct{ Version, Commit, Date string }

// BuildOf returns the version and commit of this program: those of the release, else those that the go command recorded. A commit with
// changes ends in "+changes".
func BuildOf() Build {
	b := Build{version, commit, date}
	info, ok := debug.ReadBuildInfo()
	if !ok || b.Version != "" {
		return b
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value + b.Commit
		case s.Key == "vcs.time":
			b.Date = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Commit += "+changes"
		}
	}
	if v := info.Main.Version; v != "(devel)" {
		b.Version = v
	}
	return b
}

// Version returns the version of the program, or the first characters of its commit.
func Version() string {
	b := BuildOf()
	short, changes, _ := strings.Cut(b.Commit, "+")
	if short = short[:min(12, len(short))]; changes != "" {
		short += "+" + changes
	}
	return cmp.Or(b.Version, short, "(devel)")
}

// versionFlag adds --version to the program. That of cobra needs a template, and with one the linker keeps every method of the program.
func (p *Program) versionFlag() {
	flag := p.Command.Flags().BoolP("version", "v", false, "version for "+p.Command.Name())
	run := p.Command.RunE
	p.Command.RunE = func(c *cobra.Command, args []string) error {
		if *flag {
			_, err := fmt.Fprintln(p.Stdout, versionLine(c.Name()))
			return err
		}
		return run(c, args)
	}
}
