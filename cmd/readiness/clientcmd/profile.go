package clientcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"time"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/internal/filelock"
	"readiness/offline/show"
)

// profile is a stored login: a service and the token of the person who calls it.
type profile struct {
	BaseURL string `json:"baseUrl"`
	Token   string `json:"token"`
	// SignedIn is the sign-in that the token came from; nil for a stored token.
	SignedIn *signedIn `json:"signedIn,omitempty"`
}

// signedIn is a sign-in at an issuer, which can be renewed.
type signedIn struct {
	Issuer   string   `json:"issuer"`
	ClientID string   `json:"clientId"`
	Scopes   []string `json:"scopes"`
	// Device signs in with a code for another device, instead of a browser.
	Device bool   `json:"device,omitempty"`
	CAFile string `json:"caFile,omitempty"`
	// Refresh is empty when the issuer gave none, Expires zero when it did not say.
	Refresh string    `json:"refreshToken,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
}

const defaultProfile = "default"

// The environment variables that replace a profile. There is no flag for the token, because every user of a machine can
// see the command lines of its processes.
const (
	environmentBaseURL = "READINESS_CLIENT_BASE_URL"
	environmentToken   = "READINESS_CLIENT_TOKEN" //nolint:gosec // the name of a variable
)

// profileNames matches names that are valid as file names on every system and never hidden.
var profileNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// profilePath returns the path of the profile.
func (c *calls) profilePath() (string, error) {
	if !profileNames.MatchString(c.profile) {
		return "", cli.Usage("--profile must be letters, digits, dots, dashes and underscores, and begin with a letter or digit, not %q",
			c.profile)
	}
	dir := c.config
	if dir == "" {
		settings, err := os.UserConfigDir()
		if err != nil {
			return "", fmt.Errorf("%w; name a folder for profiles with --config", err)
		}
		dir = filepath.Join(settings, "readiness")
	}
	return filepath.Join(dir, "profiles", c.profile+".json"), nil
}

// login returns the service to call and the token to use, from the environment or the profile. A profile's token is
// never sent to another address than the profile's.
func (c *calls) login() (profile, error) {
	baseURL, token := os.Getenv(environmentBaseURL), os.Getenv(environmentToken)
	if baseURL != "" {
		if token == "" {
			return profile{}, cli.Usage("%s needs %s: a profile's token is only sent to the profile's address", environmentBaseURL,
				environmentToken)
		}
		return profile{BaseURL: baseURL, Token: token}, nil
	}
	path, err := c.profilePath()
	if err != nil {
		return profile{}, err
	}
	kept, err := c.readProfile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return profile{}, c.noProfile()
	}
	if token != "" {
		kept.Token, kept.SignedIn = token, nil
	}
	return kept, err
}

func (c *calls) noProfile() error {
	return fmt.Errorf("there is no profile %s; create it with readiness client login --base-url URL%s", c.profile, c.profileFlag())
}

// profileFlag returns the flags, quoted for a shell, that make a command line use the same profile.
func (c *calls) profileFlag() string {
	flags := ""
	if c.profile != defaultProfile {
		flags += " --profile " + c.profile
	}
	if c.config != "" {
		flags += " --config " + show.ShellWord(c.config)
	}
	return flags
}

// readProfile reads a profile, and refuses one that others than its owner can read.
func (*calls) readProfile(path string) (p profile, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return p, fmt.Errorf("%s holds a token and is readable by other users; run chmod 600 on it, and replace the token if others may "+
			"have read it", path)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the user's own file
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil || p.Token == "" || client.CheckBaseURL(p.BaseURL) != nil {
		return profile{}, fmt.Errorf("%s is not a valid profile; create it again with readiness client login",
			path) // the underlying error could show the token
	}
	return p, nil
}

// write stores the profile at path atomically.
func (p profile) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".profile.*") // created with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // fails after the rename
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// lockPatience is how long a command waits for another that renews the same profile's tokens, which can wait for a person.
const lockPatience = 11 * time.Minute

// lock keeps other commands from renewing the profile's tokens until unlock is called. An issuer may take a refresh
// token once only, so two commands must not use the same one. The system releases the lock when the process dies.
func (*calls) lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // next to the user's own profile
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, errors.New("another command is signing in"))
	defer cancel()
	if err := filelock.Lock(ctx, file, filelock.Exclusive); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}
