package work_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"readiness/domain"
	"readiness/domain/optimization"
	"readiness/test/testworld"

	"github.com/google/uuid"

	"readiness/ai"
	"readiness/commands"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/work"
)

// unanswering is an AI provider that accepts every question and answers only after
// release.
type unanswering struct {
	url     string
	asked   chan struct{} // receives one value per question
	release func()

	mu      sync.Mutex
	waiting int
}

func newUnanswering(t *testing.T) *unanswering {
	t.Helper()
	let := make(chan struct{})
	s := &unanswering{asked: make(chan struct{}, 1000), release: sync.OnceFunc(func() { close(let) })}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.count(1)
		defer s.count(-1)
		s.asked <- struct{}{}
		select {
		case <-let:
		case <-r.Context().Done():
		}
		rw.WriteHeader(http.StatusUnauthorized)
	}))
	s.url = server.URL
	t.Cleanup(server.Close)
	t.Cleanup(s.release)
	return s
}

func (s *unanswering) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting += n
}

// hanging returns how many questions wait for an answer.
func (s *unanswering) hanging() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// of is a caller of another account.
func (b *bench) of(account, person string) commands.Caller {
	who := b.ana()
	who.Account, who.PersonID, who.Person = account, item.PersonID(person), item.Person{ID: person}
	return who
}

// saveProvider saves a language model that writes texts, without a test call.
func (b *bench) saveProvider(t *testing.T, account, url string) {
	t.Helper()
	past := eventstore.FoldCached(aiprovider.Stream(account), aiprovider.Evolve)
	save := aiprovider.Save{At: b.Now(), Configuration: aiprovider.Configuration{
		ProviderID: uuid.NewString(), Name: "Model of " + account, Kind: aiprovider.OpenAICompatible, BaseURL: url, Model: "m", Enabled: true,
		Purposes: []aiprovider.Purpose{aiprovider.Proposals}, Limits: aiprovider.Limits{MaxConcurrency: 16, TimeoutMs: 280_000, MaxRetries: 1, MaxOutputTokens: 8192},
	}}
	testworld.Record(t, b.World, account, past, domain.Command[aiprovider.Providers](save))
}

// works starts a queue that carries out the bench's work, and stops it at the end
// of the test, after the test has released its providers.
func (b *bench) works(t *testing.T, asks int) {
	t.Helper()
	b.Clock.Set(time.Now())
	b.Work.Now = time.Now
	b.Work.Proposer, b.Work.Asks = ai.New(ai.Options{PrivateAddresses: true}), asks
	queue, err := work.NewQueue(b.Work)
	check(t, err)
	b.Jobs = queue
	check(t, queue.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := queue.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
}

// ended waits until the operation has ended and returns its status.
func (b *bench) ended(t *testing.T, account string, id uuid.UUID) operation.Status {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		op, found, err := b.Views.Operation(t.Context(), account, id)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		if op.Status.Ended() {
			return op.Status
		}
		select {
		case <-look.C:
		case <-deadline.C:
			t.Fatalf("operation %s of %s is %s after a minute", id, account, op.Status)
		}
	}
}

// While three providers never answer the previews of their accounts, other accounts
// assess and preview, and no provider is asked by more than its share of the steps.
//
// proves: decisions/9/4
func TestSilentProvidersDelayNoOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	write(t, filepath.Join(b.Root, "Retail", good.String()+".SemanticModel", "definition", "tables", "Sales.tmdl"), strings.ReplaceAll(retail, "\r\n", "\n"))
	const asks, share = 8, 2
	var providers []*unanswering
	for i := range 3 {
		s := newUnanswering(t)
		providers = append(providers, s)
		b.saveProvider(t, fmt.Sprint("silent", i), s.url)
	}
	b.works(t, asks)
	t.Cleanup(func() {
		for _, s := range providers {
			s.release()
		}
	})
	for i := range 40 {
		who := b.of(fmt.Sprint("silent", i%3), fmt.Sprint("person", i))
		if _, err := b.Optimizations.StartPreview(t.Context(), who, workspace, good, "aiInstructions"); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range providers { // until each has its share
		for range share {
			select {
			case <-s.asked:
			case <-time.After(time.Minute):
				t.Fatalf("provider %d was asked by %d steps after a minute", i, s.hanging())
			}
		}
	}
	ben := b.of("contoso", "ben")
	for range 3 {
		assessed, err := b.Assessments.Start(t.Context(), ben, workspace, good)
		check(t, err)
		if got := b.ended(t, "contoso", assessed.OperationID); got != operation.StatusSucceeded {
			t.Errorf("the assessment of another account %s", got)
		}
	}
	// The accounts of the silent providers can assess too, and another account's
	// provider answers.
	own, err := b.Assessments.Start(t.Context(), b.of("silent0", "person0"), workspace, good)
	check(t, err)
	if got := b.ended(t, "silent0", own.OperationID); got != operation.StatusSucceeded {
		t.Errorf("the assessment of the provider's account %s", got)
	}
	fourth := newUnanswering(t)
	fourth.release() // it answers that it does not accept the key, so the embedded rules propose
	b.saveProvider(t, "fourth", fourth.url)
	preview, err := b.Optimizations.StartPreview(t.Context(), b.of("fourth", "dora"), workspace, good, "aiInstructions")
	check(t, err)
	if got := b.ended(t, "fourth", preview.OperationID); got != operation.StatusSucceeded || len(fourth.asked) == 0 {
		t.Errorf("the preview of a fourth provider %s, which was asked %d times", got, len(fourth.asked))
	}
	body, err := b.Work.Documents.Get(t.Context(), b.work(t, preview.OperationID).Document)
	check(t, err)
	var p optimization.Preview
	check(t, json.Unmarshal(body, &p))
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "does not accept the key") || p.Provider == nil || p.Provider.Kind != "rules" || len(p.Changes) == 0 {
		t.Errorf("got the warnings %q of %+v with %d changes", p.Warnings, p.Provider, len(p.Changes))
	}
	for i, s := range providers {
		if n, more := s.hanging(), len(s.asked); n != share || more != 0 {
			t.Errorf("provider %d is asked by %d steps, and was by %d more; want %d throughout", i, n, more, share)
		}
	}
	if got := b.Count(t, `SELECT count(*) FROM operations_v6 WHERE account_id LIKE 'silent%' AND status IN ('Succeeded', 'Failed', 'Cancelled')`); got != 1 {
		t.Errorf("%d operations of the silent providers' accounts have ended, want only the assessment", got)
	}
}
