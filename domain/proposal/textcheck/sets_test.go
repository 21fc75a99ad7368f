package textcheck_test

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/proposal/textcheck"
)

// row is a text of a set: the language of its model, its form, and the text.
type row struct{ language, form, text string }

func rowsOf(t *testing.T, name string) (rows []row) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		parts := strings.SplitN(s.Text(), " ", 3)
		text, err := strconv.Unquote(parts[2])
		if err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		rows = append(rows, row{parts[0], parts[1], text})
	}
	return rows
}

// models are models in several languages, with the names that the sets use.
var models = map[string]*textcheck.Model{
	"en": model("Sales", "All orders of the customers, with one row for each line of the order and its amounts.",
		"Amount", "Net Sales", "Order Date", "Customer", "Quantity", "Rate [%]", "Margin", "Region", "Product", "Segment", "Gross Profit",
		"Refunds"),
	"de": model("Umsatz", "Alle Aufträge der Kunden, mit einer Zeile für jede Position des Auftrags und den Beträgen.",
		"Betrag", "Datum", "Kunde", "Menge", "Lager"),
	"fr": model("Ventes", "Toutes les commandes des clients, avec une ligne pour chaque article de la commande et les montants.",
		"Montant", "Date", "Client", "Quantité"),
	"es": model("Ventas", "Todos los pedidos de los clientes, con una fila para cada línea del pedido y los importes.",
		"Importe", "Fecha", "Cliente", "Cantidad"),
	"zh": model("销售", "客户的所有订单,每行一个订单行。", "金额", "日期", "客户", "数量"),
}

func model(table, description string, fields ...string) *textcheck.Model {
	t := semanticmodel.Table{Name: table, Description: description}
	for _, name := range fields {
		t.Measures = append(t.Measures, semanticmodel.Measure{Name: name})
	}
	return textcheck.Of(&semanticmodel.Model{Tables: []semanticmodel.Table{t}})
}

// verdict returns why a text of a set is dropped, "" when it passes.
func (r row) verdict() textcheck.Reason {
	m := models[r.language]
	if r.form != "document" {
		return m.Line(r.text, proposal.MaxDescription)
	}
	if _, dropped := m.Document(r.text); len(dropped) > 0 {
		return dropped[0].Reason
	}
	return ""
}

func caught(rows []row) (n int, passed, dropped []string) {
	for _, r := range rows {
		if why := r.verdict(); why != "" {
			n++
			dropped = append(dropped, string(why)+": "+r.language+" "+r.form+" "+r.text)
		} else {
			passed = append(passed, r.language+" "+r.form+" "+r.text)
		}
	}
	return n, passed, dropped
}

// reasons are the reasons for which a form may be dropped, where it is not an order.
var reasons = map[string][]textcheck.Reason{
	"zero-width": {textcheck.Hidden}, "bidi": {textcheck.Hidden}, "tags": {textcheck.Hidden}, "homoglyph": {textcheck.LookAlike},
	"base64": {textcheck.Secret}, "encoded": {textcheck.Secret}, "secret": {textcheck.Secret}, "link": {textcheck.Markup}, "fence": {textcheck.Markup},
	"tool": {textcheck.Markup}, "url": {textcheck.Link}, "bracket": {textcheck.Name}, "newline": {textcheck.LineBreak},
	"script": {textcheck.Language}, "language": {textcheck.Language},
	"document": {textcheck.Order, textcheck.Link, textcheck.Markup},
}

// TestSets checks that no text of the sets is judged wrongly. Those of hostile.txt and
// harmless.txt were written before the checks, whose first version dropped 108 of 108 and
// passed 111 of 112. The blind ones were written after that version, which dropped 36 of
// 42 hostile and passed 41 of 42 harmless ones; the checks were then mended. The fresh ones
// were written after that, by someone who had not seen the checks: they dropped 54 of 60
// hostile and passed 55 of 60 harmless ones, and were then mended again. The sets of words,
// business descriptions with the same words, were written without a look at the checks: they
// dropped 49 of 61 hostile and passed 59 of 60 harmless texts. The subtle ones were written
// after these had been mended, by who had mended them, to look like business: 31 of 61 and
// 59 of 60. The last ones were written so after the next mending: 58 of 61 and 59 of 60. Those of
// people were written by another person without a look at the checks: 50 of 60 and 56 of 60.
//
// proves: decisions/15/dropped
func TestSets(t *testing.T) {
	for _, set := range []struct {
		name    string
		hostile bool
		wrong   int // how many texts are judged wrongly
	}{
		{"hostile.txt", true, 0},
		{"harmless.txt", false, 0},
		{"hostile_blind.txt", true, 0},
		{"harmless_blind.txt", false, 0},
		{"hostile_fresh.txt", true, 0},
		{"harmless_fresh.txt", false, 0},
		{"hostile_words.txt", true, 0},
		{"harmless_words.txt", false, 0},
		{"hostile_subtle.txt", true, 1},
		{"harmless_subtle.txt", false, 0},
		{"hostile_last.txt", true, 0},
		{"harmless_last.txt", false, 0},
		{"hostile_people.txt", true, 1},
		{"harmless_people.txt", false, 3}, // an address, another script, a table that the model lacks: by the rules
	} {
		t.Run(set.name, func(t *testing.T) {
			rows := rowsOf(t, set.name)
			n, passed, dropped := caught(rows)
			t.Logf("%d of %d are dropped", n, len(rows))
			for _, r := range rows {
				want := reasons[r.form]
				if want == nil {
					want = []textcheck.Reason{textcheck.Order}
				}
				if why := r.verdict(); set.hostile && why != "" && !slices.Contains(want, why) {
					t.Errorf("%s %s %q: %s, want %s", r.language, r.form, r.text, why, want)
				}
			}
			wrong := dropped
			if set.hostile {
				wrong = passed
			}
			if len(wrong) != set.wrong {
				t.Errorf("%d texts are judged wrongly, want %d:\n%s", len(wrong), set.wrong, strings.Join(wrong, "\n"))
			}
		})
	}
}
