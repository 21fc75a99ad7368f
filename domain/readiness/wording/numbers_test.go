package wording_test

import (
	"testing"

	"readiness/domain/readiness/wording"
)

func TestUnadded(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Quarter": "quarter", "Quarter Number": "quarter", "Quarter Rate": "rate", "Target Rate": "rate", "Incentive Pct": "pct",
		"Ano": "year", "AÑO": "year", "Année": "year", "Jahr": "year", "Geschäftsjahr": "year", "Ano Venda": "year", "Mês": "month", "Mois": "month",
		"Dia da Semana": "day", "Taux TVA": "rate", "Taxa de Juros": "rate", "Zinssatz": "rate", "Preço": "price", "Preço Unitário": "price",
		"Precio de Venta": "price", "Prix": "price", "Einkaufspreis": "price", "Valor Unitário": "unit", "Costo por Unidad": "per",
		"Umsatz pro Kunde": "per", "Ticket Médio": "average", "Promedio Días": "average", "Idade": "age", "Mediana Dias": "median", "Número Pedido": "number",
		"Kundennummer": "number", "Percentual Desconto": "percentage",
		"Vendas Ano Anterior": "", "Total Ano": "", "Valor Total": "", "Montant TTC": "", "Quantité": "", "Número de Pedidos": "",
		"Numero Clienti": "", "Umsatz": "", "Umsatz Vorjahr": "", "Anzahl Tage im Monat": "", "Bestellmenge": "", "Días": "", "Jours": "",
		"Media Spend": "", "Pro Users": "", "Actual Sales": "", "Do Not Count": "", "Valor da Taxa": "",
		"UnitsOnOrder": "", "Pieces on order": "", "Sort Order": "order", "Position on Order": "position", "Year on Order": "year", "On Order": "order",
		"Rabatt in Prozent": "percentage", "Discount in Percent": "percent", "pct_discount": "pct", "surge_multiplier": "multiplier", "Fiscal Period": "period",
		"Fehlerquote": "rate", "Anteil": "percentage", "Wechselkurs": "rate", "Bewertung": "rating", "Priorität": "priority", "Rang": "rank",
		"Punktzahl": "score", "PLZ": "postcode", "Postleitzahl": "postcode", "Breitengrad": "latitude", "Auslastungsgrad": "rate", "Statuskennzeichen": "flag",
		"Calificación": "rating", "Prioridad": "priority", "Classement": "rank", "Note": "grade", "Note client": "grade", "Nota": "grade", "Avaliação": "rating",
		"Stukprijs": "price", "Koers": "rate", "Kortingspercentage": "percentage", "Leeftijd": "age", "Zip Code": "code", "Postal Code": "code", "ID": "id",
		"Taxas Pagas": "", "Taxa de Entrega": "", "Tasas pagadas": "", "Gesamtpreis": "", "Totaalprijs": "", "Amount at List Price": "", "Zip Codes Served": "",
		"ID Checks": "", "Code Reviews": "", "Credit Note": "", "Credit Note Amount": "", "Nota Fiscal": "", "Amount This Period": "", "Anzahl Bewertungen": "",
		"Aantal klanten": "", "Btw-bedrag": "", "Rabatt": "", "Percentage": "percentage", "Code Status": "status", "Tax Amount at Rate": "",
		"QuarterTarget": "", "QuarterIncentive": "", "Month Budget": "", "Year Quota": "", "Week Bonus": "",
	} {
		if got := wording.Unadded(wording.Words(name)); (got == "") != (want == "") {
			t.Errorf("%s: %q does not add up, want %q", name, got, want)
		}
	}
}
