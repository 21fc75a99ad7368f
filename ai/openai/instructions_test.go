package openai_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/readiness"
)

const draft = "Answers questions about Sales.\n\n## Key measures\n- Use [a] for sales.\n"

// written is a valid answer: long enough, and with existing fields only.
var written = "## Key measures\n\n- Prefer [a] over 'Sales'[Amount], see [the guide](https://example.com).\n\n## Time\n\nThe calendar year is Sales[Order Date] unless said otherwise.\n\n" + strings.Repeat("Sales means what was booked. ", 5)

func TestInstruct(t *testing.T) {
	t.Parallel()
	text := strings.TrimSpace(written)
	for name, tt := range map[string]struct {
		answers []string
		want    string
		why     string
		calls   int
		// repaired is a part of the problems that the second request names.
		repaired string
	}{
		"as it is":          {[]string{written}, text, "", 1, ""},
		"fenced":            {[]string{"```markdown\n" + written + "\n```"}, text, "", 1, ""},
		"thinking aloud":    {[]string{"<think>[b]</think>\n" + written}, text, "", 1, ""},
		"unknown field":     {[]string{written + "[Region]", written}, text, "", 2, "does not have: [Region]"},
		"unknown table":     {[]string{written + "'Buyers'[Amount]", written}, text, "", 2, "does not have: 'Buyers'[Amount]"},
		"too short":         {[]string{"Use [a].", written}, text, "", 2, "at least 200"},
		"too long":          {[]string{strings.Repeat(written, 40), written}, text, "", 2, "at most 10000"},
		"no field":          {[]string{strings.Repeat("Sales are sales. ", 20), written}, text, "", 2, "names no field"},
		"control character": {[]string{written + "\x00", written}, text, "", 2, "control character"},
		"empty":             {[]string{" ", written}, text, "", 2, "is empty"},
		"twice wrong":       {[]string{"Use [b].", "Use [b]."}, "", "its text has 8 characters, and at least 200 are wanted", 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(n int, r request) reply { return say(tt.answers[n]) })
			c := s.client(t)
			got, why, _, err := c.Instruct(t.Context(), sales("a"), draft)
			if err != nil || got != tt.want || why != tt.why {
				t.Errorf("got %q, because %q, error %v, want %q, because %q", got, why, err, tt.want, tt.why)
			}
			asked := s.asked()
			if len(asked) != tt.calls {
				t.Fatalf("%d requests, want %d", len(asked), tt.calls)
			}
			if tt.repaired != "" && !strings.Contains(asked[1].last(), tt.repaired) {
				t.Errorf("the second request does not say %q:\n%s", tt.repaired, asked[1].last())
			}
			if asked[0].mode != "plain" || !strings.Contains(asked[0].last(), "Use [a] for sales.") {
				t.Errorf("asked by %s:\n%s", asked[0].mode, asked[0].last())
			}
			s.secrecy(t, got, why)
		})
	}
	for name, tt := range map[string]struct {
		answer reply
		why    string
	}{
		"refused":  {completion(map[string]any{"refusal": "private words"}, "stop"), "it declines to answer"},
		"cut off":  {completion(map[string]any{"content": "## K"}, "length"), "its answer is too long"},
		"filtered": {fail(400, "content_filter", "", "private words"), "its content filter refuses the question"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(int, request) reply { return tt.answer })
			got, why, _, err := s.client(t).Instruct(t.Context(), sales("a"), draft)
			if got != "" || why != tt.why || err != nil {
				t.Errorf("got %q, because %q, error %v, want none, because %q", got, why, err, tt.why)
			}
			s.secrecy(t, got, why)
		})
	}
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		s := serve(t, func(int, request) reply { return reply{status: 500} })
		if _, _, _, err := s.client(t).Instruct(t.Context(), sales("a"), draft); !domain.IsRefused(err, domain.OptimizationFailed) {
			t.Errorf("got error %v, want OptimizationFailed", err)
		}
	})
}

// A person's text stays byte for byte, and additions use its line endings.
func TestInstructKeepsExistingText(t *testing.T) {
	t.Parallel()
	present := "Read me\tfirst: [not a field]. \r\n- \u00a0x"
	s := serve(t, func(int, request) reply { return say("## Terms\nUse [a].\n") })
	for name, place := range map[string]func(*semanticmodel.Model){
		"part": func(m *semanticmodel.Model) { m.Copilot.Instructions = &present },
		"culture": func(m *semanticmodel.Model) {
			m.Cultures = []semanticmodel.Culture{{Name: "en-US", CustomInstructions: &present}, {Name: "de-DE"}}
		},
	} {
		m := sales("a")
		place(m)
		got, why, _, err := s.client(t).Instruct(t.Context(), m, present+"\r\n\r\n## Terms\r\nUse [a].\r\n")
		if want := present + "\r\n\r\n## Terms\r\nUse [a]."; got != want || why != "" || err != nil {
			t.Errorf("%s: got %q, because %q, error %v, want %q", name, got, why, err, want)
		}
	}
}

func TestInstructNamesGroupsAndParameters(t *testing.T) {
	t.Parallel()
	m := sales("a")
	m.Tables = append(m.Tables, semanticmodel.Table{Name: "Time Shift", CalculationGroup: &semanticmodel.CalculationGroup{}})
	s := serve(t, func(n int, r request) reply {
		if n == 0 {
			return say(written)
		}
		return say(written + "\n\ntime shift moves dates.")
	})
	got, why, _, err := s.client(t).Instruct(t.Context(), m, draft+"Time Shift moves dates.")
	if !strings.HasSuffix(got, "moves dates.") || why != "" || err != nil {
		t.Errorf("got %q, because %q, error %v", got, why, err)
	}
	if last := s.asked()[1].last(); !strings.Contains(last, "leaves out Time Shift") {
		t.Errorf("asked again by:\n%s", last)
	}
}

// A text that passes here passes the rule that scores it, and a text that fails here fails that rule.
func TestReferencesMatchTheRule(t *testing.T) {
	t.Parallel()
	m := sales("a", "Net  Amount", "it's")
	m.Tables = append(m.Tables,
		semanticmodel.Table{Name: "Date", Columns: []semanticmodel.Column{{Name: "Ünit"}}},
		semanticmodel.Table{Name: "Kept Away", IsPrivate: true, Columns: []semanticmodel.Column{{Name: "Secret"}}},
		semanticmodel.Table{Name: "LocalDateTable_1", Columns: []semanticmodel.Column{{Name: "Day No"}}},
	)
	tail := strings.Repeat(" Sales means what was booked.", 10)
	for text, right := range map[string]bool{
		"[a]": true, "[A ]": true, "[b]": false, "Sales[amount]": true, "'sales'[Order  Date]": true, "Sales[a] and [net amount]": true,
		"Date[Amount]": false, "'Date'[u\u0308nit]": true, "[a] [link](x)": true, "[a] [link] (x)": false, "x'Sales'[a]": true, "'No'[a]": false,
		"[Secret] [a]": false, "[Day No] [a]": false, "[it's]": true, "[a] '[b]'": false, "My Sales[a]": true, "[a]\n[b\n]": true,
	} {
		s := serve(t, func(int, request) reply { return say(text + tail) })
		got, _, _, err := s.client(t).Instruct(t.Context(), m, draft)
		if err != nil || (got != "") != right {
			t.Errorf("%q: got %q and error %v, want it taken: %v", text, got, err, right)
		}
		judged := *m
		full := text + tail
		judged.Copilot.Instructions = &full
		found := slices.ContainsFunc(readiness.Assess(&judged, readiness.Options{}).Findings, func(f readiness.Finding) bool { return slices.Contains(f.RuleIDs, "INS-03") })
		if found == right {
			t.Errorf("%q: rule INS-03 fails: %v, but here it passes: %v", text, found, right)
		}
	}
}

func TestInstructionsAreBounded(t *testing.T) {
	t.Parallel()
	m, _ := many(300)
	s := serve(t, func(int, request) reply { return say(written) })
	if _, _, _, err := s.client(t).Instruct(t.Context(), m, draft); err != nil {
		t.Fatal(err)
	}
	if n := len(s.asked()[0].raw); n > 100_000 {
		t.Errorf("the request has %d bytes, want a bounded one", n)
	}
}
