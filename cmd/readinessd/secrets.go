package main

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// keyFile holds the secret that the service's keys are derived from. All processes of a service share it. If it is
// lost, the people in the database cannot be identified, stored tokens of accepted work cannot be decrypted and earlier
// continuation tokens are refused.
const keyFile = "service.key"

const secretSize = 32

// secrets holds the service's secret, which is never in the database.
type secrets struct {
	secret []byte
	path   string // of the file that holds the secret
}

// openSecrets reads the secret in the data directory, and creates it the first time. Several processes may start at
// once.
func openSecrets(data string) (secrets, error) {
	path := filepath.Join(data, keyFile)
	if err := othersCannotWrite(data); err != nil {
		return secrets{}, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := makeSecret(data, path); err != nil {
			return secrets{}, fmt.Errorf("make the service's key: %w", err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return secrets{}, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return secrets{}, fmt.Errorf("%s is readable by other users; run chmod 600 on it", path)
	}
	secret, err := os.ReadFile(path)
	if err != nil {
		return secrets{}, err
	}
	if len(secret) != secretSize {
		return secrets{}, fmt.Errorf("%s has %d bytes, want %d; restore it from its backup", path, len(secret), secretSize)
	}
	return secrets{secret, path}, nil
}

// hasKey reports whether the data directory has a service.key, whether it can be read or not.
func hasKey(data string) (bool, error) {
	_, err := os.Lstat(filepath.Join(data, keyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// othersCannotWrite returns an error if every user may write to the data directory, and so put other keys there. It may not exist yet.
func othersCannotWrite(data string) error {
	info, err := os.Stat(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" || info.Mode().Perm()&0o002 == 0 { // Windows has access lists instead
		return nil
	}
	return fmt.Errorf("all users may write to the data directory %s, and so replace its keys; run chmod o-w on it", data)
}

// check returns an error unless the data directory still holds the secret: without it the process could not be
// restarted.
func (s secrets) check() error {
	now, err := os.ReadFile(s.path)
	if err == nil && !bytes.Equal(now, s.secret) {
		err = fmt.Errorf("%s holds another key than the one this process uses", s.path)
	}
	return err
}

// makeSecret writes a new secret atomically. It keeps one that another process wrote in the meantime.
func makeSecret(data, path string) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // never fails
	f, err := os.CreateTemp(data, keyFile+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(secret)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// keptHead is the file next to the secret with the newest signed head of the log. It shows that the database was restored to an earlier
// time.
func (s secrets) keptHead() string { return filepath.Join(filepath.Dir(s.path), "audit.checkpoint") }

// key derives the key for one purpose, of the given size in bytes.
func (s secrets) key(purpose string, size int) []byte {
	key, err := hkdf.Key(sha256.New, s.secret, nil, "readiness/"+purpose, size)
	if err != nil {
		panic(err) // the sizes are constants
	}
	return key
}
