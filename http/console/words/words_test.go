package words_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readiness/http/console/words"
)

// marked writes parts as text, with removed ones in [] and added ones in {}.
func marked(all []words.Part) string {
	var b strings.Builder
	for _, p := range all {
		switch p.Kind {
		case words.Same:
			b.WriteString(p.Text)
		case words.Removed:
			b.WriteString("[" + p.Text + "]")
		case words.Added:
			b.WriteString("{" + p.Text + "}")
		}
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ before, after, want string }{
		"nothing":                   {"", "", ""},
		"the same":                  {"Net sales.", "Net sales.", "Net sales."},
		"all is new":                {"", "Net sales", "{Net sales}"},
		"all is gone":               {"Net sales", "", "[Net sales]"},
		"a word is replaced":        {"sum of sales", "total of sales", "[sum]{total} of sales"},
		"two neighbours":            {"a b c", "x y c", "[a]{x} [b]{y} c"},
		"a word more":               {"net sales", "net monthly sales", "net {monthly }sales"},
		"punctuation is alone":      {"sales, net", "sales; net", "sales[,]{;} net"},
		"a line more":               {"a\nb", "a\nc\nb", "a\n{c\n}b"},
		"letters of any script":     {"Umsatz größer", "Umsatz größe", "Umsatz [größer]{größe}"},
		"right to left":             {"שלום עולם", "שלום לכם", "שלום [עולם]{לכם}"},
		"accents stay with letters": {"cafe\u0301 au", "cafe au", "[cafe\u0301]{cafe} au"},
		"invalid bytes":             {"a\xffb", "a\xfeb", "a[\xff]{\xfe}b"},
		"a word of a word":          {"Amount", "NetAmount", "[Amount]{NetAmount}"},
	} {
		if got := marked(words.Diff(row.before, row.after)); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// TestDiffOfLongTexts bounds the work: what differs in the middle of very long texts is one part.
func TestDiffOfLongTexts(t *testing.T) {
	t.Parallel()
	a := "first " + strings.Repeat("a b ", 2000) + "last"
	b := "first " + strings.Repeat("c d ", 2000) + "last"
	got := words.Diff(a, b)
	if len(got) != 4 || got[0].Text != "first " || got[3].Text != " last" {
		t.Errorf("got %d parts, from %.20q to %.20q", len(got), got[0].Text, got[len(got)-1].Text)
	}
}

func TestDiffKeepsBothTexts(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([ab] |[ab,]|\n){0,40}`))
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		got := words.Diff(before, after)
		joined := func(all []words.Part) (text string) {
			for _, p := range all {
				text += p.Text
			}
			return text
		}
		if joined(words.Before(got)) != before || joined(words.After(got)) != after {
			t.Fatalf("%q and %q become %q", before, after, marked(got))
		}
		for i, p := range got {
			if p.Text == "" || i > 0 && (got[i-1].Kind == p.Kind || got[i-1].Kind == words.Added && p.Kind == words.Removed) {
				t.Fatalf("%q and %q become %q", before, after, marked(got))
			}
		}
		if before == after && slices.ContainsFunc(got, func(p words.Part) bool { return p.Kind != words.Same }) {
			t.Fatalf("%q differs from itself: %q", before, marked(got))
		}
	})
}
