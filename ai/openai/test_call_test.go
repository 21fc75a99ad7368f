package openai_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/ai/openai"
	"readiness/domain/aiprovider"
)

// shape returns an answer in the form of a test call.
func shape(text any) string {
	b, err := json.Marshal(map[string]any{"items": []any{map[string]any{"key": "a", "text": text}}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A server's promise does not count: a test call asks for a value that its form forbids, and checks
// the answer.
func TestTestCall(t *testing.T) {
	t.Parallel()
	const no = http.StatusBadRequest
	yes, not := new(true), new(false)
	for name, tt := range map[string]struct {
		answer func(n int, r request) reply
		saw    *aiprovider.Capabilities
		error  aiprovider.TestError
		modes  []string
	}{
		"it enforces": {
			func(int, request) reply { return say(shape("circle")) },
			&aiprovider.Capabilities{JSONSchema: aiprovider.Strict, Temperature: yes}, "", []string{"json_schema"},
		},
		"it enforces, and says nothing": {
			func(int, request) reply { return say(shape(nil)) },
			&aiprovider.Capabilities{JSONSchema: aiprovider.Strict, Temperature: yes}, "", []string{"json_schema"},
		},
		"it obeys": {
			func(int, request) reply { return say(shape("triangle")) },
			&aiprovider.Capabilities{JSONSchema: aiprovider.AcceptedNotEnforced, Temperature: yes}, "", []string{"json_schema"},
		},
		"it chats": {
			func(int, request) reply { return say("A triangle, as you wish.") },
			&aiprovider.Capabilities{JSONSchema: aiprovider.AcceptedNotEnforced, Temperature: yes}, "", []string{"json_schema"},
		},
		"another key": {
			func(int, request) reply { return say(`{"items":[{"key":"b","text":"circle"}]}`) },
			&aiprovider.Capabilities{JSONSchema: aiprovider.AcceptedNotEnforced, Temperature: yes}, "", []string{"json_schema"},
		},
		"tools only": {
			func(_ int, r request) reply {
				if r.mode != "tool" {
					return fail(no, "", "", "response_format is unknown")
				}
				return call(shape("circle"))
			},
			&aiprovider.Capabilities{JSONSchema: aiprovider.None, Temperature: yes, Tools: yes}, "", []string{"json_schema", "tool"},
		},
		"a tool that is not called": {
			func(_ int, r request) reply {
				if r.mode != "tool" {
					return fail(no, "", "", "response_format is unknown")
				}
				return say("no")
			},
			&aiprovider.Capabilities{JSONSchema: aiprovider.None, Temperature: yes, Tools: not}, "", []string{"json_schema", "tool"},
		},
		"text only": {
			func(_ int, r request) reply {
				if r.mode != "plain" {
					return fail(no, "", "", "unknown member")
				}
				return say("triangle")
			},
			&aiprovider.Capabilities{JSONSchema: aiprovider.None, Temperature: yes, Tools: not}, "", []string{"json_schema", "tool", "json_object", "plain"},
		},
		"no temperature": {
			func(_ int, r request) reply {
				if r.temperature != nil {
					return fail(no, "", "temperature", "unsupported")
				}
				return say(shape("square"))
			},
			&aiprovider.Capabilities{JSONSchema: aiprovider.Strict, Temperature: not}, "", []string{"json_schema", "json_schema"},
		},
		"the key is wrong": {
			func(int, request) reply { return fail(http.StatusUnauthorized, "", "", "private words") }, nil, aiprovider.KeyNotAccepted, []string{"json_schema"},
		},
		"no such model": {
			func(int, request) reply { return fail(http.StatusNotFound, "", "", "private words") }, nil, aiprovider.ModelNotFound, []string{"json_schema"},
		},
		"it takes nothing": {
			func(int, request) reply { return fail(no, "", "", "private words") }, nil, aiprovider.RequestNotTaken,
			[]string{"json_schema", "tool", "json_object", "plain"},
		},
		"it is busy": {
			func(int, request) reply { return fail(http.StatusTooManyRequests, "", "", "private words") }, nil, aiprovider.TooManyRequests,
			[]string{"json_schema", "json_schema"},
		},
		"it is busy for long": {
			func(int, request) reply {
				r := fail(http.StatusTooManyRequests, "", "", "")
				r.header = map[string]string{"Retry-After": "30"}
				return r
			}, nil, aiprovider.TooManyRequests, []string{"json_schema"},
		},
		"it is down": {
			func(int, request) reply { return reply{status: http.StatusBadGateway} }, nil, aiprovider.Unreachable, []string{"json_schema", "json_schema"},
		},
		"it is up again": {
			func(n int, _ request) reply {
				if n == 0 {
					return reply{status: http.StatusBadGateway}
				}
				return say(shape("square"))
			},
			&aiprovider.Capabilities{JSONSchema: aiprovider.Strict, Temperature: yes}, "", []string{"json_schema", "json_schema"},
		},
		"it redirects": {
			func(int, request) reply {
				return reply{status: http.StatusTemporaryRedirect, header: map[string]string{"Location": "http://169.254.169.254/"}}
			}, nil, aiprovider.Unreachable, []string{"json_schema"},
		},
		"it is something else": {
			func(int, request) reply { return reply{body: "<html>private words</html>"} }, nil, aiprovider.AnswerNotUsable, []string{"json_schema", "json_schema"},
		},
		"it declines": {
			func(int, request) reply {
				return completion(map[string]any{"role": "assistant", "refusal": "private words"}, "stop")
			}, nil, aiprovider.AnswerNotUsable, []string{"json_schema"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.answer)
			limits := aiprovider.DefaultLimits()
			limits.MaxRetries = 1
			o, err := s.client(t, func(of *openai.Settings, _ *openai.Options) { of.Limits = limits }).Test(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if o.OK != (tt.saw != nil) || o.ErrorCode != tt.error || o.Message == "" || o.LatencyMs < 0 {
				t.Errorf("got %+v, want error %q", o.Test, tt.error)
			}
			if diff := cmp.Diff(tt.saw, o.Capabilities); diff != "" {
				t.Errorf("saw (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.modes, s.modes()); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			s.secrecy(t, o)
		})
	}
}

func TestTestCallThatHangs(t *testing.T) {
	t.Parallel()
	s := serve(t, func(int, request) reply { return reply{hang: true} })
	limits := aiprovider.DefaultLimits()
	limits.TimeoutMs, limits.MaxRetries = 20, 0
	o, err := s.client(t, func(of *openai.Settings, _ *openai.Options) { of.Limits = limits }).Test(t.Context())
	if err != nil || o.OK || o.ErrorCode != aiprovider.TimedOut {
		t.Errorf("got %+v and error %v, want TimedOut", o, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if o, err := s.client(t).Test(ended); err == nil {
		t.Errorf("got %+v of a call that has ended", o)
	}
}

// Limits of the provider bound the requests.
func TestLimits(t *testing.T) {
	t.Parallel()
	limits := aiprovider.Limits{MaxConcurrency: 1, TimeoutMs: 60_000, MaxRetries: 0, MaxOutputTokens: 300}
	s := serve(t, func(int, request) reply { return reply{status: http.StatusBadGateway} })
	c := s.client(t, func(of *openai.Settings, _ *openai.Options) { of.Limits = limits })
	if _, _, err := c.Describe(t.Context(), sales("a"), measures("a")); err == nil {
		t.Error("want a refusal")
	}
	asked := s.asked()
	if len(asked) != 1 || !json.Valid([]byte(asked[0].raw)) {
		t.Fatalf("asked %d times, want once", len(asked))
	}
	var body struct {
		Max int `json:"max_completion_tokens"`
	}
	if err := json.Unmarshal([]byte(asked[0].raw), &body); err != nil || body.Max != 300 {
		t.Errorf("the answer is bounded by %d tokens (%v), want 300", body.Max, err)
	}
}

// A provider that must not have DAX gets names, but not the expressions of measures.
func TestWithoutDAX(t *testing.T) {
	t.Parallel()
	for _, without := range []bool{false, true} {
		s := serve(t, func(_ int, r request) reply { return obey(r) })
		c := s.client(t, func(of *openai.Settings, _ *openai.Options) { of.WithoutDAX = without })
		if _, _, err := c.Describe(t.Context(), sales("a"), measures("a")); err != nil {
			t.Fatal(err)
		}
		if sent := len(s.asked()) > 0 && strings.Contains(s.asked()[0].last(), "SUM(Sales[Amount])"); sent == without {
			t.Errorf("without DAX %v: the DAX was sent: %v", without, sent)
		}
	}
}

// A mode that a test call found not enforced is not used first.
func TestNotEnforced(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ int, r request) reply { return obey(r) })
	c := s.client(t, func(of *openai.Settings, _ *openai.Options) { of.NotEnforced = true })
	if _, _, err := c.Describe(t.Context(), sales("a"), measures("a")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tool"}, s.modes()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
