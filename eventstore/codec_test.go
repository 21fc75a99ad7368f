package eventstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"readiness/domain"
	"readiness/eventstore"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// moved is an event whose form changed twice. Version 1 had one "route", version 2 "from" and "to".
// Version 3 renames them and counts in meters instead of kilometers.
type moved struct {
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
	Meters      int    `json:"meters"`
}

func (moved) EventType() string { return "cart.moved" }

func splitRoute(data json.RawMessage) (json.RawMessage, error) {
	var v1 struct {
		Route string `json:"route"`
		Km    int    `json:"km"`
	}
	if err := json.Unmarshal(data, &v1); err != nil {
		return nil, err
	}
	from, to, ok := strings.Cut(v1.Route, " to ")
	if !ok {
		return nil, errors.New("a route without an end")
	}
	return json.Marshal(map[string]any{"from": from, "to": to, "km": v1.Km})
}

func metricUnits(data json.RawMessage) (json.RawMessage, error) {
	var v2 struct {
		From, To string
		Km       int
	}
	if err := json.Unmarshal(data, &v2); err != nil {
		return nil, err
	}
	return json.Marshal(moved{v2.From, v2.To, v2.Km * 1000})
}

var movedType = eventstore.Type{Example: moved{}, SchemaVersion: 3, Upcasters: []eventstore.Upcaster{splitRoute, metricUnits},
	Formerly: []string{"cart.went"}}

func TestDecodeUpcastsEveryVersion(t *testing.T) {
	t.Parallel()
	c, err := eventstore.NewCodec(movedType)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		version    int
		data, fail string
	}{
		{1, `{"route":"Ulm to Bern","km":2}`, ""},
		{2, `{"from":"Ulm","to":"Bern","km":2}`, ""},
		{3, `{"origin":"Ulm","destination":"Bern","meters":2000}`, ""},
		{3, `{"origin":"Ulm","destination":"Bern","meters":2000,"added":"by a later program of the same version"}`, ""},
		{1, `{"route":"Ulm"}`, "upcast cart.moved from schema version 1 to 2"},
		{3, `{"meters":"two"}`, "decode cart.moved"},
		{3, `{`, "decode cart.moved"},
		{0, `{}`, "schema version 0"},
		{4, `{}`, "schema version 4"},
	} {
		got, err := c.Decode("cart.moved", test.version, []byte(test.data), nil)
		if test.fail != "" {
			if err == nil || !strings.Contains(err.Error(), test.fail) {
				t.Errorf("%d %s: got %v, want an error that says %q", test.version, test.data, err, test.fail)
			}
			continue
		}
		if diff := cmp.Diff(domain.Event(moved{"Ulm", "Bern", 2000}), got); err != nil || diff != "" {
			t.Errorf("%d %s: %v\n%s", test.version, test.data, err, diff)
		}
	}
	if _, err := c.Decode("cart.gone", 1, nil, nil); err == nil || !strings.Contains(err.Error(), "cart.gone") {
		t.Errorf("got %v, want an error that names the event", err)
	}
}

type nameless struct{}

func (nameless) EventType() string { return "" }

type alias struct{}

func (alias) EventType() string { return "budget.spent" }

type fickle struct{ Name string }

func (f fickle) EventType() string { return f.Name }

func TestNewCodecRefuses(t *testing.T) {
	t.Parallel()
	up := func(d json.RawMessage) (json.RawMessage, error) { return d, nil }
	for name, types := range map[string][]eventstore.Type{
		"no example":                 {{SchemaVersion: 1}},
		"no name":                    eventstore.Events(nameless{}),
		"a pointer":                  eventstore.Events(&spent{}),
		"two of one name":            eventstore.Events(spent{}, alias{}),
		"one twice":                  eventstore.Events(spent{}, spent{}),
		"a former name of another":   {{Example: spent{}, SchemaVersion: 1}, {Example: noted{}, SchemaVersion: 1, Formerly: []string{"budget.spent"}}},
		"one under two":              eventstore.Events(fickle{"a"}, fickle{"b"}),
		"version 0":                  {{Example: spent{}}},
		"a missing upcaster":         {{Example: spent{}, SchemaVersion: 3, Upcasters: []eventstore.Upcaster{up}}},
		"a nil upcaster":             {{Example: spent{}, SchemaVersion: 3, Upcasters: []eventstore.Upcaster{up, nil}}},
		"an event without the state": append(eventstore.WithSnapshot[budget]("budget", spent{}), eventstore.Of("budget", noted{})...),
		"one upcaster more":          {{Example: spent{}, SchemaVersion: 1, Upcasters: []eventstore.Upcaster{up}}},
	} {
		if _, err := eventstore.NewCodec(types...); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	c, err := eventstore.NewCodec(eventstore.Events(noted{}, fickle{"a"})...)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]domain.Event{
		"nil":              nil,
		"unknown":          spent{},
		"under other name": fickle{"b"},
		"over 1 MiB":       noted{strings.Repeat("x", 1<<20)},
	} {
		if _, _, _, err := c.Encode(e, nil); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, _, _, err := c.Encode(noted{strings.Repeat("x", 1<<20-len(`{"text":""}`))}, nil); err != nil {
		t.Errorf("1 MiB: %v", err)
	}
}

// Every reader returns an event of an older form, stored under a former name, in the current form, together with what is stored.
func TestEveryReaderUpcasts(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	mustAdd(t, s, "cart-1", noted{"stands for the old event"})
	const old = `{"route":"Ulm to Bern", "km":2}`
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SET LOCAL session_replication_role = replica`)
		if err == nil {
			_, err = tx.Exec(t.Context(), `UPDATE events SET type = 'cart.went', schema_version = 1, data = $1`, old)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := eventstore.NewCodec(movedType)
	if err != nil {
		t.Fatal(err)
	}
	s = eventstore.New(pool, c, eventstore.Options{})
	want := domain.Event(moved{"Ulm", "Bern", 2000})
	check := func(reader string, r eventstore.Recorded) {
		t.Helper()
		if diff := cmp.Diff(want, r.Event); diff != "" || string(r.Data) != old || r.SchemaVersion != 1 || r.Type != "cart.went" {
			t.Errorf("%s: got %+v\n%s", reader, r, diff)
		}
	}
	for r, err := range s.ReadAll(t.Context(), 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		check("ReadAll", r)
	}
	for r, err := range s.ReadStream(t.Context(), "cart-1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		check("ReadStream", r)
	}
	replayed := 0
	for r, err := range s.Replay(t.Context(), eventstore.Selection{UpTo: 1 << 20}, []string{"cart.moved"}, false) {
		if err != nil {
			t.Fatal(err)
		}
		check("Replay", r)
		replayed++
	}
	if replayed != 1 {
		t.Errorf("Replay of the present name yields %d events", replayed)
	}
	past := eventstore.Fold("cart-1", evolveEvents)
	if err := s.Load(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]domain.Event{want}, past.State); diff != "" {
		t.Errorf("Load: %s", diff)
	}
	followed := make(chan eventstore.Recorded, 1)
	follow(t, s, "one", func(_ context.Context, _ pgx.Tx, r eventstore.Recorded) error { followed <- r; return nil })
	check("Follow", <-followed)
}
