package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"readiness/client"
)

// profile is a login that is kept: a service, and the token of the person who calls it.
type profile struct {
	BaseURL string `json:"baseUrl"`
	Token   string `json:"token"`
}

const defaultProfile = "default"

// The environment variables that stand for a profile. There is no flag for the token: the command lines of a machine are seen by
// everybody on it.
const (
	environmentBaseURL = "READINESS_CLIENT_BASE_URL"
	environmentToken   = "READINESS_CLIENT_TOKEN" //nolint:gosec // the name of a variable
)

// profileNames are file names everywhere, and hidden nowhere.
var profileNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// profilePath is the file of the profile.
func (c *clientCalls) profilePath() (string, error) {
	if !profileNames.MatchString(c.profile) {
		return "", usage("--profile must be letters, digits, dots, dashes and underscores, and begin with a letter or digit, not %q", c.profile)
	}
	dir := c.config
	if dir == "" {
		settings, err := os.UserConfigDir()
		if err != nil {
			return "", fmt.Errorf("%w; --config names a folder for profiles", err)
		}
		dir = filepath.Join(settings, "readiness")
	}
	return filepath.Join(dir, "profiles", c.profile+".json"), nil
}

// login is whom the command line calls as, and where: the environment, else the profile. The token of a profile is never sent
// to an address that is not the profile's.
func (c *clientCalls) login() (profile, error) {
	baseURL, token := os.Getenv(environmentBaseURL), os.Getenv(environmentToken)
	if baseURL != "" {
		if token == "" {
			return profile{}, usage("%s needs %s: the token of a profile goes to the profile's address alone", environmentBaseURL, environmentToken)
		}
		return profile{baseURL, token}, nil
	}
	path, err := c.profilePath()
	if err != nil {
		return profile{}, err
	}
	kept, err := readProfile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return profile{}, fmt.Errorf("there is no profile %s; readiness client login --base-url URL%s makes it", c.profile, c.profileFlag())
	}
	if token != "" {
		kept.Token = token
	}
	return kept, err
}

// profileFlag is what a command line that calls as the same person ends with, as it is typed in a shell.
func (c *clientCalls) profileFlag() string {
	flags := ""
	if c.profile != defaultProfile {
		flags += " --profile " + c.profile
	}
	if c.config != "" {
		flags += " --config " + shellWord(c.config)
	}
	return flags
}

// readProfile reads a profile that its owner alone may read.
func readProfile(path string) (p profile, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return p, fmt.Errorf("%s may be read by others than its owner and holds a token; chmod 600 it, and take a new token if others were there", path)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the user's own file
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil || p.Token == "" || client.CheckBaseURL(p.BaseURL) != nil {
		return profile{}, fmt.Errorf("%s is no profile; readiness client login makes it anew", path) // the text of it would show the token
	}
	return p, nil
}

// write keeps the profile at path, whole or not at all.
func (p profile) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".profile.*") // readable by its owner alone
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // which is gone once it is renamed
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
