package webhooks_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/commands"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/webhook"
	"readiness/eventstore"
	"readiness/storage/deliveries"
	"readiness/test/testlog"
	"readiness/test/testworld"
	"readiness/work/webhooks"
)

var check = testworld.Check

// one and two are models.
var one, two = uuid.MustParse("00000000-0000-0000-0000-000000000001"), uuid.MustParse("00000000-0000-0000-0000-000000000002")

// received is a message as its receiver has it.
type received struct {
	id, account, kind string
	headers           http.Header
	body              []byte
}

// signed returns the signature of the message by a secret, made without the domain's code.
func (m received) signed(t *testing.T, by webhook.Destination) string {
	t.Helper()
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(by.Secret(), "whsec_"))
	check(t, err)
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.%s", m.headers.Get("webhook-id"), m.headers.Get("webhook-timestamp"), m.body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// receiver is a real server of webhooks.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []received
	// answer answers a call after it was noted.
	answer func(w http.ResponseWriter, r *http.Request)
}

// listen starts a receiver that answers with status 204 unless answer is given.
func listen(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *receiver {
	t.Helper()
	l := &receiver{answer: answer}
	l.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var e struct{ ID, Type, Source string }
		_ = json.Unmarshal(body, &e)
		l.mu.Lock()
		l.got = append(l.got, received{e.ID, e.Source, e.Type, r.Header, body})
		answer := l.answer
		l.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(l.Close)
	return l
}

// all returns what was received so far.
func (l *receiver) all() []received {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.got)
}

func (l *receiver) now(answer func(w http.ResponseWriter, r *http.Request)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = answer
}

func status(n int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(n) }
}

// world is a service whose messages the test makes and sends.
type world struct {
	*testworld.World
	t *testing.T
}

// begin starts a world whose sender trusts the receivers, which listen on this machine.
func begin(t *testing.T, trusted *receiver) *world {
	t.Helper()
	o := testworld.Options{}
	if trusted != nil {
		o.Parts.PrivateWebhooks, o.Parts.WebhookClient = true, trusted.Client()
	}
	w := &world{testworld.New(t, o), t}
	check(t, w.Sender.Life.Take(t.Context()))
	t.Cleanup(w.Sender.Life.End)
	return w
}

func (w *world) person(accountID string) commands.Caller {
	return w.Person(accountID, "ana", account.Free)
}

// hook creates a webhook that wants everything.
func (w *world) hook(accountID, address string) (webhook.Webhook, webhook.Destination) {
	w.t.Helper()
	got, to, err := w.Webhooks.Create(w.t.Context(), w.person(accountID),
		webhook.Configuration{Events: webhook.Kinds(), FailUnder: new(1), Format: webhook.CloudEvents, Enabled: true}, address)
	check(w.t, err)
	return got, to
}

// ends records that operations of the account ended, and makes their messages. It returns the operations.
func (w *world) ends(accountID string, n int) (all []uuid.UUID) {
	w.t.Helper()
	for range n {
		all = append(all, w.operation(accountID))
	}
	w.makeAll()
	return all
}

func (w *world) operation(accountID string) uuid.UUID {
	w.t.Helper()
	id, itemID := w.NewID(), uuid.New()
	past := eventstore.Fold(operation.Stream(id), operation.Evolve)
	testworld.Record(w.t, w.World, accountID, past, domain.Command[operation.Operation](happened[operation.Operation]{
		operation.Accepted{OperationID: id, AccountID: accountID, Type: operation.AddPixies, Owner: "ana",
			Resource: operation.Resource{WorkspaceID: uuid.New(), ItemID: &itemID, ItemType: item.Report}},
		operation.Started{}, operation.Succeeded{}}))
	return id
}

// happened records events whatever the state is.
type happened[S any] []domain.Event

func (h happened[S]) Decide(S) ([]domain.Event, error) { return h, nil }

// makeAll makes the messages of all events, as a follower that begins again would.
func (w *world) makeAll() {
	w.t.Helper()
	upTo, err := w.Store.Watermark(w.t.Context())
	check(w.t, err)
	for r, err := range w.Store.Replay(w.t.Context(), eventstore.Selection{UpTo: upTo}, nil, false) {
		check(w.t, err)
		check(w.t, pgx.BeginFunc(w.t.Context(), w.Pool, func(tx pgx.Tx) error { return w.Sender.Made(w.t.Context(), tx, r) }))
	}
}

func (w *world) once() {
	w.t.Helper()
	check(w.t, w.Sender.Once(w.t.Context()))
}

func (w *world) list(of webhook.Webhook) []deliveries.Delivery {
	w.t.Helper()
	all, err := w.Webhooks.Rows.List(w.t.Context(), "contoso", of.WebhookID, 0, 1000)
	check(w.t, err)
	return all
}

// A message is signed, delivered once and in order, and listed. A follower that begins again makes nothing new.
//
// proves: decisions/25/signed decisions/25/no-rebuild
func TestDelivered(t *testing.T) {
	t.Parallel()
	l := listen(t, nil)
	w := begin(t, l)
	w.ends("contoso", 1) // before there is a webhook
	w.Clock.Advance(time.Second)
	h, to := w.hook("contoso", l.URL+"/hook")
	w.hook("fabrikam", l.URL+"/other")
	ended := w.ends("contoso", 3)
	w.makeAll()
	w.once()
	w.makeAll()
	w.once()
	got := l.all()
	if len(got) != 3 {
		t.Fatalf("received %d messages, want 3", len(got))
	}
	for i, m := range got {
		var e struct {
			ID, Source, Subject string
			Data                struct{ OperationID, Status, OperationType string }
		}
		check(t, json.Unmarshal(m.body, &e))
		if e.Data.OperationID != ended[i].String() || e.Data.Status != "Succeeded" || e.Source != "/accounts/contoso" || e.ID != m.headers.Get("webhook-id") ||
			m.headers.Get("Content-Type") != "application/cloudevents+json" {
			t.Errorf("message %d: %s", i, m.body)
		}
		if m.headers.Get("webhook-signature") != m.signed(t, to) {
			t.Errorf("message %d has another signature", i)
		}
	}
	for i, d := range w.list(h) {
		if d.State != webhook.Delivered || d.Attempts != 1 || *d.Status != 204 || d.NextAt != nil || d.ID.String() != got[2-i].id {
			t.Errorf("delivery %d: %+v", i, d)
		}
	}
	if n := w.Count(t, `SELECT count(*) FROM webhook_lanes WHERE due_at IS NOT NULL OR process IS NOT NULL`); n != 0 {
		t.Errorf("%d webhooks are still due", n)
	}
}

// What the events say reaches those who want it, and nothing else does.
//
// proves: decisions/25/score-fell decisions/25/failed decisions/25/allowance-low
func TestMessages(t *testing.T) {
	t.Parallel()
	l := listen(t, nil)
	w := begin(t, l)
	h, _ := w.hook("contoso", l.URL)
	_, _, err := w.Webhooks.Create(t.Context(), w.person("contoso"), webhook.Configuration{Events: []webhook.Kind{webhook.ScoreFell}, Format: webhook.Slack}, l.URL)
	check(t, err) // it is disabled
	model, workspace := uuid.New(), uuid.New()
	at := w.Clock.Now()
	assessed := func(score int, regime string) {
		t.Helper()
		at = at.Add(time.Minute)
		testworld.Record(t, w.World, "contoso", eventstore.FoldLast[assessment.Standing](assessment.Stream("contoso", model)),
			domain.Command[assessment.Standing](assessment.Record{Assessment: assessment.Assessment{AssessmentID: w.NewID(), OperationID: w.NewID(), WorkspaceID: workspace,
				WorkspaceName: "Retail", ModelID: model, ModelName: "Sales", AssessedAt: at, Score: &score, RegimeID: regime}}))
	}
	assessed(80, "a")
	assessed(80, "a")
	assessed(40, "b") // by other rules
	assessed(79, "a") // fell
	assessed(90, "a")
	run := w.NewID()
	code := operation.Failure{Code: domain.ItemNotReadable, Message: "table Secret is wrong"}
	testworld.Record(t, w.World, "contoso", eventstore.Fold(operation.Stream(run), assessment.EvolveRun), domain.Command[assessment.Run](happened[assessment.Run]{
		operation.Accepted{OperationID: run, AccountID: "contoso", Type: operation.AssessSemanticModels, Owner: "ana", Resource: operation.Resource{WorkspaceID: workspace}},
		assessment.RunAccepted{WorkspaceID: workspace, WorkspaceName: "Retail", Models: []assessment.Model{{ModelID: model, ModelName: "Sales"}, {ModelID: workspace, ModelName: "Stock"}}},
		assessment.ModelEnded{Result: assessment.Result{ModelID: model, Outcome: assessment.Assessed}},
		assessment.ModelEnded{Result: assessment.Result{ModelID: workspace, Outcome: assessment.Failed, Error: &code}},
		operation.Failed{Failure: code}}))
	day := account.AllowanceStream("contoso", account.Assessments, account.Day, w.Clock.Now())
	limits := w.Plans[account.Free]
	testworld.Record(t, w.World, "contoso", eventstore.Fold(account.Stream("contoso"), account.Evolve), domain.Command[account.Account](happened[account.Account]{
		account.Opened{AccountID: "contoso", Plan: account.Free, Status: account.Active}}))
	spend := account.Spend{Kind: account.Assessments, Allowance: limits.Assessments, Amount: 4, At: w.Clock.Now()}
	back := account.Refund{Kind: account.Assessments, Amount: 4}
	testworld.Record(t, w.World, "contoso", eventstore.FoldLast[account.Usage](day), domain.Command[account.Usage](spend), back, spend)
	w.makeAll()
	w.once()
	var kinds []string
	for _, m := range l.all() {
		kinds = append(kinds, m.kind)
		if strings.Contains(string(m.body), "Secret") {
			t.Errorf("a message repeats the text of an error: %s", m.body)
		}
	}
	if want := "assessment.score-fell assessment.failed operation.ended allowance.low"; strings.Join(kinds, " ") != want {
		t.Errorf("received %s, want %s", kinds, want)
	}
	all := w.list(h)
	if d := all[len(all)-1].Message.Data; *d.Score != 79 || *d.PreviousScore != 80 || d.ItemName != "Sales" {
		t.Errorf("the score: %+v", d)
	}
	if d := all[len(all)-2].Message.Data; d.ErrorCode != domain.ItemNotReadable || d.ItemName != "Stock" || *d.WorkspaceID != workspace {
		t.Errorf("the failure: %+v", d)
	}
}

// A linguistic schema is told when a model has it for the first time and when it comes back, to those who want that, beside a score that fell.
//
// proves: decisions/25/linguistic-found
func TestLinguisticFound(t *testing.T) {
	t.Parallel()
	l := listen(t, nil)
	w := begin(t, l)
	h, _ := w.hook("contoso", l.URL)
	w.hook("fabrikam", l.URL+"/other")
	other, _, err := w.Webhooks.Create(t.Context(), w.person("contoso"),
		webhook.Configuration{Events: []webhook.Kind{webhook.ScoreFell}, Format: webhook.CloudEvents, Enabled: true}, l.URL+"/scores")
	check(t, err)
	at, score := w.Clock.Now(), 90
	for _, a := range []struct {
		model  uuid.UUID
		format semanticmodel.AIFormat
	}{
		{one, semanticmodel.LinguisticFormat}, // never assessed before: told
		{one, semanticmodel.UnknownAIFormat}, {one, semanticmodel.BothFormats}, {two, semanticmodel.CopilotFormat}, {two, semanticmodel.NoAIFormat},
		{two, semanticmodel.BothFormats}, // told
		{two, semanticmodel.LinguisticFormat}, {one, semanticmodel.CopilotFormat},
		{one, semanticmodel.LinguisticFormat}, // told again
	} {
		at, score = at.Add(time.Minute), score-1
		testworld.Record(t, w.World, "contoso", eventstore.FoldLast[assessment.Standing](assessment.Stream("contoso", a.model)),
			domain.Command[assessment.Standing](assessment.Record{Assessment: assessment.Assessment{AssessmentID: w.NewID(), OperationID: w.NewID(), WorkspaceID: two,
				WorkspaceName: "Retail", ModelID: a.model, ModelName: "Sales", AssessedAt: at, Score: new(score), RegimeID: "a", AIFormat: a.format}}))
	}
	w.makeAll()
	w.makeAll()
	var told []string
	for _, d := range slices.Backward(w.list(h)) {
		if d.Message.Kind == webhook.LinguisticFound {
			told = append(told, d.Message.Subject+" "+string(d.Message.Data.AIFormat))
		}
	}
	if want := []string{one.String() + " linguistic", two.String() + " both", one.String() + " linguistic"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	if all := w.list(h); len(all) != len(told)+7 { // of 9 assessments, all but the first of each model fell
		t.Errorf("%d messages", len(all))
	}
	if slices.ContainsFunc(w.list(other), func(d deliveries.Delivery) bool { return d.Message.Kind != webhook.ScoreFell }) {
		t.Error("a webhook has what it does not want")
	}
	w.once()
	for _, m := range l.all() {
		if m.account != "/accounts/contoso" {
			t.Errorf("another account was told %s", m.body)
		}
	}
}

// Each webhook is told of the scores that fail its own gate: the first one, and those after one that passed. A follower that begins again tells
// nothing new, and another account nothing.
//
// proves: decisions/25/gate-failed
func TestGateFailed(t *testing.T) {
	t.Parallel()
	l := listen(t, nil)
	w := begin(t, l)
	w.hook("fabrikam", l.URL+"/other")
	gate := func(under int) webhook.Webhook {
		got, _, err := w.Webhooks.Create(t.Context(), w.person("contoso"),
			webhook.Configuration{Events: []webhook.Kind{webhook.GateFailed}, FailUnder: &under, Format: webhook.CloudEvents, Enabled: true}, l.URL)
		check(t, err)
		return got
	}
	low, high := gate(50), gate(80)
	at := w.Clock.Now()
	assessed := func(model uuid.UUID, score *int) {
		t.Helper()
		at = at.Add(time.Minute)
		testworld.Record(t, w.World, "contoso", eventstore.FoldLast[assessment.Standing](assessment.Stream("contoso", model)),
			domain.Command[assessment.Standing](assessment.Record{Assessment: assessment.Assessment{AssessmentID: w.NewID(), OperationID: w.NewID(), WorkspaceID: two,
				WorkspaceName: "Retail", ModelID: model, ModelName: "Sales", AssessedAt: at, Score: score, RegimeID: "a", Dimensions: map[string]*int{"naming": score}}}))
		w.makeAll()
	}
	told := func(h webhook.Webhook) (scores []string) {
		for _, d := range slices.Backward(w.list(h)) {
			text := fmt.Sprintf("%s %d", d.Message.Subject[35:], *d.Message.Data.Score)
			if f := d.Message.Data.Fell; len(f) > 0 {
				text += fmt.Sprintf(" from %d", f[0].PreviousScore)
			}
			if scores = append(scores, text); d.Message.Kind != webhook.GateFailed || *d.Message.Data.FailUnder != *h.FailUnder {
				t.Errorf("a message is %+v", d.Message)
			}
		}
		return scores
	}
	for _, a := range []struct {
		model uuid.UUID
		score *int
	}{{one, new(79)}, {one, new(78)}, {one, new(49)}, {two, new(80)}, {one, nil}, {one, new(48)}, {two, new(50)}, {one, new(90)}, {one, new(10)}} {
		assessed(a.model, a.score)
	}
	w.makeAll()
	if got, want := told(high), []string{"1 79", "2 50 from 80", "1 10 from 90"}; !slices.Equal(got, want) {
		t.Errorf("the higher gate told %q, want %q", got, want)
	}
	if got, want := told(low), []string{"1 49 from 78", "1 10 from 90"}; !slices.Equal(got, want) {
		t.Errorf("the lower gate told %q, want %q", got, want)
	}
	// A webhook that is changed is told once more of what fails.
	w.Clock.Set(at.Add(time.Second))
	_, err := w.Webhooks.Change(t.Context(), w.person("contoso"), low.WebhookID, webhook.Change{FailUnder: new(40)}, nil)
	check(t, err)
	low.FailUnder = new(40)
	assessed(one, new(11))
	assessed(one, new(11))
	if all := w.list(low); len(all) != 3 || *all[0].Message.Data.Score != 11 || *all[0].Message.Data.FailUnder != 40 {
		t.Errorf("the changed webhook has %d messages: %+v", len(all), all[0].Message.Data)
	}
	if n := len(w.list(high)); n != 3 {
		t.Errorf("the other one has %d messages", n)
	}
	w.once()
	for _, m := range l.all() {
		if m.account != "/accounts/contoso" {
			t.Errorf("another account was told %s", m.body)
		}
	}
}

// After a rotation both secrets sign for a day, and the address stays. Two changes of what is stored at the same time lose neither, and nothing
// but the sealed row has a secret.
//
// proves: decisions/25/rotated decisions/25/hidden
func TestRotated(t *testing.T) {
	t.Parallel()
	l := listen(t, nil)
	w := begin(t, l)
	h, first := w.hook("contoso", l.URL+"/a")
	if _, _, err := w.Webhooks.Rotate(t.Context(), w.person("fabrikam"), h.WebhookID); !domain.IsRefused(err, domain.WebhookNotFound) {
		t.Errorf("another account: %v", err)
	}
	after, second, err := w.Webhooks.Rotate(t.Context(), w.person("contoso"), h.WebhookID)
	check(t, err)
	if want := w.Clock.Now().Add(24 * time.Hour); !after.PreviousSecretEndsAt.Equal(want) || !after.ChangedAt.Equal(h.ChangedAt) || second.Address() != l.URL+"/a" {
		t.Errorf("rotated, it is %+v", after)
	}
	w.ends("contoso", 1)
	w.once()
	w.Clock.Advance(24*time.Hour - time.Second)
	w.ends("contoso", 1)
	w.once()
	w.Clock.Advance(time.Second)
	w.ends("contoso", 1)
	w.once()
	got := l.all()
	if len(got) != 3 {
		t.Fatalf("%d messages arrived", len(got))
	}
	for i, m := range got {
		want := m.signed(t, second) + " " + m.signed(t, first)
		if i == 2 {
			want = m.signed(t, second)
		}
		if m.headers.Get("webhook-signature") != want {
			t.Errorf("message %d has %d signatures, or others", i, len(strings.Fields(m.headers.Get("webhook-signature"))))
		}
	}
	for _, table := range []string{"events", "webhook_deliveries", "webhook_lanes"} {
		for _, to := range []webhook.Destination{first, second} {
			if n := w.Count(t, `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%' || $1 || '%'`, strings.TrimPrefix(to.Secret(), "whsec_")); n != 0 {
				t.Errorf("%s has a secret", table)
			}
		}
	}
	for i := range 10 {
		address := fmt.Sprintf("%s/%d", l.URL, i)
		var rotated webhook.Destination
		var both sync.WaitGroup
		var moves, rotates error
		both.Go(func() {
			_, moves = w.Webhooks.Change(t.Context(), w.person("contoso"), h.WebhookID, webhook.Change{}, &address)
		})
		both.Go(func() { _, rotated, rotates = w.Webhooks.Rotate(t.Context(), w.person("contoso"), h.WebhookID) })
		both.Wait()
		now, found, err := w.Webhooks.Destination(t.Context(), "contoso", h.WebhookID)
		check(t, err)
		if !found || (moves == nil) != (now.Address() == address) || rotates == nil && now.Secret() != rotated.Secret() {
			t.Fatalf("the address was changed with %v, the secret with %v, and one is lost", moves, rotates)
		}
		for _, err := range []error{moves, rotates} {
			if err != nil && !domain.IsRefused(err, domain.OperationInProgress) {
				t.Error(err)
			}
		}
	}
}

// A receiver that answers 500 for a day gets ever fewer attempts of the oldest message alone. Then it is parked and listed, and those behind
// it follow. It can be sent again, with the same id.
//
// proves: decisions/25/retried decisions/25/parked
func TestRefusedForADay(t *testing.T) {
	t.Parallel()
	l := listen(t, status(http.StatusInternalServerError))
	w := begin(t, l)
	h, _ := w.hook("contoso", l.URL)
	w.ends("contoso", 2)
	began := w.Clock.Now()
	var next *time.Time
	for {
		w.once()
		all := w.list(h)
		if all[1].State != webhook.Waiting {
			break
		}
		if next = all[1].NextAt; next == nil || all[0].NextAt != nil || all[0].Attempts != 0 || all[1].Reason != webhook.Refused || *all[1].Status != 500 {
			t.Fatalf("it waits as %+v, and the next as %+v", all[1], all[0])
		}
		before := len(l.all())
		w.Clock.Set(next.Add(-time.Millisecond))
		if w.once(); len(l.all()) != before {
			t.Fatal("it was sent before it was due")
		}
		w.Clock.Set(*next)
	}
	if took, got := w.Clock.Now().Sub(began), l.all(); took < 24*time.Hour || took > 25*time.Hour || len(got) < 20 || len(got) > 50 ||
		slices.ContainsFunc(got, func(m received) bool { return m.id != got[0].id }) {
		t.Errorf("parked after %s and %d attempts", took, len(got))
	}
	parked := w.list(h)[1]
	if parked.State != webhook.Parked || parked.Attempts != len(l.all()) {
		t.Errorf("parked as %+v", parked)
	}
	l.now(nil)
	w.Clock.Advance(time.Hour)
	w.once()
	if d := w.list(h)[0]; d.State != webhook.Delivered {
		t.Errorf("the next is %+v", d)
	}
	if _, err := w.Webhooks.SendAgain(t.Context(), w.person("fabrikam"), h.WebhookID, parked.ID); !domain.IsRefused(err, domain.WebhookNotFound) {
		t.Errorf("another account: %v", err)
	}
	if d, err := w.Webhooks.SendAgain(t.Context(), w.person("contoso"), h.WebhookID, parked.ID); err != nil || d.State != webhook.Waiting || d.NextAt == nil {
		t.Errorf("sent again: %+v, %v", d, err)
	}
	if d, err := w.Webhooks.SendAgain(t.Context(), w.person("contoso"), h.WebhookID, parked.ID); err != nil || d.State != webhook.Waiting {
		t.Errorf("sent again twice: %+v, %v", d, err)
	}
	if _, err := w.Webhooks.SendAgain(t.Context(), w.person("contoso"), h.WebhookID, h.WebhookID); !domain.IsRefused(err, domain.WebhookNotFound) {
		t.Errorf("a message that it does not have: %v", err)
	}
	w.once()
	if got := l.all(); got[len(got)-1].id != parked.ID.String() || w.list(h)[0].State != webhook.Delivered {
		t.Errorf("sent again it is %+v", w.list(h)[0])
	}
	w.Clock.Advance(31 * 24 * time.Hour)
	check(t, w.Webhooks.Rows.Sweep(t.Context(), w.Clock.Now()))
	if n := len(w.list(h)); n != 0 {
		t.Errorf("%d deliveries are kept", n)
	}
}

// Redirects are not followed; an endless answer and one without end are cut off; a receiver in the service's network is not connected,
// whatever name leads to it.
//
// proves: decisions/25/bounded decisions/25/public
func TestHostileReceivers(t *testing.T) {
	t.Parallel()
	secret := listen(t, nil)
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		public bool
		want   webhook.Reason
		state  webhook.State
	}{
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, secret.URL, http.StatusTemporaryRedirect)
		}, false, webhook.Redirected, webhook.Waiting},
		"hangs": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false, webhook.TimedOut, webhook.Waiting},
		"redirects for good": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, secret.URL, http.StatusPermanentRedirect)
		}, false, webhook.Redirected, webhook.Waiting},
		"redirects as to a page": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		}, false, webhook.Redirected, webhook.Waiting},
		"hangs in its header": {func(w http.ResponseWriter, r *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			defer c.Close()
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-A: ")
			_, _ = c.Read(make([]byte, 1)) // until the sender gives up
		}, false, webhook.TimedOut, webhook.Waiting},
		"hangs in its body": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "thanks")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, false, "", webhook.Delivered},
		"answers without end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, false, "", webhook.Delivered},
		"endless header": {func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			defer c.Close()
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for err == nil {
				_, err = io.WriteString(c, "X-A: "+strings.Repeat("a", 1000)+"\r\n")
			}
		}, false, webhook.Unreachable, webhook.Waiting},
		"closes": {func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		}, false, webhook.Unreachable, webhook.Waiting},
		"is private": {nil, true, webhook.AddressNotAllowed, webhook.Waiting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := listen(t, tt.answer)
			w := begin(t, l)
			o := w.Sender.Options
			if o.PrivateAddresses = !tt.public; tt.want == webhook.TimedOut {
				o.Timeout = 50 * time.Millisecond
			} else if name == "hangs in its body" {
				o.Timeout = 5 * time.Second // within which its header must arrive
			}
			w.Sender = webhooks.New(o)
			for _, address := range []string{l.URL, strings.Replace(l.URL, "127.0.0.1", "localhost", 1), strings.Replace(l.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1)} {
				if !tt.public && address != l.URL {
					continue
				}
				w.Clock.Advance(time.Second)
				h, _ := w.hook("contoso", address)
				w.ends("contoso", 1)
				w.once()
				if d := w.list(h)[0]; d.Reason != tt.want || d.State != tt.state || d.Attempts != 1 {
					t.Errorf("%s: %+v", address, d)
				}
			}
			if tt.public && len(l.all()) > 0 {
				t.Error("it was reached")
			}
		})
	}
	t.Cleanup(func() {
		if n := len(secret.all()); n > 0 {
			t.Errorf("a redirect was followed %d times", n)
		}
	})
}

// A receiver that is gone disables its webhook, which is an event; its messages are parked. Enabled again, it gets the next ones.
//
// proves: decisions/25/gone
func TestGone(t *testing.T) {
	t.Parallel()
	l := listen(t, status(http.StatusGone))
	w := begin(t, l)
	h, _ := w.hook("contoso", l.URL)
	w.ends("contoso", 2)
	w.once()
	w.Clock.Advance(time.Minute)
	w.once()
	w.ends("contoso", 1)
	w.once()
	past := eventstore.FoldCached(webhook.Stream("contoso"), webhook.Evolve)
	check(t, w.Store.Load(t.Context(), past))
	if now, err := past.State.Find(h.WebhookID); err != nil || now.Enabled || now.StoppedAt.IsZero() {
		t.Errorf("the webhook is %+v, %v", now, err)
	}
	all := w.list(h)
	if len(all) != 2 || len(l.all()) != 1 || all[1].State != webhook.Parked || all[1].Reason != webhook.Gone || all[0].Reason != webhook.NotEnabled || all[0].Attempts != 0 {
		t.Errorf("after %d calls: %+v", len(l.all()), all)
	}
	if _, err := w.Webhooks.Test(t.Context(), w.person("contoso"), h.WebhookID); !domain.IsRefused(err, domain.WebhookConflict) {
		t.Errorf("a test: %v", err)
	}
	l.now(nil)
	_, err := w.Webhooks.Change(t.Context(), w.person("contoso"), h.WebhookID, webhook.Change{Enabled: new(true)}, nil)
	check(t, err)
	w.Clock.Advance(time.Minute)
	test, err := w.Webhooks.Test(t.Context(), w.person("contoso"), h.WebhookID)
	check(t, err)
	w.once()
	if got := l.all(); got[len(got)-1].id != test.ID.String() || got[len(got)-1].kind != string(webhook.Test) {
		t.Errorf("the test was not received: %+v", got[len(got)-1])
	}
}

// A process that dies while a receiver has the message leaves it to another one, which sends it with the same id.
//
// proves: decisions/25/same-id
func TestKilledWhileSending(t *testing.T) {
	t.Parallel()
	l := listen(t, nil)
	w := begin(t, l)
	h, _ := w.hook("contoso", l.URL)
	w.ends("contoso", 3)
	ctx, kill := context.WithCancel(t.Context())
	l.now(func(_ http.ResponseWriter, r *http.Request) {
		l.now(nil)
		kill()
		<-r.Context().Done()
	})
	second := w.Process(t, testlog.Open(t, w.Pool.Config().ConnString())).Webhooks
	check(t, second.Life.Take(t.Context()))
	t.Cleanup(second.Life.End)
	_ = w.Sender.Once(ctx)
	// What a killed process leaves: the lane is its own.
	_, err := w.Pool.Exec(t.Context(), `UPDATE webhook_lanes SET process = $1, due_at = $2`, w.Sender.Life.Key(), w.Clock.Now())
	check(t, err)
	check(t, second.Once(t.Context()))
	if n := len(l.all()); n != 1 {
		t.Fatalf("a lane of a living process was taken: %d calls", n)
	}
	w.Sender.Life.End()
	check(t, second.Once(t.Context()))
	got := l.all()
	if len(got) != 4 || got[0].id != got[1].id || got[1].id == got[2].id || w.list(h)[0].State != webhook.Delivered {
		t.Errorf("received %d messages", len(got))
	}
}

// An event that is a day old when it is reached makes no message.
func TestOldEvents(t *testing.T) {
	t.Parallel()
	l := listen(t, nil)
	w := begin(t, l)
	h, _ := w.hook("contoso", l.URL)
	w.operation("contoso")
	w.Clock.Advance(24*time.Hour + 1)
	w.ends("contoso", 1)
	if n := len(w.list(h)); n != 1 {
		t.Errorf("%d messages were made", n)
	}
}

// A webhook that changes is tried at once, at its new address and with its secret. Deleted, it leaves nothing. Nothing in the database but
// the sealed row has an address or a secret.
//
// proves: decisions/25/hidden decisions/25/deleted
func TestChangedAndDeleted(t *testing.T) {
	t.Parallel()
	l := listen(t, status(http.StatusNotFound))
	w := begin(t, l)
	h, to := w.hook("contoso", l.URL+"/first?sig=PASSWORD")
	w.ends("contoso", 1)
	w.once()
	if h.Host == "" || strings.Contains(h.Host, "first") {
		t.Error(h.Host)
	}
	l.now(nil)
	if _, err := w.Webhooks.Change(t.Context(), w.person("fabrikam"), h.WebhookID, webhook.Change{}, new(l.URL)); !domain.IsRefused(err, domain.WebhookNotFound) {
		t.Errorf("another account: %v", err)
	}
	w.Clock.Advance(time.Second)
	_, err := w.Webhooks.Change(t.Context(), w.person("contoso"), h.WebhookID, webhook.Change{}, new(l.URL+"/second?sig=PASSWORD"))
	check(t, err)
	w.once()
	if n := len(l.all()); n != 2 || w.list(h)[0].State != webhook.Delivered {
		t.Errorf("after %d calls: %+v", n, w.list(h)[0])
	}
	again, found, err := w.Webhooks.Destination(t.Context(), "contoso", h.WebhookID)
	if err != nil || !found || again.Secret() != to.Secret() || !strings.HasSuffix(again.Address(), "/second?sig=PASSWORD") {
		t.Error(found, err)
	}
	for _, table := range []string{"events", "webhook_deliveries", "webhook_lanes"} {
		if n := w.Count(t, `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%PASSWORD%' OR t::text LIKE '%whsec%' OR t::text LIKE '%' || $1 || '%'`,
			strings.TrimPrefix(to.Secret(), "whsec_")); n != 0 {
			t.Errorf("%s has an address or a secret", table)
		}
	}
	w.ends("contoso", 1)
	check(t, w.Webhooks.Delete(t.Context(), w.person("contoso"), h.WebhookID))
	w.once()
	if n := w.Count(t, `SELECT (SELECT count(*) FROM webhook_deliveries) + (SELECT count(*) FROM webhook_lanes) + (SELECT count(*) FROM ai_credentials)`); n != 0 || len(l.all()) != 2 {
		t.Errorf("%d rows are left", n)
	}
	// What a follower that knew the webhook adds afterwards is dropped.
	check(t, w.Webhooks.Rows.Put(t.Context(), "contoso", h.WebhookID, w.NewID(), webhook.Tried(h.WebhookID, w.Clock.Now()), w.Clock.Now()))
	w.once()
	if n := w.Count(t, `SELECT (SELECT count(*) FROM webhook_deliveries) + (SELECT count(*) FROM webhook_lanes)`); n != 0 || len(l.all()) != 2 {
		t.Errorf("%d rows are left of a deleted webhook", n)
	}
}

// An erased account has no deliveries.
func TestErased(t *testing.T) {
	t.Parallel()
	l := listen(t, nil)
	w := begin(t, l)
	w.hook("contoso", l.URL)
	w.ends("contoso", 1)
	testworld.Record(t, w.World, "contoso", eventstore.Fold(account.Stream("contoso"), account.Evolve), domain.Command[account.Account](happened[account.Account]{account.Erased{}}))
	w.makeAll()
	if n := w.Count(t, `SELECT (SELECT count(*) FROM webhook_deliveries) + (SELECT count(*) FROM webhook_lanes)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// Webhooks that hang keep no other account waiting.
//
// proves: decisions/25/fair
func TestHangingStarvesNobody(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	hanging := listen(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	w := begin(t, hanging)
	arrived := make(chan struct{}, 1)
	good := listen(t, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })
	for _, a := range []string{"contoso", "fabrikam", "northwind"} {
		for range 5 {
			w.hook(a, hanging.URL)
		}
		w.ends(a, 2)
	}
	w.hook("good", good.URL)
	w.ends("good", 3)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Sender.Run(ctx) }()
	for range 3 {
		select {
		case <-arrived:
		case <-time.After(2 * time.Minute):
			t.Fatal("the messages of another account did not arrive")
		}
	}
	if n := len(hanging.all()); n > 6 {
		t.Errorf("%d calls of three accounts hang at once", n)
	}
	close(release)
	stop()
	<-ended
}

// proves: decisions/25/fair
func TestChoose(t *testing.T) {
	t.Parallel()
	lanes := func(accountID string, n, failures int) (all []deliveries.Lane) {
		for range n {
			all = append(all, deliveries.Lane{WebhookID: uuid.New(), Account: accountID, Failures: failures})
		}
		return all
	}
	many := func(accounts, each, failures int) (all []deliveries.Lane) {
		for i := range accounts {
			all = append(all, lanes(fmt.Sprint(failures, "/", i), each, failures)...)
		}
		return all
	}
	for name, tt := range map[string]struct {
		due, busy []deliveries.Lane
		want      int
	}{
		"nothing":                      {nil, nil, 0},
		"one account":                  {lanes("a", 10, 0), nil, 2},
		"one account that has its own": {lanes("a", 10, 0), lanes("a", 2, 0), 0},
		"many":                         {many(20, 3, 0), nil, 16},
		"many that fail":               {many(20, 3, 1), nil, 8},
		"some of each":                 {slices.Concat(many(3, 3, 0), many(20, 3, 1)), nil, 14},
		"beside those that fail":       {slices.Concat(many(20, 3, 0), many(20, 3, 1)), many(20, 1, 2)[:8], 8},
		"no room":                      {many(20, 3, 0), many(16, 1, 3), 0},
	} {
		if got := webhooks.Choose(tt.due, tt.busy); len(got) != tt.want {
			t.Errorf("%s: got %d, want %d", name, len(got), tt.want)
		}
	}
}
