package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

const (
	// sums is the list of checksums, in the form of sha256sum; signed is the same as a signed note.
	sums, signed = "checksums.txt", "checksums.txt.note"
	// signer is the name of a key that is made for one release.
	signer = "readiness-snapshot"
	// published matches the names of all files of a release: of the programs, the container image and the extension for VS Code.
	published = "readiness*"
)

// checksums writes the list of the release's files, plain and as a note that the key of the file signs.
func (r *release) checksums(keyFile string) error {
	names, err := filepath.Glob(filepath.Join(r.out, published))
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, name := range names { // Glob sorts
		sum, err := hashOf(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s  %s\n", sum, filepath.Base(name))
	}
	key, public := "", ""
	if keyFile != "" {
		text, err := os.ReadFile(keyFile)
		if err != nil {
			return err
		}
		key = strings.TrimSpace(string(text))
	} else if key, public, err = note.GenerateKey(rand.Reader, signer); err != nil {
		return err
	}
	by, err := note.NewSigner(key)
	if err != nil {
		return fmt.Errorf("the key that signs: %w", err)
	}
	text, err := note.Sign(&note.Note{Text: list.String()}, by)
	if err != nil {
		return err
	}
	if public != "" {
		fmt.Printf("signed by a key made for this build, %s\n", public)
	}
	return errors.Join(os.WriteFile(filepath.Join(r.out, sums), list.Bytes(), 0o644), os.WriteFile(filepath.Join(r.out, signed), text, 0o644))
}

func hashOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// verified checks the note of a release and every file that it lists. A file that it does not list is an error too.
func verified(dir, public string) error {
	by, err := note.NewVerifier(public)
	if err != nil {
		return fmt.Errorf("-verifier: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, signed))
	if err != nil {
		return err
	}
	n, err := note.Open(text, note.VerifierList(by))
	if err != nil {
		return fmt.Errorf("%s: %w", signed, err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(n.Text) {
		want, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || name != filepath.Base(name) {
			return fmt.Errorf("%s: line %q", signed, line)
		}
		got, err := hashOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%s has the checksum %s, and %s says %s", name, got, signed, want)
		}
		listed[name] = true
	}
	names, err := filepath.Glob(filepath.Join(dir, published))
	if err != nil {
		return err
	}
	for _, name := range names {
		if !listed[filepath.Base(name)] {
			return fmt.Errorf("%s does not list %s", signed, filepath.Base(name))
		}
	}
	fmt.Printf("%d files match the checksums that %s signed\n", len(listed), by.Name())
	return nil
}
