package setup_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/fabric/probe"
	"readiness/platform/fabric/setup"
	"readiness/platform/folder"
	"readiness/test/samples"
)

// A person writes only if their account is named and the probe of their tenant has passed.
func TestWrites(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "answers.json")
	const passed, failed = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	answers := fabric.Answers{ProbedAt: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), Passed: true, HiddenKept: true, Relaid: map[string]string{"definition.pbism": "values"}}
	for tenant, a := range map[string]fabric.Answers{strings.ToUpper(passed): answers, failed: {CopilotShown: true}} {
		if err := setup.KeepAnswers(file, tenant, a); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		on              bool
		account, tenant string
		says            string // "" if they may write
	}{
		"may, and passed":     {true, "contoso", passed, ""},
		"another account":     {true, "fabrikam", passed, "only reads from Fabric for your account"},
		"writes are off":      {false, "contoso", passed, "off"},
		"a probe that failed": {true, "contoso", failed, "before a probe has passed"},
		"no probe":            {true, "contoso", "33333333-3333-4333-8333-333333333333", "before a probe has passed"},
		"no tenant":           {true, "contoso", "", "before a probe has passed"},
		"it is not known":     {true, "unknown", passed, "the view is away"},
	} {
		w := setup.Writes{On: c.on, AnswersFile: file}
		probed, writing, err := w.Load(func(_ context.Context, as item.Caller) (bool, error) {
			if as.Account == "unknown" {
				return true, errors.New("the view is away")
			}
			return as.Account == "contoso", nil
		}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		as := item.Caller{Account: c.account, Person: item.Person{ID: c.tenant + "/ada"}}
		if c.says == "off" {
			if writing != nil {
				t.Errorf("%s: writes are on", name)
			}
			continue
		}
		err = writing(t.Context(), as)
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", name, err, c.says)
		}
		if got := probed(as.Person); c.tenant == passed && !got.HiddenKept {
			t.Errorf("%s: the findings are %+v", name, got)
		}
	}
}

// A file that is missing, damaged or too large keeps the service from starting.
func TestAnswersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"missing": "", "damaged": "{", "large": strings.Repeat(" ", 2<<20)} {
		file := filepath.Join(dir, name)
		if text != "" {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := (&setup.Writes{AnswersFile: file}).Load(nil, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "--fabric-answers") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, _, err := (&setup.Writes{On: true}).Load(nil, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "needs --fabric-answers") {
		t.Errorf("without a file, got %v", err)
	}
	if probed, writing, err := (&setup.Writes{}).Load(nil, slog.New(slog.DiscardHandler)); err != nil || probed != nil || writing != nil {
		t.Errorf("without flags, got %v", err)
	}
}

// The answers of a later probe apply without a restart. If the file is removed or damaged later, the earlier answers stay.
func TestAnswersAreReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "answers.json")
	const tenant = "11111111-1111-4111-8111-111111111111"
	keep := func(a fabric.Answers) {
		t.Helper()
		if err := setup.KeepAnswers(file, tenant, a); err != nil {
			t.Fatal(err)
		}
	}
	keep(fabric.Answers{})
	var log bytes.Buffer
	may := func(context.Context, item.Caller) (bool, error) { return true, nil }
	w := setup.Writes{On: true, AnswersFile: file}
	probed, writing, err := w.Load(may, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	as := item.Caller{Account: "contoso", Person: item.Person{ID: tenant + "/ada"}}
	holds := func(when string, passed bool, says string) {
		t.Helper()
		log.Reset()
		for range 2 { // it is logged once
			if got, err := probed(as.Person), writing(t.Context(), as); got.Passed != passed || (err == nil) != passed {
				t.Errorf("%s: passed %t, writes are refused with %v", when, got.Passed, err)
			}
		}
		if n := strings.Count(log.String(), "\n"); says == "" && n != 0 || says != "" && (n != 1 || !strings.Contains(log.String(), says)) {
			t.Errorf("%s: the log has %q, want %q", when, &log, says)
		}
	}
	holds("at the start", false, "")
	keep(fabric.Answers{Passed: true})
	holds("after a probe that passed", true, "were read again")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds("when it is damaged", true, "cannot be read again")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	holds("when it is gone", true, "cannot be read again")
	keep(fabric.Answers{})
	holds("after a probe that did not pass", false, "were read again")
}

// A probe that could not ask everything leaves the file unchanged; one that has not passed replaces the answers.
func TestProbeKeepsAnswers(t *testing.T) {
	t.Parallel()
	const client, tenant, ada = "33333333-3333-4333-8333-333333333333", "11111111-1111-4111-8111-111111111111",
		"22222222-2222-4222-8222-222222222222"
	behind, err := folder.Open(samples.Workspaces(t), folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		workspace string
		forgets   bool
		fails     string
		kept      bool
		passed    bool // in the file
	}{
		"passed":     {workspace: "dd861a23-9ffc-5a77-a120-f2f1e51bfd19", kept: true, passed: true},
		"not passed": {workspace: "dd861a23-9ffc-5a77-a120-f2f1e51bfd19", forgets: true, kept: true},
		"not asked":  {workspace: client, fails: "is not there"},
	} {
		provider, err := emulator.NewEntra(client, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		provider.SetPeople(emulator.User{Name: "ada", Object: ada})
		service := emulator.New(emulator.Options{Folder: behind, Person: provider.Person, AtOnce: true, Lasts: time.Nanosecond,
			RetryAfter: time.Second, Layout: emulator.Layout{Forgetful: c.forgets}})
		server := httptest.NewTLSServer(emulator.Handler(service, provider))
		t.Cleanup(server.Close)
		dir := t.TempDir()
		secret, file := filepath.Join(dir, "secret"), filepath.Join(dir, "answers.json")
		before := fabric.Answers{Passed: true, QueriesRefused: "before"}
		err = errors.Join(os.WriteFile(secret, []byte("of-the-service\n"), 0o600), setup.KeepAnswers(file, tenant, before))
		token, err2 := provider.SignIn(tenant, ada, time.Hour)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		a := setup.Application{ClientID: client, Tenants: []string{tenant}, SecretFile: secret, URL: server.URL, PowerBIURL: server.URL,
			IQURL: server.URL, Authority: server.URL, Transport: server.Client().Transport}
		passed, err := a.Probe(t.Context(), token, file, probe.Probe{Workspace: uuid.MustParse(c.workspace), Report: func(string, string) {}},
			slog.New(slog.DiscardHandler))
		if passed != c.passed || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: passed %t, %v", name, passed, err)
		}
		probed, _, err := (&setup.Writes{AnswersFile: file}).Load(nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		got := probed(item.Person{ID: tenant + "/x"})
		if kept := got.QueriesRefused != "before"; kept != c.kept || kept && got.Passed != c.passed {
			t.Errorf("%s: the file says %+v", name, got)
		}
		if all, _ := filepath.Glob(filepath.Join(dir, "*")); len(all) != 2 {
			t.Errorf("%s: left %v", name, all)
		}
	}
}
