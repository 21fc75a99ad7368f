package commands_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
)

// tester is a commands.ProviderTester.
type tester func(s aiprovider.Settings) (aiprovider.Observation, error)

// Test implements commands.ProviderTester.
func (f tester) Test(_ context.Context, s aiprovider.Settings) (aiprovider.Observation, error) {
	return f(s)
}

func answers(aiprovider.Settings) (aiprovider.Observation, error) {
	return aiprovider.Observation{Test: aiprovider.Test{OK: true, Message: "It answers."}, Capabilities: &aiprovider.Capabilities{JSONSchema: aiprovider.Strict}}, nil
}

func key(t *testing.T, text string) aiprovider.Key {
	t.Helper()
	k, err := aiprovider.NewKey(text)
	check(t, err)
	return k
}

func configuration(name string, kind aiprovider.Kind, purposes ...aiprovider.Purpose) aiprovider.Configuration {
	c := aiprovider.Configuration{
		Name: name, Kind: kind, Model: "m", Purposes: purposes, Enabled: true, DataPolicy: aiprovider.DataPolicy{SendDAX: true}, Limits: aiprovider.DefaultLimits(),
	}
	if kind.NeedsAddress() {
		c.BaseURL = "https://models.example/" + string(kind)
	}
	return c
}

// TestProviders checks which provider is asked, and with which key.
func TestProviders(t *testing.T) {
	t.Parallel()
	s := newService(t, 0)
	s.Providers.Tester = tester(answers)
	ana := s.Ana(account.Team)
	saved := map[string]aiprovider.Provider{}
	save := func(text string, of aiprovider.Configuration) {
		t.Helper()
		k := aiprovider.Key{}
		if text != "" {
			k = key(t, text)
		}
		p, err := s.Providers.Save(t.Context(), ana, of, k, false)
		check(t, err)
		saved[of.Name] = p
	}
	const all = "Proposals Questions Judge Agent"
	first := func() map[string]string { // by purpose, the provider that is asked
		t.Helper()
		found := map[string]string{}
		for purpose := range strings.FieldsSeq(all) {
			of, ok, err := s.Providers.ForPurpose(t.Context(), "contoso", aiprovider.Purpose(purpose))
			if err != nil || ok != (of.Name != "") {
				t.Fatal(of, ok, err)
			}
			found[purpose] = of.Name + "/" + of.Key.Reveal()
		}
		of, err := s.Providers.Proposing(t.Context(), "contoso")
		check(t, err)
		found["texts"] = of.Name
		return found
	}
	want := func(wants string) {
		t.Helper()
		found, got := first(), ""
		for purpose := range strings.FieldsSeq(all + " texts") {
			got += found[purpose] + " "
		}
		if strings.TrimSpace(got) != wants {
			t.Errorf("asked %s, want %s", got, wants)
		}
	}
	want("/ / / / Embedded rules")
	declare := func(p *account.AIProvider) {
		t.Helper()
		if _, err := s.Accounts.Apply(t.Context(), []account.Declaration{{
			AccountID: "contoso", Plan: account.Team, Status: account.Active, Settings: account.Settings{DefinitionCopies: account.CopiesNone}, AIProvider: p,
			People: []account.Person{{Person: item.Person{ID: "ana"}, Role: account.Admin}},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	declare(&account.AIProvider{Kind: aiprovider.OpenAICompatible, Name: "Declared", BaseURL: "http://127.0.0.1/v1", Model: "m", APIKeyEnv: "KEY"})
	want("/ / / / Declared")
	of, err := s.Providers.Proposing(t.Context(), "contoso")
	if err != nil || !of.Declared || of.KeyEnv != "KEY" || of.ProviderID != "" || !of.Key.IsZero() {
		t.Errorf("the declared one: %+v, %v", of, err)
	}

	save("", configuration("Keyless", aiprovider.OpenAI, aiprovider.Proposals, aiprovider.Questions)) // it cannot be asked without a key
	save("sk-a", configuration("A", aiprovider.OpenAI, aiprovider.Proposals, aiprovider.Judge))
	save("", configuration("Local", aiprovider.OpenAICompatible, aiprovider.Questions, aiprovider.Judge))
	save("sk-b", configuration("B", aiprovider.AzureOpenAI, aiprovider.Proposals, aiprovider.Judge))
	fabric := configuration("Fabric", aiprovider.DataAgent, aiprovider.Agent)
	fabric.Model, fabric.WorkspaceID, fabric.DataAgentID = "", uuid.New(), uuid.New()
	save("", fabric) // it is asked under its own kind
	want("A/sk-a Local/ A/sk-a / A")
	of, found, err := s.Providers.ForPurpose(t.Context(), "contoso", aiprovider.Judge, saved["A"].ProviderID, saved["Local"].ProviderID)
	if err != nil || !found || of.Name != "B" || of.Key.Reveal() != "sk-b" || of.Declared || of.WithoutDAX || of.Capabilities.JSONSchema != aiprovider.Strict {
		t.Errorf("except two: %+v %v %v", of, found, err)
	}
	save("", configuration("Local again", aiprovider.OpenAICompatible, aiprovider.Judge)) // the same model under another name
	of, found, err = s.Providers.ForPurpose(t.Context(), "contoso", aiprovider.Judge, saved["A"].ProviderID, saved["B"].ProviderID, saved["Local"].ProviderID)
	if found || err != nil {
		t.Errorf("an alias of a side judges: %+v, %v", of, err)
	}
	if of, found, err := s.Providers.ForPurpose(t.Context(), "contoso", aiprovider.Questions, saved["Local"].ProviderID); found || err != nil {
		t.Errorf("except the only one: %+v %v", of, err)
	}
	change := func(name string, p aiprovider.Patch, k aiprovider.Key) {
		t.Helper()
		if _, err := s.Providers.Change(t.Context(), ana, saved[name].ProviderID, p, k, false); err != nil {
			t.Fatal(err)
		}
	}
	change("A", aiprovider.Patch{Enabled: new(false)}, aiprovider.Key{})
	want("B/sk-b Local/ Local/ / B")
	change("Keyless", aiprovider.Patch{Key: aiprovider.GiveKey}, key(t, "sk-late"))
	want("Keyless/sk-late Keyless/sk-late Local/ / Keyless")

	get := func(accountID, id string) error {
		_, err := s.Providers.Get(t.Context(), accountID, id)
		return err
	}
	if of, err := s.Providers.Get(t.Context(), "contoso", saved["B"].ProviderID); err != nil || of.Name != "B" || of.Key.Reveal() != "sk-b" {
		t.Errorf("got %+v, %v", of, err)
	}
	if of, err := s.Providers.Get(t.Context(), "contoso", aiprovider.EmbeddedID); err != nil || !of.IsEmbedded() {
		t.Errorf("got %+v, %v", of, err)
	}
	change("Keyless", aiprovider.Patch{Key: aiprovider.RemoveKey}, aiprovider.Key{})
	for name, tt := range map[string]struct {
		err  error
		code domain.Code
	}{
		"another account's": {get("other", saved["B"].ProviderID), domain.AiProviderNotFound},
		"none":              {get("contoso", "nothing"), domain.AiProviderNotFound},
		"not enabled":       {get("contoso", saved["A"].ProviderID), domain.AiProviderNotFound},
		"without its key":   {get("contoso", saved["Keyless"].ProviderID), domain.AiCredentialNotFound},
	} {
		if !domain.IsRefused(tt.err, tt.code) {
			t.Errorf("%s: got %v, want %s", name, tt.err, tt.code)
		}
	}
	for _, p := range saved {
		check(t, s.Providers.Delete(t.Context(), ana, p.ProviderID))
	}
	want("/ / / / Declared")
	declare(nil)
	want("/ / / / Embedded rules")
}

// Test calls run without a lock. Of several saves of the same name at once, one
// succeeds.
func TestSavingAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t, 0)
	const n = 4
	var together sync.WaitGroup // all make their test calls before any of them saves
	together.Add(n)
	s.Providers.Tester = tester(func(of aiprovider.Settings) (aiprovider.Observation, error) {
		together.Done()
		together.Wait()
		return answers(of)
	})
	codes := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			_, err := s.Providers.Save(t.Context(), s.Ana(account.Team), configuration([]string{"Local", "LOCAL"}[i%2], aiprovider.OpenAI), key(t, fmt.Sprintf("sk-%d", i)), false)
			if refusal, ok := domain.Refused(err); ok {
				codes[i] = string(refusal.Code)
			} else if err != nil {
				codes[i] = err.Error()
			}
		})
	}
	wg.Wait()
	slices.Sort(codes)
	if diff := cmp.Diff([]string{"", "AiProviderConflict", "AiProviderConflict", "AiProviderConflict"}, codes); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var rows int
	if err := s.Pool.QueryRow(t.Context(), `SELECT count(*) FROM ai_credentials`).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d keys are stored (%v), want 1", rows, err)
	}
}

// A fault of ours during a test call leaves no trace. A failure of the provider is
// not a fault.
func TestTestCallsThatFail(t *testing.T) {
	t.Parallel()
	s := newService(t, 0)
	ana := s.Ana(account.Team)
	before := s.Left(t)
	s.Providers.Tester = tester(func(aiprovider.Settings) (aiprovider.Observation, error) {
		return aiprovider.Observation{}, errors.New("no memory")
	})
	if _, err := s.Providers.Save(t.Context(), ana, configuration("Local", aiprovider.OpenAI), key(t, "sk-secret"), false); err == nil || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("got error %v", err)
	}
	s.Unchanged(t, before)

	s.Providers.Tester = tester(func(aiprovider.Settings) (aiprovider.Observation, error) {
		return aiprovider.Observation{Test: aiprovider.Test{ErrorCode: aiprovider.Unreachable, Message: "It did not answer."}}, nil
	})
	if _, err := s.Providers.Save(t.Context(), ana, configuration("Local", aiprovider.OpenAI), key(t, "sk-secret"), false); !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("saved although it cannot be reached: %v", err)
	}
	s.Unchanged(t, before)
	p, err := s.Providers.Save(t.Context(), ana, configuration("Local", aiprovider.OpenAI), key(t, "sk-secret"), true)
	if err != nil || p.LastTest == nil || p.LastTest.OK || p.LastTest.ErrorCode != aiprovider.Unreachable || !p.LastTest.At.Equal(noon) {
		t.Errorf("got %+v, %v", p, err)
	}
	s.Providers.Tester = tester(answers)
	s.Clock.Advance(time.Hour)
	if p, err = s.Providers.Test(t.Context(), ana, p.ProviderID); err != nil || !p.LastTest.OK || !p.LastTest.At.Equal(noon.Add(time.Hour)) || !p.ChangedAt.Equal(noon) {
		t.Errorf("got %+v, %v", p, err)
	}
}
