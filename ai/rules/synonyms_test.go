package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	nfc "golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"readiness/ai/rules"
	"readiness/definition/report"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
)

// wordsFor lists the proposed synonyms, such as "Sales[Net]: Netto | net".
func wordsFor(m *semanticmodel.Model) []string {
	var out []string
	for _, p := range rules.Propose(proposal.Ask{Type: proposal.Synonyms, Model: m}).Proposals {
		name := p.Table
		if p.Name != "" {
			name += "[" + p.Name + "]"
		}
		out = append(out, name+": "+strings.ReplaceAll(p.Value, "\n", " | "))
	}
	return out
}

// caption gives an object a name in another culture.
func caption(culture, name, text string) func(*semanticmodel.Model) {
	return func(m *semanticmodel.Model) {
		i := slices.IndexFunc(m.Cultures, func(c semanticmodel.Culture) bool { return c.Name == culture })
		if i < 0 {
			i = len(m.Cultures)
			m.Cultures = append(m.Cultures, semanticmodel.Culture{Name: culture})
		}
		o := object(m, name)
		m.Cultures[i].Captions = append(m.Cultures[i].Captions, semanticmodel.Caption{Table: o.Table, Name: o.Name, Text: text})
	}
}

// synonyms gives an object synonyms in the AI data schema.
func synonyms(name string, words ...string) func(*semanticmodel.Model) {
	return func(m *semanticmodel.Model) {
		_, of := entry(m, object(m, name))
		*of = words
	}
}

// named renames a measure of FactSales and describes it.
func named(from, to, description string) func(*semanticmodel.Model) {
	return func(m *semanticmodel.Model) {
		x := measure(m, "FactSales", from)
		x.Name, x.Description = to, description
	}
}

// proves: decisions/6/synonyms-proposed
func TestSynonyms(t *testing.T) {
	t.Parallel()
	type changes = []func(*semanticmodel.Model)
	aov := named("Average Price", "AOV", "")
	instructions := func(text string) func(*semanticmodel.Model) {
		return func(m *semanticmodel.Model) { m.Copilot.Instructions = &text }
	}
	const orders = "FactSales[Orders]"
	for name, row := range map[string]struct {
		changes changes
		want    []string
	}{
		"none":                     {nil, nil},
		"names in other cultures":  {changes{caption("fr-FR", orders, "Ventes"), caption("de-DE", orders, " Bestellungen "), caption("de-DE", "Product[Product]", "Artikel"), caption("de-DE", "Customers", "Kunden")}, []string{"Customers: Kunden", orders + ": Bestellungen | Ventes", "Product[Product]: Artikel"}},
		"the model's own culture":  {changes{func(m *semanticmodel.Model) { m.Culture = "de-de" }, caption("de-DE", orders, "Bestellungen")}, nil},
		"one word in two cultures": {changes{caption("de-DE", orders, "Order"), caption("nl-NL", orders, "ORDER ")}, []string{orders + ": Order"}},
		"only the name":            {changes{caption("de-DE", orders, "orders"), caption("nl-NL", orders, "Orders."), caption("fr-FR", "FactSales", "Fact_Sales")}, nil},
		"another object's name":    {changes{caption("de-DE", orders, "units"), caption("fr-FR", orders, "Cust\u006fmers"), caption("it-IT", orders, "MonthNo"), caption("es-ES", orders, "calendar")}, nil},
		"a hidden object's name":   {changes{caption("de-DE", orders, "Website"), func(m *semanticmodel.Model) { column(m, "Customers", "Website").IsHidden = true }}, nil},
		"another object's synonym": {changes{caption("de-DE", orders, "Bestellungen"), synonyms("FactSales[Units]", "bestellungen")}, nil},
		"another object's linguistic one": {changes{caption("de-DE", orders, "Bestellungen"), func(m *semanticmodel.Model) {
			m.Cultures[0].Entities = []semanticmodel.LinguisticEntity{{Table: "FactSales", Property: "Units", Terms: []semanticmodel.Term{{Text: "Bestellungen", State: "Suggested"}}}}
		}}, nil},
		"one deleted of another": {changes{caption("de-DE", orders, "Bestellungen"), func(m *semanticmodel.Model) {
			m.Cultures[0].Entities = []semanticmodel.LinguisticEntity{{Table: "FactSales", Property: "Units", Terms: []semanticmodel.Term{{Text: "Bestellungen", State: "Deleted"}}}}
		}}, []string{orders + ": Bestellungen"}},
		"one that a person deleted of it": {changes{caption("de-DE", orders, "Bestellungen"), func(m *semanticmodel.Model) {
			m.Cultures[0].Entities = []semanticmodel.LinguisticEntity{{Table: "factsales", Property: "orders", Terms: []semanticmodel.Term{{Text: "bestellungen", State: "Deleted"}}}}
		}}, nil},
		"a word of two objects":   {changes{caption("de-DE", orders, "Menge"), caption("de-DE", "FactSales[Units]", "menge"), caption("fr-FR", orders, "Ventes")}, []string{orders + ": Ventes"}},
		"one that it has":         {changes{caption("de-DE", orders, "Bestellungen"), synonyms(orders, "BESTELLUNGEN")}, nil},
		"after those that it has": {changes{caption("de-DE", orders, "Bestellungen"), synonyms(orders, "receipts", "tills")}, []string{orders + ": receipts | tills | Bestellungen"}},
		"ten are enough":          {changes{caption("de-DE", orders, "x"), caption("fr-FR", orders, "y"), synonyms(orders, "a", "b", "c", "d", "e", "f", "g", "h", "i")}, []string{orders + ": a | b | c | d | e | f | g | h | i | x"}},
		"a synonym of two lines":  {changes{caption("de-DE", orders, "Bestellungen"), synonyms(orders, "a\nb")}, nil},
		"no word":                 {changes{caption("de-DE", orders, "12"), caption("fr-FR", orders, "a\tb"), caption("it-IT", orders, "[x]"), caption("es-ES", orders, strings.Repeat("x", 61))}, nil},
		"hidden, or to be hidden": {changes{caption("de-DE", "FactSales[_tooltip text]", "Text"), caption("de-DE", "FactSales[ETL Batch]", "Lauf"), caption("de-DE", "Shown Measure", "Anzeige")}, nil},
		"a key":                   {changes{caption("de-DE", "Customers[CustomerKey]", "Kundennummer"), caption("de-DE", "Date[Date]", "Tag")}, nil},
		"not in the schema": {changes{caption("de-DE", orders, "Bestellungen"), func(m *semanticmodel.Model) {
			show(m, proposal.Proposal{Object: object(m, orders), Value: proposal.Hidden})
		}}, nil},
		"spelled out by description":  {changes{aov, named("Units", "Units", "AOV means average order value.")}, []string{"FactSales[AOV]: average order value"}},
		"spelled out in brackets":     {changes{aov, named("Units", "Units", "What the Average Order Value (AOV) is made of.")}, []string{"FactSales[AOV]: Average Order Value"}},
		"spelled out after it":        {changes{aov, named("Units", "Units", "Needed for AOV (Average Order Value).")}, []string{"FactSales[AOV]: Average Order Value"}},
		"spelled out by instructions": {changes{aov, instructions("- AOV = Average Order Value, by store")}, []string{"FactSales[AOV]: Average Order Value"}},
		"its own description":         {changes{named("Average Price", "AOV", "The average order value, in dollars.")}, []string{"FactSales[AOV]: average order value"}},
		"of linking words":            {changes{named("Average Price", "COGS", "Cost of goods sold.")}, []string{"FactSales[COGS]: Cost of goods sold"}},
		"spelled out in two ways":     {changes{aov, instructions("AOV = Average Order Value\nAOV = Average Of Visits")}, nil},
		"not spelled out":             {changes{aov, named("Units", "Units", "AOV means a lot. The AOV (new) of today. All orders valued (AOV!).")}, nil},
		"part of a name":              {changes{named("Average Price", "AOV PY", ""), instructions("AOV = Average Order Value")}, []string{"FactSales[AOV PY]: Average Order Value PY"}},
		"the other way round":         {changes{named("Average Price", "Average Order Value YTD", ""), instructions("AOV = Average Order Value")}, []string{"FactSales[Average Order Value YTD]: AOV YTD"}},
		"both of a name":              {changes{named("Average Price", "Average Order Value (AOV)", "")}, []string{"FactSales[Average Order Value (AOV)]: Average Order Value | AOV"}},
		"within longer brackets":      {changes{named("Average Price", "Value (AOV + Tax)", ""), instructions("AOV = Average Order Value")}, nil},
		"two measures, one meaning":   {changes{aov, named("Orders", "Average Order Value", "The Average Order Value (AOV).")}, nil},
		"in lower case":               {changes{named("Average Price", "aov", "Average order value."), instructions("aov = Average Order Value")}, nil},
		"two letters, no mark":        {changes{named("Average Price", "OV", "Order value.")}, nil},
		"from a dictionary":           {changes{named("Average Price", "Qty", ""), named("Orders", "YTD", "")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, wordsFor(shop(row.changes...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A reason names where each word comes from. Applied, the words are not proposed again, and no visibility
// changes.
func TestSynonymsAreProposedOnce(t *testing.T) {
	t.Parallel()
	m := shop(caption("de-DE", "FactSales[Orders]", "Bestellungen"), named("Average Price", "AOV", "Average order value."))
	a := rules.Propose(proposal.Ask{Type: proposal.Synonyms, Model: m})
	reasons := map[string]string{}
	for _, p := range a.Proposals {
		reasons[p.Name] = p.Reason
		if !p.Recommended {
			t.Errorf("%s is not recommended", p.Name)
		}
	}
	if diff := cmp.Diff(map[string]string{
		"Orders": `"Bestellungen" is its name in de-DE; no other object has this word.`,
		"AOV":    `"Average order value" is the name with AOV spelled out as the model does; no other object has this word.`,
	}, reasons); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(a.Skipped) != 0 {
		t.Errorf("skipped %v", a.Skipped)
	}
	after := applied(m, proposal.Synonyms, a.Proposals)
	if words := wordsFor(after); words != nil {
		t.Errorf("proposed again: %q", words)
	}
	before, now := rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m}), rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: after})
	if diff := cmp.Diff(before, now); diff != "" {
		t.Errorf("other visibilities are proposed (-before +after):\n%s", diff)
	}
}

// What reports call a field is proposed if it is a word and no other object has it.
func TestSynonymsFromReports(t *testing.T) {
	t.Parallel()
	m := shop(synonyms("FactSales[Orders]", "Purchases"))
	from := func(table, name, text string) proposal.Caption {
		return proposal.Caption{Caption: report.Caption{Field: report.Field{Table: table, Name: name}, Text: text}, Report: "Board"}
	}
	for name, row := range map[string]struct {
		captions []proposal.Caption
		want     []string // of the synonyms of Orders after those that it has
	}{
		"none":                                 {nil, nil},
		"a word":                               {[]proposal.Caption{from("FactSales", "Orders", " Bookings ")}, []string{"Bookings"}},
		"twice":                                {[]proposal.Caption{from("FactSales", "Orders", "Bookings"), from("factsales", "ORDERS", "bookings")}, []string{"Bookings"}},
		"four words":                           {[]proposal.Caption{from("FactSales", "Orders", "Bookings of all shops")}, []string{"Bookings of all shops"}},
		"five words":                           {[]proposal.Caption{from("FactSales", "Orders", "Bookings of all the shops")}, nil},
		"41 characters":                        {[]proposal.Caption{from("FactSales", "Orders", strings.Repeat("b", 41))}, nil},
		"40 characters":                        {[]proposal.Caption{from("FactSales", "Orders", strings.Repeat("é", 40))}, []string{strings.Repeat("é", 40)}},
		"a period":                             {[]proposal.Caption{from("FactSales", "Orders", "Bookings 2024")}, nil},
		"a sign":                               {[]proposal.Caption{from("FactSales", "Orders", "Bookings (net)"), from("FactSales", "Orders", "# Bookings")}, nil},
		"a line break":                         {[]proposal.Caption{from("FactSales", "Orders", "Book\nings")}, nil},
		"empty":                                {[]proposal.Caption{from("FactSales", "Orders", "  ")}, nil},
		"its own name":                         {[]proposal.Caption{from("FactSales", "Orders", "orders")}, nil},
		"its name without what any amount has": {[]proposal.Caption{from("FactSales", "Net Amount", "Net")}, nil},
		"a synonym that it has":                {[]proposal.Caption{from("FactSales", "Orders", "purchases")}, nil},
		"the name of another":                  {[]proposal.Caption{from("FactSales", "Orders", "Average price")}, nil},
		"the same for another":                 {[]proposal.Caption{from("FactSales", "Orders", "Bookings"), from("FactSales", "Average Price", "Bookings")}, nil},
		"a field that is not there":            {[]proposal.Caption{from("FactSales", "Gone", "Bookings"), from("Gone", "Orders", "Deals")}, nil},
		"a caption without its column":         {[]proposal.Caption{from("FactSales", "", "Bookings")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := rules.Propose(proposal.Ask{Type: proposal.Synonyms, Model: m, Captions: row.captions})
			var got []string
			for _, p := range a.Proposals {
				words := strings.Split(p.Value, "\n")
				if p.Name != "Orders" || words[0] != "Purchases" {
					t.Errorf("proposed %+v", p)
				}
				got = words[1:]
				if want := `is what report "Board" calls it`; !strings.Contains(p.Reason, want) {
					t.Errorf("reason %q, want %q in it", p.Reason, want)
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// folded is the form in which words are compared.
func folded(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(nfc.NFC.String(s))), " ")
}

// In any model, no proposed word is another object's, each can be written, existing synonyms stay
// first, and a second run proposes nothing.
func TestSynonymsOfAnyModel(t *testing.T) {
	t.Parallel()
	words := []string{"Umsatz", "umsatz ", "Amount", "net sales", "Net", "ytd", "ID", "🙂", "a\nb", "", "Fiscal", "Kunde"}
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		all := everything(m)
		for _, culture := range []string{"de-DE", "fr-FR"} {
			c := semanticmodel.Culture{Name: culture}
			for range rapid.IntRange(0, 6).Draw(t, "captions") {
				o := rapid.SampledFrom(all).Draw(t, "object")
				c.Captions = append(c.Captions, semanticmodel.Caption{Table: o.Table, Name: o.Name, Text: rapid.SampledFrom(words).Draw(t, "caption")})
			}
			m.Cultures = append(m.Cultures, c)
		}
		for range rapid.IntRange(0, 4).Draw(t, "synonyms") {
			o := rapid.SampledFrom(all).Draw(t, "object")
			_, of := entry(m, o)
			*of = append(*of, rapid.SampledFrom(words).Draw(t, "synonym"))
		}
		a := rules.Propose(proposal.Ask{Type: proposal.Synonyms, Model: m})
		seen := map[proposal.Object]bool{}
		borne := map[string][]proposal.Object{}
		for _, o := range all {
			name := o.Name
			if o.Type == proposal.Table {
				name = o.Table
			}
			borne[folded(name)] = append(borne[folded(name)], o)
			_, has := entry(m, o)
			for _, w := range *has {
				if !slices.Contains(borne[folded(w)], o) {
					borne[folded(w)] = append(borne[folded(w)], o)
				}
			}
		}
		for _, p := range a.Proposals {
			if seen[p.Object] {
				t.Errorf("%v is proposed twice", p.Object)
			}
			seen[p.Object] = true
			if problem := rewrite.CheckText(rewrite.Synonyms, p.Value); problem != "" {
				t.Errorf("%q: %s", p.Value, problem)
			}
			_, has := entry(m, p.Object)
			list := strings.Split(p.Value, "\n")
			if len(list) <= len(*has) || !slices.Equal(list[:len(*has)], *has) {
				t.Errorf("%v had %q, and the change writes %q", p.Object, *has, list)
			}
			for _, w := range list[len(*has):] {
				if others := borne[folded(w)]; len(others) > 0 {
					t.Errorf("%q for %v is borne by %v", w, p.Object, others)
				}
				borne[folded(w)] = append(borne[folded(w)], p.Object)
			}
		}
		after := applied(m, proposal.Synonyms, a.Proposals)
		if words := wordsFor(after); words != nil {
			t.Errorf("proposed again: %q", words)
		}
	})
}
