package openai_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"readiness/ai/openai"
	"readiness/domain/aiprovider"
)

// A saved provider on this machine is not asked, by address or by name, nor through a proxy, and no
// part of its response is returned.
func TestSavedProvidersInOurNetwork(t *testing.T) {
	t.Parallel()
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(s.Close)
	for _, address := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1), strings.Replace(s.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1), strings.Replace(s.URL, "127.0.0.1", "0x7f.1", 1)} {
		c, err := openai.New(openai.Settings{Name: "Ours", BaseURL: address, Model: "m", Key: secret}, openai.Options{
			Client: s.Client(), Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		})
		if err != nil {
			continue // not an address at all
		}
		o, err := c.Test(t.Context())
		if err != nil || o.OK || o.ErrorCode != aiprovider.AddressNotAllowed && o.ErrorCode != aiprovider.Unreachable {
			t.Errorf("%s: got %+v and error %v", address, o, err)
		}
		if strings.HasPrefix(address, s.URL) && o.ErrorCode != aiprovider.AddressNotAllowed {
			t.Errorf("%s: got %s, want AddressNotAllowed", address, o.ErrorCode)
		}
	}
	if asked > 0 {
		t.Errorf("asked %d times", asked)
	}
}
