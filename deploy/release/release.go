// Command release builds what a version of the programs is published as: an archive of each for each platform, Debian, RPM and
// npm packages, manifests for winget, Scoop and Homebrew, a software bill of materials for each binary, and a signed list of
// checksums. It is a separate module, so that none of its dependencies is one of the programs. The same commit gives the same bytes, wherever it is built.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// program is a command of the module, which is published apart from the others.
type program struct {
	name, about   string
	most, archive int64 // limits of the bytes of a binary and of its archive; 0 is none
	service       bool  // its packages have the systemd units
}

// programs are those of a release. Pipelines download readiness at every run, so its size is limited most.
var programs = []program{
	{name: "readiness", about: "Scores how ready Power BI semantic models are for AI, and improves them", most: 30 << 20,
		archive: 10<<20 + 384<<10}, // 10 MiB, and the rest for the rules in CEL, the tables in Parquet and what Power BI knows in TMDL
	{name: "readinessd", about: "Service that scores how ready Power BI semantic models are for AI, and improves them", most: 80 << 20, service: true},
}

// target is an operating system and a processor that the programs are built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// targets are those of a release.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// binary is the file of a program that was built for a target.
type binary struct {
	program program
	target  target
	file    string
}

// release is what is built: the commit in a source tree, under a version, into a folder.
type release struct {
	source, out           string
	version, commit, docs string
	// owner and home are who publishes and the address of the repository that has the releases; "" leaves out what needs them.
	owner, home, maintainer string
	date                    time.Time // of the commit; every file of an archive has it
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	source := flags.String("source", ".", "the source tree")
	out := flags.String("out", "dist", "the folder to write to; an earlier release in it is replaced")
	version := flags.String("version", "", "the version, such as v1.2.3; by default the tag of the commit, or what git describe says")
	docs := flags.String("docs-url", "", "address of this version's folder docs, where reports link to the pages of rules")
	owner := flags.String("owner", "", "who publishes: the scope of the npm packages, and the publisher for winget")
	home := flags.String("home", "", "address of the repository that has the releases, such as https://github.com/you/readiness")
	maintainer := flags.String("maintainer", "Readiness and Pixies Service", "who looks after the Debian and RPM packages: NAME <MAIL>")
	only := flags.String("targets", "", "build only these, such as linux/amd64,windows/amd64")
	keyFile := flags.String("key-file", "",
		"file with the key that signs the checksums (golang.org/x/mod/sumdb/note); by default a new key signs, which proves nothing")
	sign := flags.String("sign", "", "write the checksums of the release in this folder anew instead, because files were added")
	verify := flags.String("verify", "", "check the release in this folder against its checksums instead, signed by -verifier")
	verifier := flags.String("verifier", "", "the public key of the signature that -verify expects")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *verify != "" {
		return verified(*verify, *verifier)
	}
	if *sign != "" {
		return (&release{out: *sign}).checksums(*keyFile)
	}
	if err := filledIn(map[string]string{"owner": *owner, "home": *home, "maintainer": *maintainer, "docs-url": *docs}); err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	r, err := describe(ctx, *source, *version)
	if err != nil {
		return err
	}
	r.docs, r.owner, r.home, r.maintainer = *docs, *owner, strings.TrimSuffix(*home, "/"), *maintainer
	if r.out, err = filepath.Abs(*out); err != nil {
		return err
	}
	return r.make(ctx, chosen, *keyFile)
}

// choose returns the targets that a list names, all for an empty list.
func choose(list string) (chosen []target, err error) {
	if list == "" {
		return targets, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("-targets %s: releases are built for %v", name, targets)
		}
		chosen = append(chosen, targets[i])
	}
	return chosen, nil
}

// describe reads the commit of the source tree. Without git, as in an exported tree, the version must be given.
func describe(ctx context.Context, source, version string) (*release, error) {
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", source}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	r := &release{source: source, version: version}
	commit, err := git("log", "-1", "--format=%H %cI")
	if err != nil {
		return nil, fmt.Errorf("%s is no git checkout: %w", source, err)
	}
	hash, date, _ := strings.Cut(commit, " ")
	if r.date, err = time.Parse(time.RFC3339, date); err != nil {
		return nil, err
	}
	r.commit, r.date = hash, r.date.UTC()
	if changed, err := git("status", "--porcelain", "--untracked-files=no"); err != nil || changed != "" {
		return nil, errors.Join(fmt.Errorf("%s has changes that are not committed; commit them, because a release is built from a commit", source), err)
	}
	if version == "" {
		if r.version, err = git("describe", "--tags", "--always", "--match", "v*"); err != nil {
			return nil, err
		}
	}
	if !strings.HasPrefix(r.version, "v") {
		r.version = "v0.0.0-" + r.date.Format("20060102150405") + "-" + r.commit[:12]
	}
	return r, nil
}

// name returns the first part of the names of the files for a binary.
func (r *release) name(b binary) string {
	return b.program.name + "_" + strings.TrimPrefix(r.version, "v") + "_" + b.target.os + "_" + b.target.arch
}

// make builds and signs the release.
func (r *release) make(ctx context.Context, chosen []target, keyFile string) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "readiness-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, t := range chosen {
		for _, p := range programs {
			began := time.Now()
			b := binary{program: p, target: t, file: filepath.Join(work, t.os+"-"+t.arch, p.name)}
			if t.os == "windows" {
				b.file += ".exe"
			}
			if err := r.publish(ctx, b); err != nil {
				return fmt.Errorf("%s for %s: %w", p.name, t, err)
			}
			fmt.Printf("%s for %s in %s\n", p.name, t, time.Since(began).Round(time.Second))
		}
	}
	for _, p := range programs {
		if err := errors.Join(r.npmProgram(p, chosen), r.manifests(p, chosen)); err != nil {
			return err
		}
	}
	if err := r.checksums(keyFile); err != nil {
		return err
	}
	fmt.Printf("%s of commit %s in %s\n", r.version, r.commit, r.out)
	return nil
}

// publish builds a binary and writes the files that it is published as.
func (r *release) publish(ctx context.Context, b binary) error {
	if err := r.build(ctx, b); err != nil {
		return err
	}
	if err := limited(b.file, b.program.most); err != nil {
		return err
	}
	for _, write := range []func(binary) error{r.archive, r.packages, r.npmBinary, r.bill} {
		if err := write(b); err != nil {
			return err
		}
	}
	return nil
}

// limited refuses a file that has more bytes than the limit.
func limited(file string, most int64) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if most > 0 && info.Size() > most {
		return fmt.Errorf("%s has %.1f MB, and its limit in deploy/release/release.go is %.1f MB: go list -deps says what it links",
			info.Name(), float64(info.Size())/(1<<20), float64(most)/(1<<20))
	}
	return nil
}

// build compiles the binary, static and without paths of this machine.
func (r *release) build(ctx context.Context, b binary) error {
	const cli = "readiness/cmd/cli."
	flags := []string{"-s", "-w", "-buildid=", "-X " + cli + "version=" + r.version, "-X " + cli + "commit=" + r.commit,
		"-X " + cli + "date=" + r.date.Format(time.RFC3339)}
	if r.docs != "" {
		flags = append(flags, "-X readiness/offline/rulehelp.DocsURL="+r.docs)
	}
	// By name: go run and go test put the go command's own folder first in PATH, and runtime.GOROOT is empty under -trimpath.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags", strings.Join(flags, " "), "-o", b.file, "./cmd/"+b.program.name)
	cmd.Dir = r.source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+b.target.os, "GOARCH="+b.target.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
