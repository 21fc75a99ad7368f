package desk

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// chat is a server of a language model that answers each request with a text, and keeps what it was asked.
func chat(t *testing.T, answer string) (address string, asked func() []string) {
	t.Helper()
	var lock sync.Mutex
	var all []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		lock.Lock()
		all = append(all, string(body))
		lock.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": answer}}}})
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string { lock.Lock(); defer lock.Unlock(); return all }
}

// A judge is asked only about what nothing computes; it is named, its verdicts are marked, and the rate without them is told.
func TestJudge(t *testing.T) {
	t.Parallel()
	in := written(t, map[string]string{
		"golden.csv": "question,dax,expectedAnswer\n" +
			"How many tickets are there?,\"EVALUATE ROW(\"\"n\"\", [Ticket Count])\",\n" +
			"Why do customers call?,,They cannot sign in.\n",
		"answers.csv": "question,answer,who\nHow many tickets are there?,There are 300 tickets.,Copilot\nWhy do customers call?,\"Because <their> sign-in fails.\",Copilot\n",
	})
	address, asked := chat(t, `{"class": "same", "confidence": 0.9, "reason": "Both say that the sign-in fails."}`)
	with := []string{"evaluate", tickets, "--questions", in("golden.csv"), "--answers", in("answers.csv")}
	judged := append(with, "--judge", "openai:small-1", "--judge-base-url", address)
	got := must(t, judged...).stdout
	for _, want := range []string{"2 of 2", "the value in the text 1, a judge 1", "a language model judged 1 answer (small-1, judge/3), and nothing computes these verdicts: " +
		"it called 1 right. Without it 1 of 2 answers are right."} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if all := asked(); len(all) != 1 || !strings.Contains(all[0], "sign in") || strings.Contains(all[0], "Copilot") {
		t.Errorf("the judge was asked %q", all)
	}
	if got := must(t, with...).stdout; !strings.Contains(got, "1 of 2") || strings.Contains(got, "a judge") || len(asked()) != 1 {
		t.Errorf("without a judge: got %s", got)
	}
	must(t, append(judged, "--format", "json", "--output", in("judged.json"))...)
	var d struct {
		Judge struct{ Model, PromptVersion string }
	}
	if err := json.Unmarshal([]byte(must(t, append(judged, "--format", "json")...).stdout), &d); err != nil || d.Judge.Model != "small-1" || d.Judge.PromptVersion != "judge/3" {
		t.Errorf("in JSON the judge is %+v, %v", d.Judge, err)
	}
	other := append(with, "--judge", "openai:large-2", "--judge-base-url", address, "--baseline", in("judged.json"))
	if got := must(t, other...).stdout; !strings.Contains(got, "Another judge than the baseline's") {
		t.Errorf("another judge: got %s", got)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no language model": {[]string{"--judge", "rules"}, 2, "--judge must be openai:MODEL or ollama:MODEL"},
		"no key":            {[]string{"--judge", "openai:x", "--judge-key-env", "NO_SUCH_KEY"}, 2, "the environment variable NO_SUCH_KEY holds no key"},
		"no answer":         {[]string{"--judge", "openai:x", "--judge-base-url", "http://127.0.0.1:1"}, 0, ""},
	} {
		got := run(t.Context(), append(with, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || c.code == 0 && !strings.Contains(got.stdout, "The judge did not answer about 1 answer.") {
			t.Errorf("%s: got %d %s %s", name, got.code, got.stdout, got.stderr)
		}
	}
}
