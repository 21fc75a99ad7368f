package aiprovider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"readiness/domain"
	"readiness/domain/aiprovider"
)

const secret = "sk-very-secret-0123456789"

// A key never shows: with no verb, in no value that holds it, and not in the encoders
// of JSON and of logs.
func TestKeyIsHidden(t *testing.T) {
	t.Parallel()
	key, err := aiprovider.NewKey(secret)
	if err != nil || key.Reveal() != secret {
		t.Fatal(key, err)
	}
	type holder struct {
		Settings aiprovider.Settings
		key      aiprovider.Key
		all      map[string]aiprovider.Key
		pointer  *aiprovider.Key
	}
	held := holder{vendor().Settings(key), key, map[string]aiprovider.Key{"k": key}, &key}
	var shown bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p"} {
		for _, v := range []any{key, &key, held, &held, []any{held}, held.Settings} {
			fmt.Fprintf(&shown, verb+"\n", v)
		}
	}
	if err := json.NewEncoder(&shown).Encode([]any{key, held, map[aiprovider.Key]int{}}); err != nil {
		t.Fatal(err)
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&shown, nil), slog.NewJSONHandler(&shown, nil)} {
		slog.New(handler).Info("asked", "key", key, "held", held, "pointer", &key, "err", fmt.Errorf("asked with %v", held))
	}
	hex := fmt.Sprintf("%x", secret)
	for _, never := range []string{secret, hex, strings.ToUpper(hex), fmt.Sprintf("%d", []byte(secret))} {
		if strings.Contains(shown.String(), never) {
			t.Errorf("%q is shown:\n%s", never, shown.String())
		}
	}
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "a b", "key\n", "sk-\x00", "clé", strings.Repeat("k", 4097)} {
		k, err := aiprovider.NewKey(text)
		if !domain.IsRefused(err, domain.InvalidRequest) || !k.IsZero() {
			t.Errorf("%.20q was accepted: %v", text, err)
		}
		if len(text) > 2 && strings.Contains(err.Error(), text) {
			t.Errorf("the refusal repeats %q", text)
		}
	}
	if k, err := aiprovider.NewKey(strings.Repeat("~", 4096)); err != nil || k.IsZero() {
		t.Errorf("a long key: %v", err)
	}
	a, _ := aiprovider.NewKey("a")
	again, _ := aiprovider.NewKey("a")
	b, _ := aiprovider.NewKey("b")
	if !a.Equal(again) || a.Equal(b) || a.Equal(aiprovider.Key{}) || !(aiprovider.Key{}).Equal(aiprovider.Key{}) {
		t.Error("keys compare wrongly")
	}
}
