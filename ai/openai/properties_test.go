package openai_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"readiness/ai/openai"
	"readiness/domain/proposal"
)

// answers is a server without a network that answers by a rule.
type answers func(request) reply

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := parse(r)
	if err != nil {
		return nil, err
	}
	out := a(asked)
	return &http.Response{StatusCode: max(out.status, http.StatusOK), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(out.body))}, nil
}

// For any response of a language model, each requested object has one outcome, and proposals keep
// every limit.
func TestDescribeForAnyResponse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(), rapid.StringN(15, 200, -1), rapid.StringN(199, 202, -1), rapid.SampledFrom([]string{"a b c of the", "Money that was booked.", "Sums [Amount] by day.", "Sums [amounts] by day.", "Two\u2028lines of text."}),
			rapid.Custom(func(t *rapid.T) string { return "Booked under number " + rapid.StringN(1, 5, -1).Draw(t, "n") }),
		)
		// Responses are drawn before the requests, which other goroutines make.
		responses := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) func(request) reply {
			keys := rapid.SliceOfN(rapid.IntRange(0, 6), 0, 6).Draw(t, "keys")
			texts := rapid.SliceOfN(text, len(keys), len(keys)).Draw(t, "texts")
			how, prose, before := rapid.IntRange(0, 9).Draw(t, "how"), rapid.String().Draw(t, "prose"), rapid.SampledFrom([]string{"", "Here: ", "[", "```json\n"}).Draw(t, "before")
			finish, status := rapid.SampledFrom([]string{"length", "content_filter", ""}).Draw(t, "finish"), rapid.SampledFrom([]int{400, 413, 422}).Draw(t, "status")
			code := rapid.SampledFrom([]string{"", "content_filter", "x"}).Draw(t, "code")
			return func(r request) reply {
				known := append(slices.Clone(r.keys), "t7", "")
				next := -1
				chosen := make([]string, len(keys))
				for i, k := range keys {
					chosen[i] = known[k%len(known)]
				}
				content := list(chosen, func(string) any { next++; return texts[next] })
				switch how {
				case 0:
					return say(prose)
				case 1:
					return completion(map[string]any{"content": content}, finish)
				case 2:
					return fail(status, code, "", "")
				case 3:
					return call(content)
				}
				return say(before + content)
			}
		}), 1, 20).Draw(t, "responses")
		n := -1
		s := answers(func(r request) reply { n++; return responses[n%len(responses)](r) })
		c, err := openai.New(openai.Settings{BaseURL: "http://example.com", PrivateAddresses: true}, openai.Options{Client: &http.Client{Transport: s}})
		if err != nil {
			t.Fatal(err)
		}
		m, objects := sales("a", "b", "c", "d"), append(measures("a", "b", "c", "d", "a", "gone"), proposal.Object{Table: "Sales", Type: proposal.Table})
		proposals, skipped, err := c.Describe(t.Context(), m, objects)
		if err != nil {
			return // no request had an answer
		}
		var done []proposal.Object
		texts := map[string]bool{}
		for _, p := range proposals {
			done = append(done, p.Object)
			n := utf8.RuneCountInString(p.Value)
			if n < proposal.MinDescription || n > proposal.MaxDescription || strings.ContainsAny(p.Value, "\r\n\t\u2028\u2029") || strings.Contains(p.Value, "[amounts]") || texts[strings.ToLower(p.Value)] {
				t.Errorf("%v: proposed %q", p.Object, p.Value)
			}
			texts[strings.ToLower(p.Value)] = true
		}
		for _, k := range skipped {
			done = append(done, k.Object)
			if k.Message == "" || k.Reason != proposal.NothingProposed {
				t.Errorf("skipped without a reason: %+v", k)
			}
		}
		if len(done) != 6 {
			t.Errorf("%d outcomes, want 6", len(done))
		}
		for _, o := range objects {
			if n := len(slices.DeleteFunc(slices.Clone(done), func(d proposal.Object) bool { return d != o })); n != 1 {
				t.Errorf("%v has %d outcomes, want 1", o, n)
			}
		}
	})
}
