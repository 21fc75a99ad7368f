package openai_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"readiness/ai/openai"
	"readiness/domain/verdict"
	"readiness/test/samples"
)

// modelTexts are texts of models, valid and invalid.
var modelTexts = []string{
	`{"answer":"By region.","dax":"EVALUATE VALUES(Sales[Region])","cannotTell":false,"fields":[{"role":"grouping","table":"Sales","name":"Region","operator":null,"values":[]}]}`,
	`{"answer":"In 2024.","dax":"EVALUATE ROW(\"x\", [Revenue])","cannotTell":false,"fields":[{"role":"measure","table":"Sales","name":"Revenue","operator":null,"values":[]},{"role":"filter","table":"Date","name":"Year","operator":"=","values":["2024"]}]}`,
	`{"answer":"There is no such figure.","dax":"","cannotTell":true,"fields":[]}`, "<think>{\"answer\":</think> ```json\n{\"answer\":\"x\",\"dax\":\"\",\"cannotTell\":true,\"fields\":[]}\n```",
	`{"class":"same","confidence":0.9,"reason":"It says\nthe same."}`, `{"class":"conflict","confidence":1e400,"reason":""}`, `{"class":"no_answer","confidence":-0,"reason":null}`, `[{"class":"subset","confidence":1,"reason":"x"}]`,
	`{"items":[{"key":"q1","text":"How much did we sell?"},{"key":"q2","text":null}]}`, `[{"key":"q1","text":"x"}]`, `{"items":["descriptions"]}`, `{"items":null}`, `{"items":[null]}`, strings.Repeat("{", 40), strings.Repeat("[", 20_000), `{"a":{"items":[]}}`, "", "\xff{}", `{"answer":"\ud800","dax":"x","cannotTell":false,"fields":null}`,
}

// For any text of a model, the parsed values have the allowed lengths and words, and are on one line
// where required.
func FuzzAnswers(f *testing.F) {
	for _, text := range modelTexts {
		f.Add(text)
	}
	for _, text := range samples.Texts(f, samples.Ending(".json")) {
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		line := func(what, text string, limit int) {
			if !utf8.ValidString(text) || utf8.RuneCountInString(text) > limit || strings.ContainsAny(text, "\r\n\t") {
				t.Errorf("%s is %q", what, text)
			}
		}
		if answer, ok := openai.ReadAnswer(text); ok {
			line("the answer", answer.Text, 4000)
			if answer.CannotAnswer != (len(answer.Fields) == 0) || answer.CannotAnswer != (answer.DAX == "") || answer.CannotAnswer && answer.Text == "" || utf8.RuneCountInString(answer.DAX) > 10_000 || len(answer.Fields) > 50 {
				t.Errorf("answer %+v", answer)
			}
			for _, field := range answer.Fields {
				if !slices.Contains([]verdict.Role{verdict.MeasureField, verdict.GroupingField, verdict.FilterField}, field.Role) || len(field.Values) > 100 || field.Role != verdict.FilterField && (field.Operator != "" || field.Values != nil) {
					t.Errorf("field %+v", field)
				}
			}
		}
		if judged, ok := openai.ReadJudgement(text); ok {
			line("the reason", judged.Reason, 500)
			if judged.Class == "" || !(0 <= judged.Confidence && judged.Confidence <= 1) {
				t.Errorf("judged %+v", judged)
			}
		}
		// Reasoning before the answer changes nothing, and the items have the same values after a
		// round trip.
		if items, ok := openai.Items(text); ok {
			again, err := json.Marshal(map[string]any{"items": items})
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := openai.Items("Here they are: " + string(again) + " Anything else?"); !ok || !slices.EqualFunc(items, got, func(a, b openai.Given) bool {
				return a.Key == b.Key && (a.Text == nil) == (b.Text == nil) && (a.Text == nil || *a.Text == *b.Text)
			}) {
				t.Errorf("%s reads %v, want %v", again, got, items)
			}
		}
	})
}

// Any response of a provider becomes an answer or a failure, which has neither the key nor any text of
// the provider.
func FuzzProvider(f *testing.F) {
	const completion = `{"id":"x","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	for _, text := range modelTexts {
		content, err := json.Marshal(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint16(200), []byte(strings.Replace(completion, "%q", string(content), 1)))
	}
	for _, body := range []string{
		`{"error":{"code":"context_length_exceeded","message":"private words is too long","param":"messages"}}`, `{"error":"private words"}`, `{"error":{"code":7,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, `{"choices":[]}`, `{"choices":null,"usage":null}`, `{"choices":[{"message":{"tool_calls":[{"function":{"arguments":"{}"}}]}}]}`,
		`{"choices":[{"finish_reason":"length","message":{"content":null}}]}`, `{"choices":[{"message":{"refusal":"private words"}}]}`, "", "[]", "<html>private words</html>", `{"usage":{"prompt_tokens":-1}}`, `{"id":"a\nb","choices":[{}]}`, `{"choices":[{"message":{"content":[{"type":"text"}]}}]}`,
	} {
		for _, status := range []uint16{200, 400, 401, 403, 404, 413, 422, 429, 500, 503} {
			f.Add(status, []byte(body))
		}
	}
	var answer reply
	s := serve(f, func(int, request) reply { return answer })
	f.Fuzz(func(t *testing.T, status uint16, body []byte) {
		answer = reply{status: 200 + int(status)%400, body: string(body)}
		s.mu.Lock()
		s.requests, s.waits = nil, nil
		s.log.Reset()
		s.mu.Unlock()
		answer, e, err := s.client(t).AnswerQuestion(t.Context(), openai.Material{}, "How much?")
		if err == nil && answer.Text == "" && answer.DAX == "" {
			t.Errorf("answer %+v after %q", answer, body)
		}
		if e.InputTokens < 0 || e.OutputTokens < 0 || len(e.RequestID) > 128 {
			t.Errorf("got %+v", e)
		}
		if len(s.asked()) > 20 || err != nil && len(err.Error()) > 300 {
			t.Errorf("%d requests, and %v", len(s.asked()), err)
		}
		s.secrecy(t, err)
	})
}
