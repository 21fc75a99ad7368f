package wording

import (
	"cmp"
	"slices"
	"strings"

	"readiness/internal/lists"
)

// The words of numbers' names in other languages, by the English word that numbers.go judges. In the Romance ones the first noun says what
// a number is, in German and Dutch the last one. A word that English has with another sense is left out.
var (
	romance = translations(`
amount      montante montant importe importo monto
quantity    quantidade qtd qtde cantidad quantité quantità
count       contagem conteo recuento nombre
total       totais totales totaux totale
sales       vendas venda ventas venta ventes vente vendite faturamento facturación facturacion
revenue     receita receitas ingreso ingresos recettes recette ricavi
cost        custo custos costo costos coste costes coût coûts cout costi
value       valor valores valeur valeurs valore valori
profit      lucro ganancia utilidad bénéfice guadagno
tax         imposto impostos impuesto impuestos impôt imposta
discount    desconto descontos descuento descuentos remise sconto
salary      salário salario salaire stipendio
hours       horas heures
hour        hora heure
days        dias días jours giorni
months      meses mesi
years       anos años ans anni
average     média médio promedio moyenne moyen medio
median      mediana médiane
percentage  porcentagem percentual porcentaje pourcentage percentuale
rate        taxa taxas tasa tasas taux tasso cotização cotización
price       preço preco precio prix prezzo
unit        unitário unitario unitária unitaria unitaire
age         idade edad âge età
score       pontuação puntuación puntuacion
rating      avaliação calificación calificacion
rank        classificação clasificación clasificacion classement
priority    prioridade prioridad priorité priorità
position    posição posición posicion
latitude    latitud
year        ano año année annee anno
quarter     trimestre
month       mês mes mois mese
week        semana semaine settimana
day         dia día jour giorno
number      número numéro
code        código codigo
`)
	// romanceLinks and germanLinks are translated only beside words of the lists above, as English has words written like them.
	romanceLinks = translations(`
current     atual actual actuel
previous    anterior précédent precedente
of          de da do das dos del di du des
per         por par
`)
	// fees are words beside which "taxa" and "tasa" mean a fee and not a rate.
	fees = SetOf("entrega,envio,envío,serviço,servicio,frete,limpeza,limpieza,administração,manutenção,adesão,embarque,matrícula,inscrição," +
		"paga,pagas,pagada,pagadas,cobrada,cobradas,recebidas")
	feeNouns = SetOf("taxa,taxas,tasa,tasas")
	// german has whole words and endings of compounds, in Dutch too, whose last noun says what a number is.
	german = translations(`
amount      betrag beträge bedrag
total       gesamtpreis gesamtbetrag gesamtsumme totaalprijs
quantity    menge mengen
count       anzahl aantal
sales       umsatz umsätze absatz omzet
discount    rabatt korting
value       wert werte
costs       kosten
hours       stunden
days        tage
average     durchschnitt mittelwert gemiddelde
percentage  prozent prozentsatz percentage anteil
rate        satz quote grad kurs koers tarief
rank        rang rangfolge
score       punktzahl
rating      bewertung beoordeling
grade       schulnote cijfer
priority    priorität prioriteit
postcode    plz postleitzahl
latitude    breitengrad breedtegraad
longitude   längengrad lengtegraad
flag        kennzeichen
order       reihenfolge
price       preis preise prijs
age         alter leeftijd
year        jahr jaar
quarter     quartal kwartaal
month       monat maand
week        woche
day         tag
number      nummer
hour        stunde
`)
	germanLinks = translations("per pro je")
	// germanEndings are the words of german that end compounds such as "Einkaufspreis"; "Alter" and "Tag" end other words, too.
	germanEndings = []string{"betrag", "menge", "umsatz", "absatz", "wert", "kosten", "prozentsatz", "satz", "preis", "jahr", "monat",
		"quartal", "nummer", "quote", "anteil", "grad", "kurs", "kennzeichen", "bedrag", "prijs", "koers", "tarief", "percentage"}
)

// translations reads lines of an English word and the words that it translates.
func translations(lines string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(lines) {
		if words := strings.Fields(line); len(words) > 0 {
			for _, w := range words[1:] {
				all[w] = words[0]
			}
		}
	}
	return all
}

// InEnglish returns the words of a number's name in English and in its order, if it knows the noun that says what the number is; else words.
func InEnglish(words []string) []string {
	switch {
	case feeNouns.Meets(words) && fees.Meets(words):
		return []string{"fees"}
	case len(words) > 0 && words[0] == "note", len(words) == 1 && words[0] == "nota":
		return append([]string{"grade"}, words[1:]...) // in French and German, Portuguese and Spanish
	}
	if english := translate(words, func(w string) string { return romance[w] }, romanceLinks); english != nil {
		if len(english) > 1 && english[0] == "number" && (english[1] == "of" || strings.HasSuffix(english[1], "s") || strings.HasSuffix(english[1], "i")) {
			return []string{"count"} // a number of things
		}
		if !slices.Contains(english, "per") {
			english = slices.DeleteFunc(english, func(w string) bool { return w == "of" })
			slices.Reverse(english)
		}
		return english
	}
	english := translate(words, germanWord, germanLinks)
	switch {
	case english == nil:
		return words
	case english[0] == "count":
		return english[:1]
	case periodsOfTime[LastWord(english)] && addedUp.Meets(english):
		return english[:len(english)-1] // what was added up in a period
	}
	return english
}

// translate returns words with those that noun or links know in English, nil if noun knows none.
func translate(words []string, noun func(string) string, links map[string]string) []string {
	if !slices.ContainsFunc(words, func(w string) bool { return noun(w) != "" }) {
		return nil
	}
	return lists.Map(words, func(w string) string { return cmp.Or(noun(w), links[w], w) })
}

// germanWord returns the English word of a German noun or of the last noun of a compound, "" for others.
func germanWord(w string) string {
	if to := german[w]; to != "" {
		return to
	}
	for _, ending := range germanEndings {
		if strings.HasSuffix(w, ending) {
			return german[ending]
		}
	}
	return ""
}
