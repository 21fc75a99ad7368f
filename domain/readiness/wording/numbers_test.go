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
		"QuarterTarget": "", "QuarterIncentive": "", "Month Budget": "", "Year Quota": "", "Week Bonus": "",
	} {
		if got := wording.Unadded(wording.Words(name)); (got == "") != (want == "") {
			t.Errorf("%s: %q does not add up, want %q", name, got, want)
		}
	}
}
