package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// emulator is readinessd emulator as a child process, over the program's workspaces.
type emulator struct {
	data, url, tenant, client, public, issuer string
	serving                                   *exec.Cmd
	ended                                     chan struct{}

	mu     sync.Mutex
	calls  []platformCall // that it has answered, oldest first
	logged chan struct{}  // receives after a call was added; holds one
}

// emulate starts the emulator. Definitions are laid out as they are in the folder, so that the demo can compare files.
func (p *program) emulate(ctx context.Context) (*emulator, error) {
	e := &emulator{data: filepath.Join(filepath.Dir(p.data), "emulator"), ended: make(chan struct{}), logged: make(chan struct{}, 1)}
	e.serving = exec.CommandContext(context.WithoutCancel(ctx), p.path, "emulator", "--platform", "folder:"+p.workspaces, "--listen",
		"127.0.0.1:0", "--data", e.data, "--exact", "--operations-last", "50ms", "--retry-after", "1s", "--quota-calls",
		strconv.Itoa(quotaCalls), "--quota-operations", strconv.Itoa(quotaOperations), "--quota-window", quotaWindow.String(),
		"--log-level", "debug", "--log-format", "json")
	e.serving.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := e.serving.StdoutPipe()
	if err != nil {
		return nil, err
	}
	logged, err := e.serving.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := e.serving.Start(); err != nil {
		return nil, err
	}
	greeted := make(chan struct{})
	var logs sync.WaitGroup
	logs.Go(func() {
		for lines := bufio.NewScanner(logged); lines.Scan(); {
			if !e.note(lines.Bytes()) {
				_, _ = p.note(lines.Bytes()) // never fails
			}
		}
	})
	go func() {
		defer close(e.ended)
		defer logs.Wait()
		for lines := bufio.NewScanner(out); lines.Scan(); {
			e.read(lines.Text(), greeted)
		}
		_ = e.serving.Wait()
	}()
	select {
	case <-greeted:
		return e, e.prepare()
	case <-e.ended:
		return nil, fmt.Errorf("the emulator did not start\n%s", p.lastMessages())
	case <-ctx.Done():
		e.stop()
		return nil, ctx.Err()
	}
}

// read takes what a line of the emulator's greeting says; greeted is closed after the last of them.
func (e *emulator) read(line string, greeted chan struct{}) {
	if at, is := strings.CutPrefix(line, "Emulating Fabric, Power BI and Entra at "); is {
		e.url = at
		return
	}
	for name, value := range map[string]*string{"tenant": &e.tenant, "client id": &e.client, "public client": &e.public,
		"issuer": &e.issuer} {
		if rest, is := strings.CutPrefix(line, "  "+name+" "); is {
			*value = strings.TrimSpace(rest)
			if name == "issuer" {
				close(greeted)
			}
		}
	}
}

// prepare writes what a probe of the tenant would have found out, which lets the service write.
func (e *emulator) prepare() error {
	text, err := json.Marshal(map[string]any{"tenants": map[string]any{e.tenant: map[string]any{
		"probedAtUtc": time.Now().UTC(), "passed": true, "copilotShown": true, "hiddenKept": true,
	}}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(e.data, "answers.json"), text, 0o600)
}

// flags are those with which the service uses the emulator.
func (e *emulator) flags() []string {
	in := func(name string) string { return filepath.Join(e.data, name) }
	return []string{"--platform", "fabric", "--fabric-url", e.url, "--fabric-power-bi-url", e.url, "--fabric-iq-url", e.url,
		"--fabric-authority", e.url,
		"--fabric-client-id", e.client, "--fabric-tenant", e.tenant, "--fabric-secret-file", in("secret.txt"), "--issuer", e.issuer,
		"--audience", e.client, "--ca-file", in("ca.pem"), "--accounts", in("accounts.yaml"), "--fabric-writes",
		"--fabric-answers", in("answers.json"), "--fabric-share", "2000"} // the demo does in a minute what takes people an hour
}

// stop ends the emulator.
func (e *emulator) stop() {
	_ = e.serving.Process.Signal(syscall.SIGTERM) // it may be gone already
	select {
	case <-e.ended:
	case <-time.After(time.Minute):
		_ = e.serving.Process.Kill()
		<-e.ended
	}
}

// deviceCode matches what client login prints for a person.
var deviceCode = regexp.MustCompile(`Open (\S+) on any device and enter the code (\S+)`)

// signInWithDevice signs a person in with a code for another device, as they would on the command line, and returns their
// token.
func (d *demo) signInWithDevice(ctx context.Context, person string) (string, error) {
	e := d.emulator
	config, ca := filepath.Join(e.data, "config"), filepath.Join(e.data, "ca.pem")
	cmd := exec.CommandContext(ctx, d.program.desk, "client", "--config", config, "--profile", person, "login", "--base-url", d.base,
		"--issuer", e.issuer, "--client-id", e.public, "--scope", e.client+"/.default", "--ca-file", ca, "--device")
	out, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	var said bytes.Buffer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if found := deviceCode.FindStringSubmatch(lines.Text()); found != nil {
			d.screen.say("%s: %s", person, lines.Text())
			err = errors.Join(err, e.enter(ctx, found[1], found[2], person))
		}
	}
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return "", fmt.Errorf("%s cannot sign in: %w\n%s", person, err, &said)
	}
	text, err := os.ReadFile(filepath.Join(config, "profiles", person+".json")) //nolint:gosec // in the demo's own directory
	var profile struct{ Token string }
	if err == nil {
		err = json.Unmarshal(text, &profile)
	}
	return profile.Token, err
}

// enter chooses the person on the page for codes, as they do in a browser.
func (e *emulator) enter(ctx context.Context, page, code, person string) error {
	ca, err := os.ReadFile(filepath.Join(e.data, "ca.pem"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	trusting := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	client := http.Client{Timeout: time.Minute, Transport: trusting}
	defer client.CloseIdleConnections()
	shown, err := e.page(ctx, client, page, url.Values{})
	if err != nil {
		return err
	}
	object := regexp.MustCompile(`value="([^"]+)"[^>]*>` + person).FindStringSubmatch(shown)
	if object == nil {
		return fmt.Errorf("the page %s does not offer %s", page, person)
	}
	_, err = e.page(ctx, client, page, url.Values{"user_code": {code}, "person": {object[1]}})
	return err
}

func (*emulator) page(ctx context.Context, client http.Client, page string, form url.Values) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, page, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %d", page, res.StatusCode)
	}
	return string(text), err
}
