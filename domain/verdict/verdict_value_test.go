package verdict

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// An expected value, looked for in an answer.
func TestValueInText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		expected, answer string
		want             finding
	}{
		{"1234", "Sales were 1234.", holds},
		{"1234", "Sales were 1,234.", holds},
		{"1234", "Sales were 1235.", lacks},
		{"1234", "Sales were 1234.5", holds}, // half of the last decimal
		{"1234", "Sales were 1234.6", lacks},
		{"0.7", "0.75", holds}, // though not in floating point
		{"1234.50", "$1,234.50", holds},
		{"1234.50", "1234.504 USD", holds},
		{"1234.50", "1234.506 USD", lacks},
		{"0.125", "0.12549", holds},
		{"-5", "It fell to -5.", holds},
		{"-5", "It fell to −5.", holds},
		{"-5", "It fell to $-5 or -$5", holds},
		{"-5", "It fell by 5.", undecided}, // the words may express the sign
		{"2020", "From 2018-2020 it rose", holds},
		{"-2020", "From 2018-2020 it rose", undecided},
		{"1234", "I do not know.", undecided},
		{"1234", "", undecided},
		// Separators.
		{"1234567", "1,234,567", holds},
		{"1234567", "1.234.567", holds},
		{"1234567.89", "1.234.567,89 €", holds},
		{"1234567.89", "1,234,567.89", holds},
		{"1234567", "1 234 567", holds},
		{"1234567", "1\u00a0234\u202f567", holds},
		{"1234567", "1'234’567", holds},
		{"1234567.5", "12,34,567.5", holds},
		{"12.5", "12,5 percent of it is 12,5", holds},
		{"100", "top 5 100", holds},
		{"5100", "top 5 100", holds},
		{"1234", "1.234", undecided}, // may be grouped
		{"1.234", "1.234", holds},
		{"1.234", "1,234", undecided}, // may be decimals
		{"0.123", "0,123", holds},
		{"2", "1,2,3", holds},
		{"4", "1,2,3", lacks},
		{"345", "1,2,345", holds},
		{"0.5", "it is .5", holds},
		// Units.
		{"1200000", "1.2M", holds},
		{"1200000", "about 1.2 million", holds},
		{"1200000", "1.2 mn EUR", holds},
		{"1.2M", "1,234,567", holds},
		{"1.2M", "1,264,567", lacks},
		{"1234567", "1.2M", undecided}, // rounded
		{"1234567", "1.3M", undecided},
		{"3400", "3.4K", holds},
		{"3400", "3.4 thousand", holds},
		{"€2.5bn", "2,500,000,000", holds},
		{"2.5 billion", "USD 2.5bn", holds},
		{"3 trillion", "3T", holds},
		{"1.5e3", "1500", holds},
		{"1500", "1.5E+03", holds},
		{"0.00015", "1.5e-4", holds},
		{"1" + strings.Repeat("0", 230) + "e99", "5", undecided},
		// Percent.
		{"12%", "12 %", holds},
		{"12%", "12.4 percent", holds},
		{"12%", "12.6%", lacks},
		{"12%", "12.5%", holds},
		{"12%", "The share is 12.", holds},
		{"12%", "The share is 0.12.", holds},
		{"12%", "0.125", holds},
		{"0.12", "12%", holds},
		{"0.12", "12.6%", lacks},
		{"0.1234", "12%", undecided}, // rounded
		{"12.34%", "12", undecided},
		{"12.34%", "0.12", undecided},
		{"12.34%", "0.13", undecided}, // two digits say little
		{"12.34%", "0.135", lacks},
		{"12", "12%", lacks},
		// Years and texts that are not numbers.
		{"1234", "There is nothing for 2024.", undecided},
		{"1234", "There is nothing for 2,024.", lacks},
		{"2024", "The best year was 2023.", lacks},
		{"2024", "It was on 2024-03-31.", holds},
		{"3", "In Q3 the 3rd store", undecided},
		{"31", "On 2024-03-31 and 31 March 2024", undecided},
		// Dates.
		{"2024-03-31", "on 2024-03-31", holds},
		{"2024-03-31T00:00:00", "on March 31, 2024.", holds},
		{"2024-03-31", "on 31 March 2024", holds},
		{"2024-03-31", "on the 31st of Mar 2024", holds},
		{"2024-03-31", "on Mar. 31st 2024", holds},
		{"2024-03-31", "31.03.2024", holds},
		{"2024-03-31", "3/31/2024", holds},
		{"2024-03-04", "4/3/2024", holds},
		{"2024-03-31", "2024/3/31", holds},
		{"2024-03-31", "on 30 March 2024", lacks},
		{"2024-03-31", "in March 2024", undecided},
		{"2024-03-31", "in 2024", undecided},
		{"2024-03-31", "on 31 March 2024, not 30 March 2024", holds},
		{"March 2024", "in 2024-03", holds},
		{"March 2024", "in April 2024", lacks},
		{"March 2024", "on 5 March 2024", undecided},
		{"2024-03-31 14:00", "on 2024-03-31", undecided}, // an instant is not a date
		// Labels.
		{"Bikes", "The best category is bikes.", holds},
		{"Bikes", "The best category is Motorbikes.", undecided},
		{"Bikes", "Clothing", undecided},
		{"Road Bikes", "It is road\nbikes!", holds},
		{"A+", "a good one", undecided},
		{"A+", "rated A+.", holds},
		{"Café", "CAFE\u0301 au lait", holds},
		{"No", "There is no such thing", undecided},
		{"a", "a", undecided},
		{"", "anything", undecided},
		{"one two three four five six", "one two three four five six", undecided},
		{strings.Repeat("long", 70), strings.Repeat("long", 70), undecided},
		{"3/4/2024", "3/4/2024", undecided}, // either day
		{"2024-13-45", "2024-13-45", undecided},
	} {
		got := undecided
		if v, ok := readValue(tt.expected); ok {
			got = v.in(read(tt.answer))
		}
		if got != tt.want {
			t.Errorf("%q in %q: got %d, want %d: %+v", tt.expected, tt.answer, got, tt.want, read(tt.answer))
		}
	}
}

// Only a bounded part of a long text is read.
func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	if got := read(strings.Repeat("é1 ", maxRead)); len(got.text) > maxRead || !utf8.ValidString(got.text) {
		t.Errorf("got %d bytes", len(got.text))
	}
}

// A number is found in every way of writing it.
func TestNumberInItsForms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(-9_999_999, 9_999_999).Draw(t, "n")
		expected := formatted(n, "", "")
		v, ok := readValue(expected)
		if !ok {
			t.Fatalf("%s is no value", expected)
		}
		separator := rapid.SampledFrom([]string{"", ",", "'", "\u00a0", " "}).Draw(t, "separator")
		text := rapid.SampledFrom([]string{"It is ", "", "€", "(", "USD "}).Draw(t, "before") + formatted(n, separator, rapid.SampledFrom([]string{"", ".0", ".00"}).Draw(t, "decimals"))
		if got := v.in(read(text + rapid.SampledFrom([]string{"", ".", " in all", ", I think", "!"}).Draw(t, "after"))); got != holds {
			t.Fatalf("%s in %q: got %d", expected, text, got)
		}
	})
}

func formatted(n int, separator, decimals string) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	s := ""
	for ; n >= 1000; n /= 1000 {
		group := "000" + strconv.Itoa(n%1000)
		s = separator + group[len(group)-3:] + s
	}
	return sign + strconv.Itoa(n) + s + decimals
}

func FuzzRead(f *testing.F) {
	f.Add("1.234,5 % on 31 March 2024", "USD -1.2bn")
	f.Fuzz(func(t *testing.T, text, expected string) {
		if v, ok := readValue(expected); ok {
			v.in(read(text))
			if got := v.in(read(expected)); v.label == "" && got != holds {
				t.Errorf("%q is not in itself", expected)
			}
		}
	})
}

// A number that only the answer's query gives decides as one in its words would.
func TestValueOfTheQuery(t *testing.T) {
	t.Parallel()
	one := func(values ...Value) *ResultSet { return &ResultSet{Rows: [][]Value{values}, Engine: "embedded"} }
	for name, c := range map[string]struct {
		expected string
		answer   Answer
		want     Verdict
		method   Method
	}{
		"the number":          {"80", Answer{Text: "This shows [Tickets].", Rows: one(Number(80))}, Correct, ByValue},
		"rounded as expected": {"71.2%", Answer{Text: "This shows [Rate].", Rows: one(Number(0.71187))}, Correct, ByValue},
		"another number":      {"80", Answer{Text: "This shows [Tickets].", Rows: one(Number(81))}, Incorrect, ByValue},
		"the words go first":  {"80", Answer{Text: "There are 81.", Rows: one(Number(80))}, Incorrect, ByValue},
		"words that decline":  {"80", Answer{Text: "I cannot tell.", Rows: one(Number(80))}, Refused, ByValue},
		"a constant query":    {"80", Answer{Text: "This shows it.", Rows: one(Number(80)), Constant: true}, Unclear, ByValue},
		"two numbers":         {"80", Answer{Text: "This shows it.", Rows: one(Number(80), Number(3))}, Unclear, ByValue},
		"a text":              {"80", Answer{Text: "This shows it.", Rows: one(Text("80"))}, Unclear, ByValue},
		"nothing":             {"0", Answer{Text: "This shows it.", Rows: one(Number(0))}, Unclear, ByValue},
		"a cut result":        {"80", Answer{Text: "This shows it.", Rows: &ResultSet{Rows: one(Number(80)).Rows, Truncated: true}}, Unclear, ByValue},
		"two rows":            {"80", Answer{Text: "This shows it.", Rows: &ResultSet{Rows: [][]Value{{Number(80)}, {Number(80)}}}}, Unclear, ByValue},
		"the sign alone":      {"-80", Answer{Text: "This shows it.", Rows: one(Number(80))}, Unclear, ByValue},
		"no query":            {"80", Answer{Text: "This shows it."}, Unclear, ByValue},
	} {
		if got := (Expected{Value: c.expected}).Decide(c.answer, nil, nil); got.Verdict != c.want || got.Method != c.method {
			t.Errorf("%s: got %+v, want %s by %s", name, got, c.want, c.method)
		}
	}
}
