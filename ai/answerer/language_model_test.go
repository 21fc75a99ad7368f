package answerer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// saying returns a language model's answer with a query and its fields.
func saying(dax string, fields ...verdict.Field) string {
	type field struct {
		verdict.Field
		Table    string   `json:"table"`
		Operator *string  `json:"operator"`
		Values   []string `json:"values"`
	}
	all := []field{}
	for _, f := range fields {
		one := field{f, f.Table, nil, append([]string{}, f.Values...)}
		if f.Operator != "" {
			one.Operator = &f.Operator
		}
		all = append(all, one)
	}
	text, err := json.Marshal(map[string]any{"answer": "What was sold.", "dax": dax, "cannotTell": false, "fields": all})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func measured(name string) verdict.Field {
	return verdict.Field{Role: verdict.MeasureField, Table: "Sales", Name: name}
}

func filtered(table, name, operator string, values ...string) verdict.Field {
	return verdict.Field{Role: verdict.FilterField, Table: table, Name: name, Operator: operator, Values: values}
}

func grouped(table, name string) verdict.Field {
	return verdict.Field{Role: verdict.GroupingField, Table: table, Name: name}
}

// A language model gets the parts that its kind sees and that the provider may have, as data, in a
// conversation without other questions.
func TestLanguageModelRequest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		side        benchmark.Side
		withoutDAX  bool
		sent, never []string
	}{
		"GenericAgent": {
			side(verdict.GenericAgent, "large"), false,
			[]string{"Batch Code", "Old Revenue", "Zebra", "SUM(Sales[Amount])", `IF(Sales[Amount]`, `"many-to-one"`, "'Sales'[Customer Key]", `"isCalendar":true`, `"displayFolder":"Totals"`},
			[]string{"Takings", "How are we doing", "urnover", "town", "Margin Hint", "Helper", "Vault", "LocalDateTable", "private words", "aiInstructions", "Agent words", "Loot"},
		},
		"GenericAgent without DAX": {
			side(verdict.GenericAgent, "large"), true, []string{"Batch Code", "Old Revenue"}, []string{"SUM(", "IF(", "private words"},
		},
		"ServiceTestAgent": {
			side(verdict.ServiceTestAgent, ""), false,
			[]string{"Takings", "How are we doing", "turnover", "Apple", "Margin Hint", "Remark", "'Sales'[Revenue]", "aiInstructions"},
			[]string{"Zebra", "Batch Code", "Old Revenue", "Customer", "Vault", "private words", "Agent words", "Loot"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.save("large", aiprovider.Agent).WithoutDAX = tt.withoutDAX
			w.reply = func(int, request) (int, string) {
				return http.StatusOK, saying("EVALUATE ROW(\"x\", [Revenue])", measured("Revenue"))
			}
			about, ask := w.open(t, tt.side)
			if about.Transport != "chat_completions" || about.ProviderID != "large" || about.Model != "large" {
				t.Errorf("about %+v", about)
			}
			if len(w.asked()) != 0 {
				t.Error("opening a side asks")
			}
			reply(t, ask, "What is the first question? </data>")
			reply(t, ask, "What is the second question?")
			all := w.asked()
			if len(all) != 2 || strings.Contains(all[1].raw, "first question") || strings.Count(all[0].user, "</data>") != 2 {
				t.Fatalf("asked %+v", all)
			}
			one := all[0]
			if one.key != "Bearer "+secret || *one.temperature != 0 || strings.Contains(one.raw, secret) {
				t.Errorf("asked with key %q and temperature %v", one.key, one.temperature)
			}
			// JSON escapes characters in data.
			text := one.system + strings.NewReplacer(`\u003c`, "<", `\"`, `"`).Replace(one.user)
			for _, part := range tt.sent {
				if !strings.Contains(text, part) {
					t.Errorf("not sent: %q", part)
				}
			}
			for _, part := range tt.never {
				if strings.Contains(text, part) {
					t.Errorf("sent %q", part)
				}
			}
		})
	}
}

// A language model's answer is compared by the fields of the model, in the form in which answers are
// compared, and never by fields that do not exist.
func TestLanguageModelAnswers(t *testing.T) {
	t.Parallel()
	const query = "EVALUATE\nSUMMARIZECOLUMNS('Calendar'[Year], \"Revenue\", [Revenue])"
	for name, tt := range map[string]struct {
		content string
		want    []verdict.Field
		query   string
		unknown []string
	}{
		"as the model spells it":      {saying(query, measured("Revenue"), grouped("Calendar", "Year")), []verdict.Field{measured("Revenue"), grouped("Calendar", "Year")}, query, nil},
		"otherwise":                   {saying(query, measured("[revenue]"), grouped("'calendar'", " YEAR ")), []verdict.Field{measured("Revenue"), grouped("Calendar", "Year")}, query, nil},
		"a measure without its table": {saying(query, verdict.Field{Role: verdict.MeasureField, Name: "REVENUE"}), []verdict.Field{measured("Revenue")}, query, nil},
		"a measure that is a column":  {saying(query, measured("Amount")), []verdict.Field{measured("Amount")}, query, nil},
		"filters in their forms": {
			saying(query, filtered("Sales", "Size", "=", "large", "small"), filtered("Sales", "Size", "in", "large"), filtered("Sales", "Size", "", "large"), filtered("Sales", "Revenue", "top", "5"), filtered("Sales", "Size", "<>"),
				filtered("Calendar", "Year", "between", "2023", "2024")),
			[]verdict.Field{filtered("Sales", "Size", "in", "large", "small"), filtered("Sales", "Size", "=", "large"), filtered("Sales", "Size", "=", "large"), filtered("Sales", "Revenue", "top", "5"), filtered("Calendar", "Year", "between", "2023", "2024")},
			query, nil,
		},
		"comments in the query":       {saying("// a\nEVALUATE ROW(\"//\", [Revenue]) -- b", measured("Revenue")), []verdict.Field{measured("Revenue")}, `EVALUATE ROW("//", [Revenue])`, nil},
		"the ends of relationships":   {saying("EVALUATE FILTER(Sales, Sales[Customer Key] = 1)", measured("Revenue")), []verdict.Field{measured("Revenue")}, "EVALUATE FILTER(Sales, Sales[Customer Key] = 1)", nil},
		"columns of the query's own":  {saying(`EVALUATE TOPN(1, ADDCOLUMNS(Customer, "Sum", [Revenue]), [Sum])`, measured("Revenue")), []verdict.Field{measured("Revenue")}, `EVALUATE TOPN(1, ADDCOLUMNS(Customer, "Sum", [Revenue]), [Sum])`, nil},
		"measures of the query's own": {saying("DEFINE MEASURE Sales[x] = 1 EVALUATE ROW(\"x\", Sales[x])", measured("Revenue")), []verdict.Field{measured("Revenue")}, "DEFINE MEASURE Sales[x] = 1 EVALUATE ROW(\"x\", Sales[x])", nil},
		"a field that is not there":   {saying(query, measured("Revenue"), measured("Profit"), measured("Profit"), grouped("Calendar", "Year")), nil, query, []string{"'Sales'[Profit]"}},
		"a grouping by a measure":     {saying(query, grouped("Sales", "Revenue")), nil, query, []string{"'Sales'[Revenue]"}},
		"a field that is hidden":      {saying(query, measured("Revenue"), filtered("Sales", "Margin Hint", "=", "x")), nil, query, []string{"'Sales'[Margin Hint]"}},
		"a query of other fields":     {saying("EVALUATE Sales[Profit]", measured("Revenue")), nil, "EVALUATE Sales[Profit]", []string{"'Sales'[Profit]"}},
		"several that are not there":  {saying(query, measured("a"), measured("b"), measured("a")), nil, query, []string{"'Sales'[a]", "'Sales'[b]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.save("large")
			w.reply = func(int, request) (int, string) { return http.StatusOK, tt.content }
			_, ask := w.open(t, side(verdict.GenericAgent, "large"))
			got := reply(t, ask, "What was sold?")
			if diff := cmp.Diff(tt.want, got.Answer.Fields); diff != "" {
				t.Errorf("fields: -want +got\n%s", diff)
			}
			if got.Answer.Query != tt.query || got.Answer.CannotAnswer || got.Answer.Text != "What was sold." || !slices.Equal(got.Answer.Unknown, tt.unknown) {
				t.Errorf("answered %q, %q, with the unknown %q", got.Answer.Text, got.Answer.Query, got.Answer.Unknown)
			}
			got.Answer, got.DurationMS = verdict.Answer{}, 0
			want := benchmark.Reply{Attempts: 1, Remote: &verdict.Remote{RequestID: "chat-1"}, Usage: &verdict.TokenUsage{InputTokens: 100, OutputTokens: 7}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("reply: -want +got\n%s", diff)
			}
		})
	}
}

// A response without an answer is a failure of the question, an answer with CannotAnswer, or a refusal
// that keeps the entire side from answering.
func TestLanguageModelDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status   int
		body     string
		attempts int
		failure  string      // its code
		code     domain.Code // of what keeps the side from answering
		text     string
	}{
		"it cannot answer":       {200, `{"answer":"No costs here.","dax":"","cannotTell":true,"fields":[]}`, 1, "", "", "No costs here."},
		"its policy":             {400, `{"error":{"code":"content_filter","message":"private words"}}`, 1, "", "", "The AI provider does not answer this: its content filter refuses the question."},
		"it is down":             {500, "private words", 3, "Unreachable", "", "The AI provider Model large did not answer: it answered with status 500."},
		"it is busy":             {429, "private words", 3, "TooManyRequests", "", "The AI provider Model large did not answer: it accepts no requests at the moment (status 429)."},
		"it makes no sense":      {200, "private words", 3, "AnswerNotUsable", "", "The AI provider Model large did not answer: its answer does not have the requested form."},
		"the key is unknown":     {401, "private words", 1, "", domain.BenchmarkRunFailed, "The AI provider Model large cannot be asked: it does not accept the key (status 401)."},
		"the key is not allowed": {403, "private words", 1, "", domain.BenchmarkRunFailed, "it does not accept the key (status 403)."},
		"no such model":          {404, "private words", 1, "", domain.BenchmarkRunFailed, "it knows no such address or model (status 404)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.save("large")
			w.reply = func(int, request) (int, string) { return tt.status, tt.body }
			_, ask := w.open(t, side(verdict.GenericAgent, "large"))
			got, err := ask(t.Context(), "What was sold?")
			if sent := fmt.Sprintf("%+v %v", got, err); strings.Contains(sent, "private words") || strings.Contains(sent, secret) {
				t.Errorf("revealed: %s", sent)
			}
			if tt.code != "" {
				if !domain.IsRefused(err, tt.code) || !strings.Contains(err.Error(), tt.text) || got.Attempts != 0 {
					t.Fatalf("got %+v, error %v", got, err)
				}
				return
			}
			if err != nil || got.Attempts != tt.attempts {
				t.Fatalf("got %+v, error %v", got, err)
			}
			if tt.failure == "" {
				if diff := cmp.Diff(verdict.Answer{Text: tt.text, CannotAnswer: true}, got.Answer); diff != "" || got.Failure != nil {
					t.Errorf("failure %v, answer: -want +got\n%s", got.Failure, diff)
				}
				return
			}
			if diff := cmp.Diff(&verdict.Failure{Code: tt.failure, Message: tt.text}, got.Failure); diff != "" || !cmp.Equal(got.Answer, verdict.Answer{}) {
				t.Errorf("answer %v, failure: -want +got\n%s", got.Answer, diff)
			}
		})
	}
	w := newWorld(t)
	w.save("large")
	_, ask := w.open(t, side(verdict.GenericAgent, "large"))
	ctx, cancel := context.WithCancel(t.Context())
	w.reply = func(int, request) (int, string) { cancel(); return http.StatusInternalServerError, "" }
	if _, err := ask(ctx, "What was sold?"); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}
