package webhook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/definition/semanticmodel"
	"readiness/definition/upgrade"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/domain/webhook"
)

var (
	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	first = uuid.MustParse("00000000-0000-0000-0000-000000000001")
	other = uuid.MustParse("00000000-0000-0000-0000-000000000002")
)

func hook(id uuid.UUID) webhook.Configuration {
	return webhook.Configuration{WebhookID: id, Host: "hooks.example", Events: []webhook.Kind{webhook.ScoreFell}, Format: webhook.Slack, Enabled: true}
}

func after(events ...domain.Event) (s webhook.Webhooks) {
	for _, e := range events {
		s = webhook.Evolve(s, e)
	}
	return s
}

type command interface {
	Decide(webhook.Webhooks) ([]domain.Event, error)
}

// proves: decisions/25/one-of-ten
func TestDecide(t *testing.T) {
	t.Parallel()
	one := after(webhook.Created{Configuration: hook(first), At: noon})
	var ten webhook.Webhooks
	for range webhook.MaxWebhooks {
		ten = webhook.Evolve(ten, webhook.Created{Configuration: hook(uuid.New()), At: noon})
	}
	nine := webhook.Webhooks{All: ten.All[:9]}
	with := func(change func(*webhook.Configuration)) webhook.Configuration {
		c := hook(first)
		change(&c)
		return c
	}
	off, on, teams, none, all, elsewhere := false, true, webhook.Teams, []webhook.Kind{}, slices.Concat(webhook.Kinds(), webhook.Kinds()), "else.example"
	slices.Reverse(all)
	later := noon.Add(time.Hour)
	stopped := webhook.Evolve(one, webhook.Stopped{WebhookID: first, At: noon})
	gate := func(n int) func(*webhook.Configuration) {
		return func(c *webhook.Configuration) { c.Events, c.FailUnder = []webhook.Kind{webhook.GateFailed}, &n }
	}
	gated := after(webhook.Created{Configuration: with(gate(70)), At: noon})
	fell, both := []webhook.Kind{webhook.ScoreFell}, []webhook.Kind{webhook.ScoreFell, webhook.GateFailed}
	for name, tt := range map[string]struct {
		given webhook.Webhooks
		when  command
		then  []domain.Event
		code  domain.Code
		says  string
	}{
		"create":       {webhook.Webhooks{}, webhook.Create{hook(first), noon}, []domain.Event{webhook.Created{hook(first), noon}}, "", ""},
		"the tenth":    {nine, webhook.Create{hook(first), noon}, []domain.Event{webhook.Created{hook(first), noon}}, "", ""},
		"the eleventh": {ten, webhook.Create{hook(first), noon}, nil, domain.WebhookConflict, "10 webhooks"},
		"every event once, in order": {webhook.Webhooks{}, webhook.Create{with(func(c *webhook.Configuration) { c.Events, c.FailUnder = all, new(1) }), noon},
			[]domain.Event{webhook.Created{with(func(c *webhook.Configuration) { c.Events, c.FailUnder = webhook.Kinds(), new(1) }), noon}}, "", ""},
		"a gate":                    {webhook.Webhooks{}, webhook.Create{with(gate(100)), noon}, []domain.Event{webhook.Created{with(gate(100)), noon}}, "", ""},
		"a gate that nothing fails": {webhook.Webhooks{}, webhook.Create{with(gate(0)), noon}, nil, domain.InvalidRequest, "failUnder must be 1 to 100"},
		"a gate that all fail":      {webhook.Webhooks{}, webhook.Create{with(gate(101)), noon}, nil, domain.InvalidRequest, "failUnder must be 1 to 100"},
		"the event without a gate": {webhook.Webhooks{}, webhook.Create{with(func(c *webhook.Configuration) { c.Events = both }), noon}, nil, domain.InvalidRequest,
			"failUnder must be the lowest"},
		"a gate without the event": {webhook.Webhooks{}, webhook.Create{with(func(c *webhook.Configuration) { c.FailUnder = new(70) }), noon}, nil, domain.InvalidRequest,
			"failUnder needs the event gate.failed"},
		"another gate":                 {gated, webhook.Change{WebhookID: first, FailUnder: new(80), At: later}, []domain.Event{webhook.Changed{with(gate(80)), false, later}}, "", ""},
		"the same gate":                {gated, webhook.Change{WebhookID: first, FailUnder: new(70), At: later}, nil, "", ""},
		"a gate beside no event":       {one, webhook.Change{WebhookID: first, FailUnder: new(70), At: later}, nil, domain.InvalidRequest, "gate.failed"},
		"the gate goes with its event": {gated, webhook.Change{WebhookID: first, Events: &fell, At: later}, []domain.Event{webhook.Changed{hook(first), false, later}}, "", ""},
		"the gate stays with its event": {gated, webhook.Change{WebhookID: first, Events: &both, At: later},
			[]domain.Event{webhook.Changed{with(func(c *webhook.Configuration) { c.Events, c.FailUnder = both, new(70) }), false, later}}, "", ""},
		"rotate":         {one, webhook.Rotate{first, later}, []domain.Event{webhook.SecretRotated{first, later.Add(24 * time.Hour), later}}, "", ""},
		"rotate a gone":  {stopped, webhook.Rotate{first, later}, []domain.Event{webhook.SecretRotated{first, later.Add(24 * time.Hour), later}}, "", ""},
		"rotate another": {one, webhook.Rotate{other, later}, nil, domain.WebhookNotFound, other.String()},
		"no event":       {webhook.Webhooks{}, webhook.Create{with(func(c *webhook.Configuration) { c.Events = nil }), noon}, nil, domain.InvalidRequest, "events"},
		"an unknown event": {webhook.Webhooks{}, webhook.Create{with(func(c *webhook.Configuration) { c.Events = []webhook.Kind{webhook.Test} }), noon},
			nil, domain.InvalidRequest, "webhook.test"},
		"an unknown format": {webhook.Webhooks{}, webhook.Create{with(func(c *webhook.Configuration) { c.Format = "xml" }), noon}, nil, domain.InvalidRequest, "format"},
		"change": {one, webhook.Change{WebhookID: first, Format: &teams, Enabled: &off, At: later},
			[]domain.Event{webhook.Changed{with(func(c *webhook.Configuration) { c.Format, c.Enabled = teams, off }), false, later}}, "", ""},
		"nothing":           {one, webhook.Change{WebhookID: first, Enabled: &on, At: later}, nil, "", ""},
		"no event any more": {one, webhook.Change{WebhookID: first, Events: &none, At: later}, nil, domain.InvalidRequest, "events"},
		"the same host":     {one, webhook.Change{WebhookID: first, Host: &one.All[0].Host, At: later}, []domain.Event{webhook.Changed{hook(first), true, later}}, "", ""},
		"another host": {one, webhook.Change{WebhookID: first, Host: &elsewhere, At: later},
			[]domain.Event{webhook.Changed{with(func(c *webhook.Configuration) { c.Host = elsewhere }), true, later}}, "", ""},
		"change another":    {one, webhook.Change{WebhookID: other}, nil, domain.WebhookNotFound, other.String()},
		"delete":            {one, webhook.Delete{first}, []domain.Event{webhook.Deleted{first}}, "", ""},
		"delete another":    {one, webhook.Delete{other}, nil, domain.WebhookNotFound, other.String()},
		"gone":              {one, webhook.Stop{first, noon, later}, []domain.Event{webhook.Stopped{first, later}}, "", ""},
		"gone, but changed": {one, webhook.Stop{first, noon.Add(-time.Second), later}, nil, "", ""},
		"gone twice":        {stopped, webhook.Stop{first, noon, later}, nil, "", ""},
		"gone and deleted":  {webhook.Webhooks{}, webhook.Stop{first, noon, later}, nil, "", ""},
		"enabled again":     {stopped, webhook.Change{WebhookID: first, Enabled: &on, At: later}, []domain.Event{webhook.Changed{hook(first), false, later}}, "", ""},
	} {
		events, err := tt.when.Decide(tt.given)
		if diff := cmp.Diff(tt.then, events); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		refusal, _ := domain.Refused(err)
		if (err != nil) != (tt.code != "") || err != nil && (refusal.Code != tt.code || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%s: got %v, want %s", name, err, tt.code)
		}
	}
	if w, _ := stopped.Find(first); w.Enabled || !w.StoppedAt.Equal(noon) {
		t.Errorf("stopped, it is %+v", w)
	}
	if w, _ := after(webhook.Created{hook(first), noon}, webhook.Stopped{first, noon}, webhook.Changed{hook(first), false, later}).Find(first); !w.StoppedAt.IsZero() {
		t.Errorf("enabled again, it is %+v", w)
	}
	rotated := webhook.Evolve(webhook.Evolve(one, webhook.SecretRotated{first, later, noon}), webhook.Changed{hook(first), false, later})
	if w, _ := rotated.Find(first); !w.PreviousSecretEndsAt.Equal(later) || w.Destinations != 2 || !w.Enabled {
		t.Errorf("rotated, it is %+v", w)
	}
	if w, _ := webhook.Evolve(rotated, webhook.Changed{hook(first), true, later}).Find(first); w.Destinations != 3 {
		t.Errorf("with another address, it is %+v", w)
	}
	if len(after(webhook.Created{hook(first), noon}, webhook.Created{hook(other), noon}, webhook.Deleted{first}).All) != 1 {
		t.Error("one of two is left after a deletion")
	}
}

// A webhook wants what its configuration names, from when it was created.
func TestWants(t *testing.T) {
	t.Parallel()
	w := webhook.Webhook{Configuration: hook(first), CreatedAt: noon}
	off := w
	off.Enabled = false
	for _, tt := range []struct {
		of   webhook.Webhook
		kind webhook.Kind
		at   time.Time
		want bool
	}{
		{w, webhook.ScoreFell, noon, true}, {w, webhook.ScoreFell, noon.Add(time.Hour), true}, {w, webhook.ScoreFell, noon.Add(-1), false},
		{w, webhook.OperationEnded, noon, false}, {off, webhook.ScoreFell, noon, false},
	} {
		if got := tt.of.Wants(tt.kind, tt.at); got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
	}
}

// No form in which a destination can be printed has its address or its secret.
//
// proves: decisions/25/hidden
func TestDestination(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://hooks.example/a?b=c": true, "https://HOOKS.example:8443/x": true, "https://[2001:db8::1]/": true,
		"http://hooks.example/": false, "https://ana:pw@hooks.example/": false, "https:///x": false, "https://hooks.example/#x": false, "": false,
		"https://hooks.example/a b": false, "https://hooks.example/ä": false, "https://hooks.example/\n": false, "ftp://hooks.example": false, "/x": false,
		"https://hooks.example/" + strings.Repeat("x", 3000): false, "https:hooks.example": false, "https://:443/": false,
	} {
		_, err := webhook.NewDestination(address, make([]byte, 32))
		if (err == nil) != want {
			t.Errorf("%s: got %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "hooks.example") {
			t.Errorf("the refusal repeats an address: %v", err)
		}
	}
	d, err := webhook.NewDestination("https://Hooks.example:8443/services/T0/B0/quokka?sig=numbat", []byte("0123456789abcdef0123456789abcdef"))
	if err != nil || d.Host() != "hooks.example:8443" {
		t.Fatal(d.Host(), err)
	}
	text, _ := json.Marshal(map[string]any{"d": d})
	for _, printed := range []string{fmt.Sprint(d), fmt.Sprintf("%+v %#v %s %q %x", d, d, d, d, d), string(text), fmt.Sprintf("%+v", struct{ D webhook.Destination }{d})} {
		if strings.Contains(printed, "quokka") || strings.Contains(printed, "numbat") || strings.Contains(printed, "01234") || strings.Contains(printed, fmt.Sprintf("%x", "quokka")) {
			t.Errorf("printed: %s", printed)
		}
	}
	again, err := webhook.ParseDestination(d.Reveal())
	if err != nil || again.Address() != d.Address() || again.Secret() != d.Secret() {
		t.Errorf("opened, it is another one: %v", err)
	}
	moved, err := d.At("https://else.example/")
	if err != nil || moved.Secret() != d.Secret() || moved.Host() != "else.example" {
		t.Errorf("with another address: %v", err)
	}
	for _, text := range []string{"", "{}", `{"address":"https://x"}`, "sk-key"} {
		if _, err := webhook.ParseDestination(text); err == nil {
			t.Errorf("%q is a destination", text)
		}
	}
}

// The example of the specification of Standard Webhooks, and of its library.
//
// proves: decisions/25/signed
func TestHeaders(t *testing.T) {
	t.Parallel()
	d, err := webhook.ParseDestination(`{"address":"https://x","secret":"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}`)
	if err != nil {
		t.Fatal(err)
	}
	got := d.Headers("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	want := map[string]string{"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
		"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d.Secret() != "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" {
		t.Error(d.Secret())
	}
}

// After a rotation the new secret and the one before it sign, until the one before ends; one before that signs no more. The address stays, and
// the secrets do with a new address.
//
// proves: decisions/25/rotated
func TestRotated(t *testing.T) {
	t.Parallel()
	secret := func(b byte) []byte { return bytes.Repeat([]byte{b}, webhook.SecretSize) }
	begun, err := webhook.NewDestination("https://hooks.example/", secret(1))
	if err != nil {
		t.Fatal(err)
	}
	ends := noon.Add(webhook.Overlap)
	once := begun.Rotated(secret(2), ends)
	twice := once.Rotated(secret(3), ends.Add(time.Hour))
	moved, err := once.At("https://else.example/")
	if err != nil || moved.Address() != "https://else.example/" || once.Address() != begun.Address() {
		t.Fatal(moved.Address(), once.Address(), err)
	}
	stored, err := webhook.ParseDestination(once.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		of    webhook.Destination
		at    time.Time
		signs []byte // the secrets, in their order
	}{
		"before":                  {begun, noon, []byte{1}},
		"at once":                 {once, noon, []byte{2, 1}},
		"at the last moment":      {once, ends.Add(-1), []byte{2, 1}},
		"when the day is over":    {once, ends, []byte{2}},
		"stored":                  {stored, noon, []byte{2, 1}},
		"with another address":    {moved, noon, []byte{2, 1}},
		"twice":                   {twice, noon, []byte{3, 2}},
		"twice, after the second": {twice, ends.Add(time.Hour), []byte{3}},
	} {
		var want []string
		for _, b := range tt.signs {
			alone, err := webhook.NewDestination("https://hooks.example/", secret(b))
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, alone.Headers("id", tt.at, []byte("body"))["webhook-signature"])
		}
		if got := tt.of.Headers("id", tt.at, []byte("body"))["webhook-signature"]; got != strings.Join(want, " ") {
			t.Errorf("%s: %d signatures, want those of %v", name, len(strings.Fields(got)), tt.signs)
		}
	}
	if begun.Secret() == once.Secret() || strings.Contains(fmt.Sprintf("%+v %#v", once, once), "AgIC") {
		t.Error("a new destination shows its secrets, or has the one before")
	}
}

// A score below the gate is told, unless the assessment before failed the gate too since the webhook was changed. What fell is said if both
// rest on the same.
//
// proves: decisions/25/gate-failed
func TestFailed(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration, score *int, regime string) *assessment.Assessment {
		return &assessment.Assessment{AssessedAt: noon.Add(-d), Score: score, RegimeID: regime,
			Dimensions: map[string]*int{"naming": new(90), "types": new(50), "measures": new(70), "time": nil, "synonyms": new(10)}}
	}
	for name, tt := range map[string]struct {
		score  *int
		before *assessment.Assessment
		gate   *int
		says   string // nothing is told if it is empty
	}{
		"the first one":                         {new(69), nil, new(70), "Sales (Retail) fails the gate: its score is 69, below 70."},
		"the first one passes":                  {new(70), nil, new(70), ""},
		"a better one":                          {new(71), ago(time.Minute, new(69), "a"), new(70), ""},
		"without a score":                       {nil, ago(time.Minute, new(90), "a"), new(70), ""},
		"without a gate":                        {new(1), ago(time.Minute, new(90), "a"), nil, ""},
		"the one before passed":                 {new(60), ago(time.Minute, new(70), "a"), new(70), "Sales (Retail) fails the gate: its score is 60, below 70; before, it was 70. Lower than before: naming 60 (was 90), types 49 (was 50)."},
		"the one before failed":                 {new(60), ago(time.Minute, new(69), "a"), new(70), ""},
		"both fail, and it is worse":            {new(0), ago(time.Minute, new(69), "a"), new(70), ""},
		"failed since the change, by others":    {new(60), ago(time.Minute, new(69), "b"), new(70), ""},
		"failed when the webhook was changed":   {new(60), ago(time.Hour, new(69), "a"), new(70), ""},
		"failed before the webhook was changed": {new(60), ago(time.Hour+1, new(61), "a"), new(70), "Sales (Retail) fails the gate: its score is 60, below 70; before, it was 61. Lower than before: naming 60 (was 90), types 49 (was 50)."},
		"the one before passed by other rules":  {new(60), ago(time.Minute, new(90), "b"), new(70), "Sales (Retail) fails the gate: its score is 60, below 70."},
	} {
		w := webhook.Webhook{Configuration: hook(first), ChangedAt: noon.Add(-time.Hour)}
		w.FailUnder = tt.gate
		now := assessment.Assessment{WorkspaceID: other, WorkspaceName: "Retail", ModelID: first, ModelName: "Sales", AssessedAt: noon, Score: tt.score, RegimeID: "a",
			Dimensions: map[string]*int{"naming": new(60), "types": new(49), "measures": new(70), "time": new(5), "descriptions": new(1), "synonyms": nil}}
		m, told := w.Failed(now, tt.before, noon)
		if told != (tt.says != "") || told && (m.Sentence() != tt.says || m.Kind != webhook.GateFailed || m.Subject != first.String() || *m.Data.FailUnder != *tt.gate) {
			t.Errorf("%s: got %v, %q", name, told, m.Sentence())
		}
	}
}

// proves: decisions/25/score-fell
func TestFell(t *testing.T) {
	t.Parallel()
	of := func(n int) *int { return &n }
	for _, tt := range []struct {
		score, before *int
		want          bool
	}{{of(79), of(80), true}, {of(80), of(80), false}, {of(81), of(80), false}, {nil, of(80), false}, {of(0), nil, false}, {of(0), of(1), true}} {
		m, got := webhook.Fell(assessment.Assessment{Score: tt.score, ModelName: "Sales"}, tt.before, noon)
		if got != tt.want || got && (m.Kind != webhook.ScoreFell || m.Data.ItemName != "Sales" || *m.Data.Score != *tt.score) {
			t.Errorf("%+v: got %v %+v", tt, got, m)
		}
	}
}

// A linguistic schema is told when it appears, and not again while it stays.
//
// proves: decisions/25/linguistic-found
func TestLinguistic(t *testing.T) {
	t.Parallel()
	const none, linguistic, copilot, both, unknown = semanticmodel.NoAIFormat, semanticmodel.LinguisticFormat, semanticmodel.CopilotFormat,
		semanticmodel.BothFormats, semanticmodel.UnknownAIFormat
	told := map[[2]semanticmodel.AIFormat]bool{ // before, now
		{unknown, linguistic}: true, {none, linguistic}: true, {copilot, linguistic}: true, {unknown, both}: true, {none, both}: true, {copilot, both}: true,
	}
	for _, before := range []semanticmodel.AIFormat{none, linguistic, copilot, both, unknown} {
		for _, now := range []semanticmodel.AIFormat{none, linguistic, copilot, both, unknown} {
			a := assessment.Assessment{WorkspaceID: other, ModelID: first, ModelName: "Sales", WorkspaceName: "Retail", AIFormat: now}
			m, made := webhook.Linguistic(a, before, noon)
			if made != told[[2]semanticmodel.AIFormat{before, now}] || made && (m.Data.AIFormat != now || m.Subject != first.String() ||
				m.Sentence() != "Sales (Retail) has a linguistic schema, which retires with Q&A.") {
				t.Errorf("%q after %q: got %v, %+v", now, before, made, m)
			}
		}
	}
	for name, c := range map[string]struct {
		leaving *assessment.LeavingQnA
		want    *bool
	}{
		"it can be read":            {&assessment.LeavingQnA{}, new(true)},
		"it cannot":                 {&assessment.LeavingQnA{Inventory: upgrade.Inventory{Invalid: "definition/cultures/en-US.tmdl:3: it ends too early"}}, new(false)},
		"that was not recorded yet": {},
	} {
		m, made := webhook.Linguistic(assessment.Assessment{ModelName: "Sales", AIFormat: linguistic, LeavingQnA: c.leaving}, none, noon)
		if data, err := json.Marshal(m.Data); !made || !cmp.Equal(c.want, m.Data.SchemaValid) || err != nil || strings.Contains(string(data), "it ends") {
			t.Errorf("%s: got %v %s", name, made, data)
		}
	}
}

// An allowance is low once, whatever is spent.
//
// proves: decisions/25/allowance-low
func TestLow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 60).Draw(t, "limit")
		used, told := 0, 0
		for used < limit {
			n := rapid.IntRange(1, limit-used).Draw(t, "amount")
			used += n
			if _, low := webhook.Low(account.Spent{Kind: account.Assessments, Amount: n, Used: used}, account.Allowance{Limit: &limit, Period: account.Day}, noon); low {
				if told++; used*10 < limit*8 || (used-n)*10 >= limit*8 {
					t.Fatalf("told at %d of %d", used, limit)
				}
			}
		}
		if told != 1 {
			t.Fatalf("told %d times", told)
		}
	})
	if _, low := webhook.Low(account.Spent{Amount: 5, Used: 5}, account.Allowance{Period: account.Day}, noon); low {
		t.Error("an allowance without a limit is low")
	}
	ten := 10
	if m, _ := webhook.Low(account.Spent{Kind: account.Assessments, Amount: 8, Used: 8}, account.Allowance{Limit: &ten, Period: account.Day}, noon); m.Sentence() !=
		"8 of 10 assessments are used. The allowance starts again at 2026-11-22T00:00:00Z." {
		t.Error(m.Sentence())
	}
}

// Names are shown as text, whatever they contain.
func TestBody(t *testing.T) {
	t.Parallel()
	hostile := "<!channel> <https://evil.example|Sales> & **x**\n[a](https://evil.example)\u202e\u200b" + strings.Repeat("y", 300)
	score, before := 70, 80
	m, _ := webhook.Fell(assessment.Assessment{WorkspaceID: other, ModelID: first, ModelName: hostile, WorkspaceName: "Retail", Score: &score}, &before, noon)
	id := uuid.MustParse("00000000-0000-0000-0000-000000000009")
	for _, f := range webhook.Formats() {
		body, mediaType, err := m.Body(f, id, "con/toso", "")
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(f, err)
		}
		if strings.Contains(string(body), "consoleUrl") || strings.Contains(string(body), "Open in the console") || strings.Contains(string(body), "actions") {
			t.Errorf("%s links to a console whose address is not known: %s", f, body)
		}
		switch f {
		case webhook.CloudEvents:
			data := v["data"].(map[string]any)
			if mediaType != "application/cloudevents+json" || v["specversion"] != "1.0" || v["id"] != id.String() || v["type"] != "assessment.score-fell" ||
				v["source"] != "/accounts/con%2Ftoso" || v["time"] != "2026-11-21T12:00:00Z" || v["subject"] != first.String() || data["itemName"] != hostile || data["score"] != 70.0 {
				t.Errorf("%s", body)
			}
		case webhook.Slack:
			text := v["text"].(string)
			if strings.ContainsAny(text, "<>\n\u202e\u200b") || !strings.HasPrefix(text, "The score of &lt;!channel&gt;") || !strings.HasSuffix(text, "fell from 80 to 70.") {
				t.Error(text)
			}
		case webhook.Teams:
			text := string(body)
			if !strings.Contains(text, `"type":"TextRun"`) || strings.Contains(text, "TextBlock\"") && !strings.Contains(text, "RichTextBlock") || strings.Contains(text, `\u202e`) {
				t.Error(text)
			}
		}
	}
	if _, _, err := m.Body("xml", id, "contoso", ""); err == nil {
		t.Error("there is another format")
	}
}

// A message links to the page of what it is about, in every format.
//
// proves: decisions/25/links
func TestLinks(t *testing.T) {
	t.Parallel()
	score := 10
	a := assessment.Assessment{WorkspaceID: other, ModelID: first, OperationID: other, Score: &score, AIFormat: semanticmodel.BothFormats}
	gate := webhook.Webhook{Configuration: webhook.Configuration{FailUnder: new(11)}}
	agent := a
	agent.DataAgent = &assessment.DataAgent{}
	made := func(m webhook.Message, made bool) webhook.Message {
		if !made {
			t.Fatal("nothing is told")
		}
		return m
	}
	item := webhook.Unassessed{OperationID: other, WorkspaceID: other, ItemID: first, Type: operation.AssessSemanticModel}
	theAgent := item
	theAgent.Type = operation.AssessDataAgent
	model, ran := "/models/"+other.String()+"/"+first.String(), "/operations/"+other.String()
	for name, tt := range map[string]struct {
		of   webhook.Message
		path string
	}{
		"fell":                    {made(webhook.Fell(a, new(11), noon)), model},
		"gate":                    {made(gate.Failed(a, nil, noon)), model},
		"linguistic":              {made(webhook.Linguistic(a, "", noon)), model},
		"failed":                  {webhook.NotAssessed(item, domain.ItemNotReadable, noon), model},
		"a data agent fell":       {made(webhook.Fell(agent, new(11), noon)), ran},
		"a data agent failed":     {webhook.NotAssessed(theAgent, domain.ItemNotReadable, noon), ran},
		"ended":                   {webhook.Ended(other, operation.ApplyOptimization, operation.Resource{WorkspaceID: first, ItemID: &first}, operation.StatusFailed, "", noon), ran},
		"an operation on no item": {webhook.Ended(other, operation.AddPixies, operation.Resource{WorkspaceID: first}, operation.StatusSucceeded, "", noon), ran},
		"low":                     {webhook.Message{Kind: webhook.AllowanceLow, Data: webhook.Data{Used: new(8), Limit: new(10)}}, "/admin"},
		"a test":                  {webhook.Tried(first, noon), "/admin/webhooks/" + first.String()},
	} {
		for console, base := range map[string]string{"https://readiness.example.com": "https://readiness.example.com", "https://x.example/a|b&c/": "https://x.example/a|b&c"} {
			want := base + tt.path
			for _, f := range webhook.Formats() {
				body, _, err := tt.of.Body(f, first, "contoso", console)
				if err != nil {
					t.Fatal(err)
				}
				var v struct {
					Text        string
					Data        struct{ ConsoleURL string }
					Attachments []struct {
						Content struct {
							Actions []struct{ Type, Title, URL string }
						}
					}
				}
				if err := json.Unmarshal(body, &v); err != nil {
					t.Fatal(err)
				}
				switch f {
				case webhook.CloudEvents:
					if v.Data.ConsoleURL != want {
						t.Errorf("%s: %s", name, body)
					}
				case webhook.Slack:
					if !strings.HasSuffix(v.Text, ". <"+strings.NewReplacer("|", "%7C", "&", "&amp;").Replace(want)+"|Open in the console>") {
						t.Errorf("%s: %s", name, v.Text)
					}
				case webhook.Teams:
					if all := v.Attachments[0].Content.Actions; len(all) != 1 || all[0].Type != "Action.OpenUrl" || all[0].URL != want || all[0].Title == "" {
						t.Errorf("%s: %s", name, body)
					}
				}
			}
		}
		if tt.of.Data.ConsoleURL != "" {
			t.Errorf("%s: the message that is stored has a link", name)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	item := other
	for want, m := range map[string]webhook.Message{
		"The assessment of Sales (Retail) failed: ItemNotReadable.": webhook.NotAssessed(webhook.Unassessed{ItemID: item, ItemName: "Sales", WorkspaceName: "Retail"}, domain.ItemNotReadable, noon),
		"ApplyOptimization ended: Failed (ItemChanged). Item: 00000000-0000-0000-0000-000000000002.": webhook.Ended(first, operation.ApplyOptimization,
			operation.Resource{ItemID: &item}, operation.StatusFailed, domain.ItemChanged, noon),
		"AddPixies ended: Succeeded. Item: workspace 00000000-0000-0000-0000-000000000002.": webhook.Ended(first, operation.AddPixies, operation.Resource{WorkspaceID: item},
			operation.StatusSucceeded, "", noon),
		"This is a test message.": webhook.Tried(first, noon),
	} {
		if got := m.Sentence(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A receiver that does not take a message for a day is asked ever more rarely, and then the message is parked.
//
// proves: decisions/25/retried
func TestAfter(t *testing.T) {
	t.Parallel()
	now, since, attempts := noon, noon, 0
	state := webhook.Waiting
	for ; state == webhook.Waiting; attempts++ {
		if attempts > 0 {
			now = now.Add(webhook.Pause(attempts))
		}
		state = webhook.After(webhook.Answered(500), since, now)
	}
	if state != webhook.Parked || attempts < 20 || attempts > 50 || now.Before(since.Add(webhook.Patience)) || now.After(since.Add(webhook.Patience+time.Hour)) {
		t.Errorf("%s after %d attempts in %s", state, attempts, now.Sub(since))
	}
	if webhook.Pause(1) != 5*time.Second || webhook.Pause(2) != 10*time.Second || webhook.Pause(1000) != time.Hour {
		t.Error(webhook.Pause(1), webhook.Pause(2), webhook.Pause(1000))
	}
	for status, want := range map[int]webhook.State{200: webhook.Delivered, 204: webhook.Delivered, 299: webhook.Delivered, 301: webhook.Waiting, 307: webhook.Waiting,
		400: webhook.Waiting, 404: webhook.Waiting, 410: webhook.Parked, 429: webhook.Waiting, 500: webhook.Waiting, 199: webhook.Waiting} {
		if got := webhook.After(webhook.Answered(status), since, since); got != want {
			t.Errorf("%d: %s", status, got)
		}
	}
	if webhook.After(webhook.NotEnabled, since, since) != webhook.Parked || webhook.After(webhook.SecretMissing, since, since) != webhook.Waiting {
		t.Error("a disabled webhook's messages are parked at once")
	}
}

// The id of a message is that of the webhook and of what it is about.
func TestDeliveryID(t *testing.T) {
	t.Parallel()
	id := webhook.DeliveryID(first, "a")
	if id != webhook.DeliveryID(first, "a") || id == webhook.DeliveryID(other, "a") || id == webhook.DeliveryID(first, "b") {
		t.Error(id)
	}
}
