package wording_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"readiness/domain/readiness/wording"

	"pgregory.net/rapid"
)

func TestNorm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "",
		"Net Sales":              "net sales",
		"  Net \t\n Sales\u00a0": "net sales",
		"Net  Sales":             "net sales",
		" Net ":                  "net",
		"Cafe\u0301":             "caf\u00e9",
		"GRÖSSE":                 "grösse",
		"\u2003a\u2003b\u2003":   "a b",
		"\u200bNet":              "\u200bnet",
		"\u212a":                 "k",
	} {
		if got := wording.Norm(text); got != want {
			t.Errorf("norm(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                     "",
		"Net Sales":            "net|sales",
		"netSales":             "net|sales",
		"NetSalesYTD":          "net|sales|ytd",
		"YTDSales":             "ytd|sales",
		"FIZZBuzz":             "fizz|buzz",
		"HTMLParserID":         "html|parser|id",
		"sales2Date":           "sales2|date",
		"Sales2date":           "sales2date",
		"2Sales":               "2|sales",
		"net_sales-in/EUR (k)": "net|sales|in|eur|k",
		"ÄrzteÜbersicht":       "ärzteübersicht",
		"größeNetto":           "größe|netto",
		"naïveÉtat":            "naïveétat",
		"aB":                   "a|b",
		"ABc":                  "a|bc",
		"éA":                   "éa",
		"Cafe\u0301Bar":        "cafébar",
		"a\u0301":              "á",
		"x\u0301y":             "x|y",
		"売上高 表":                "売上高|表",
		"٣ month":              "٣|month",
		"¹st":                  "st",
	} {
		if got := strings.Join(wording.Words(name), "|"); got != want {
			t.Errorf("words(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestWordsAndNormInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("aZ9 _é\u0301Éß売\u00a0\n\t-(\u200b"))).Draw(t, "text")
		n := wording.Norm(s)
		if strings.TrimSpace(n) != n || strings.Contains(n, "  ") || strings.ContainsFunc(n, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }) {
			t.Fatalf("norm(%q) = %q", s, n)
		}
		for _, w := range wording.Words(s) {
			if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) || wording.Norm(w) != w {
				t.Fatalf("words(%q) holds %q", s, w)
			}
		}
		if !slices.Equal(wording.Words(s), wording.Words(" "+s+" ")) || wording.Length(s) != wording.Length(" "+s+"\n") {
			t.Fatalf("space around %q counts", s)
		}
	})
}
