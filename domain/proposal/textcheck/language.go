package textcheck

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"readiness/internal/lateregexp"
)

// maxForeign is the share of letters of another script that a text may have, in percent.
const maxForeign = 30

// minWords is how many words a text needs for a vote on its language.
const minWords = 8

// hanWeight is how many letters a Chinese character stands for.
const hanWeight = 3

var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Han", unicode.Han}, {"Kana", unicode.Hiragana}, {"Kana", unicode.Katakana}, {"Cyrillic", unicode.Cyrillic},
	{"Greek", unicode.Greek}, {"Arabic", unicode.Arabic}, {"Hebrew", unicode.Hebrew}, {"Hangul", unicode.Hangul}, {"Thai", unicode.Thai},
	{"Devanagari", unicode.Devanagari},
}

// scriptOf returns the script of a letter; "other" for a rare one.
func scriptOf(r rune) string {
	for _, s := range scripts {
		if unicode.Is(s.table, r) {
			return s.name
		}
	}
	return "other"
}

// count adds the letters of a text by script.
func count(text string, letters map[string]int) (all int) {
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		name, n := scriptOf(r), 1
		if name == "Han" {
			n = hanWeight
		}
		letters[name] += n
		all += n
	}
	return all
}

// scriptsOf returns the scripts that texts use, more than in passing. Kana comes with
// Chinese characters.
func scriptsOf(texts []string) map[string]bool {
	letters, all := map[string]int{}, 0
	for _, text := range texts {
		all += count(text, letters)
	}
	used := map[string]bool{"Latin": all == 0}
	for name, n := range letters {
		used[name] = n*10 >= all
	}
	used["Han"] = used["Han"] || used["Kana"]
	return used
}

// foreign returns the share of letters, in percent, that satisfies strange.
func foreign(text string, strange func(script string) bool) int {
	letters := map[string]int{}
	all, n := count(text, letters), 0
	for name, of := range letters {
		if strange(name) {
			n += of
		}
	}
	if all == 0 {
		return 0
	}
	return n * 100 / all
}

// otherScript reports whether too many letters belong to scripts that the model does not use.
func (m *Model) otherScript(text string) bool {
	return foreign(text, func(s string) bool { return !m.scripts[s] }) > maxForeign
}

// strange is otherScript for texts that may be in English.
func (m *Model) strange(text string) bool {
	return foreign(text, func(s string) bool { return !m.scripts[s] && s != "Latin" }) > maxForeign
}

// stopWords are frequent words by language. A word of several languages votes for each.
var stopWords = func() map[string][]string {
	all := map[string][]string{}
	for language, words := range map[string]string{
		"en": "the of and to in is that for it as was with on by are this from at or an be which not have has all each were their " +
			"its per who when a do may if than but",
		"de": "der die das und ist von den dem des ein eine einer eines einem zu mit für auf im in nicht sich als auch nach wird werden " +
			"bei aus je an am " +
			"vom zum zur ohne oder wie pro",
		"fr": "le la les de des du et est un une en dans pour par que qui sur avec au aux ce cette ces sont ou pas plus sans chaque été",
		"es": "el la los las de del y es un una en para por que con se al como su sus son o sin cada más fue lo no",
		"it": "il lo la gli le di del della dei delle e è un una in per che con si al alla sono o senza ogni non nel nella",
		"pt": "o a os as de do da dos das e é um uma em para por que com se ao no na são ou sem cada não foi",
		"nl": "de het een van en is in op voor met dat die zijn te aan door per bij of niet uit wordt worden",
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] = append(all[word], language)
		}
	}
	return all
}()

// abbreviated matches the letters of an abbreviation, such as i.e., which are words of other languages.
var abbreviated = lateregexp.New(`\b\pL\.`)

// votes returns how many words a text has, and how many are stop-words by language.
func votes(text string, by map[string]int) (words int) {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(abbreviated.ReplaceAllString(text, " ")), between) {
		words++
		for _, language := range stopWords[word] {
			by[language]++
		}
	}
	return words
}

// languagesOf returns the languages that texts are in: those that win the vote over all of
// them, or over at least a quarter of the longer ones.
func languagesOf(texts []string) map[string]bool {
	total, winners, long := map[string]int{}, map[string]int{}, 0
	for _, text := range texts {
		by := map[string]int{}
		if votes(text, by) >= minWords {
			long++
			if best, _ := winner(by); best != "" {
				winners[best]++
			}
		}
		for language, n := range by {
			total[language] += n
		}
	}
	all := map[string]bool{}
	if best, n := winner(total); best != "" && n >= 3 {
		all[best] = true
	}
	for language, n := range winners {
		if n*4 >= long {
			all[language] = true
		}
	}
	return all
}

// winner returns the language with the most votes, and their number; "" when it does not
// lead by half of the next one's.
func winner(by map[string]int) (best string, most int) {
	next := 0
	for language, n := range by {
		switch {
		case n > most:
			best, most, next = language, n, most
		case n > next:
			next = n
		}
	}
	if most < 2 || most*2 < next*3 {
		return "", most
	}
	return best, most
}

// otherLanguage reports whether the vote over a text's words names a language that the
// model is not in. A model whose language cannot be recognized accepts every one.
func (m *Model) otherLanguage(text string) bool {
	by := map[string]int{}
	if len(m.languages) == 0 || votes(text, by) < minWords {
		return false
	}
	best, most := winner(by)
	if best == "" {
		return false
	}
	for language := range m.languages {
		if by[language]*3 >= most*2 {
			return false
		}
	}
	return true
}

// nameWords are frequent words of the names in models, by language, without those that English has, too. Names have few stop-words.
var nameWords = func() map[string][]string {
	all := map[string][]string{}
	for language, words := range map[string]string{
		english: "sales revenue amount quantity qty customer customers product products year month day quarter week store price cost order orders " +
			"category city country name number margin profit type code description supplier employee invoice value count average",
		"de": "umsatz umsätze menge kunde kunden kundennummer produkt produkte artikel datum jahr monat tag woche quartal preis kosten gewinn " +
			"bestellung bestellungen lieferung lieferant kategorie bezeichnung nummer betrag anzahl mitarbeiter rechnung auftrag aufträge wert " +
			"filiale kalender verkauf verkäufe standort abteilung",
		"fr": "ventes vente valeur produit produits clients quantité quantite commande commandes mois année annee annees jour magasin magasins " +
			"chiffre affaires coût coûts cout couts bénéfice marge catégorie categorie prix fournisseur ville nom pays semaine trimestre montant " +
			"facture calendrier libellé libelle nombre salarié employé",
		"es": "ventas venta valor producto productos cliente clientes cantidad pedido pedidos mes año anio años día dia tienda ingresos costo coste " +
			"costos ganancia margen categoría categoria precio proveedor ciudad fecha nombre código codigo descripción descripcion región país " +
			"pais vendedor trimestre semana factura calendario empleado importe monto utilidad",
		"it": "vendite vendita valore prodotto prodotti cliente clienti quantità quantita ordine ordini mese anno giorno negozio ricavi costo costi " +
			"profitto margine categoria prezzo fornitore città citta nome codice descrizione paese settimana trimestre fattura importo fatturato",
		"nl": "omzet aantal klant klanten artikel datum jaar maand dag kwartaal prijs kosten winst bestelling bestellingen levering leverancier stad " +
			"bedrag naam waarde omschrijving kalender verkoop medewerker factuur winkel",
		"pt": "vendas venda valor produto produtos cliente clientes quantidade pedido pedidos mês mes ano dia loja lojas receita receitas custo custos " +
			"despesa despesas lucro margem categoria preço preco fornecedor cidade estado faturamento meta vendedor nome código codigo descrição " +
			"descricao região regiao país pais trimestre semana calendário calendario média funcionário unidade nota fatura",
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] = append(all[word], language)
		}
	}
	return all
}()

const english = "en"

// fewestNameWords is how many different words of a language names need, so that it counts as theirs.
const fewestNameWords = 3

// namedIn returns the language other than English that the names of a model are in, "" if none is recognized: its words are several,
// and more than half as frequent as those of English. Names without words of English are in the language of the model's culture.
func namedIn(names []string, culture string) string {
	hits, different := map[string]int{}, map[string]map[string]bool{}
	for _, name := range names {
		for _, word := range parts(name) {
			for _, language := range nameWords[word] {
				hits[language]++
				if different[language] == nil {
					different[language] = map[string]bool{}
				}
				different[language][word] = true
			}
		}
	}
	best := ""
	for _, language := range slices.Sorted(maps.Keys(different)) {
		if language != english && len(different[language]) >= fewestNameWords && hits[language]*2 > hits[english] &&
			(best == "" || hits[language] > hits[best]) {
			best = language
		}
	}
	own, _, _ := strings.Cut(strings.ToLower(culture), "-")
	if best == "" && own != "" && own != english && len(different[english]) < fewestNameWords && hits[own] >= hits[english] {
		return own
	}
	return best
}

// parts returns the words of a name, also those that only capitals tell apart, in lower case.
func parts(name string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}
