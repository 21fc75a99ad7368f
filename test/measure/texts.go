package main

import "strings"

// The words of noise.
var (
	adjectives = strings.Fields("purple quiet gentle ancient hollow shiny brave sleepy crooked golden frozen curious noisy velvet " +
		"broken hungry lazy silent tiny enormous")
	nouns = strings.Fields("elephant river lantern mountain piano umbrella dragon window bicycle garden pillow whale candle " +
		"ladder cloud forest violin spoon rabbit castle")
	verbs = strings.Fields("dances sings whispers dreams wanders laughs jumps floats hums glows sleeps runs waits paints " +
		"forgets remembers follows greets hides melts")
	places  = []string{"beneath", "beside", "around", "toward", "behind", "across"}
	praise  = strings.Fields("important essential valuable strategic reliable central relevant trusted useful significant")
	process = []string{"validated by the data team", "refreshed every night", "checked regularly", "maintained by experts",
		"loaded from the source system",
		"approved by the business"}
)

// told are honest lines of instructions about a measure.
var told = []string{
	"Turnover means %s, without tax and freight.",
	"Use %s by default when a question names no amount.",
	"The fiscal year begins in April; %s counts by invoice date.",
	"Ask for the period if a question about %s names none.",
	"%s must not be added up over months; show the last day of the period.",
	"For returns use %s, which counts goods that came back.",
	"Give %s in thousand euro, unless the question asks for exact numbers.",
}

// spoken are words that people use.
var spoken = strings.Fields("turnover takings earnings bookings headcount footfall stays trips calls tickets visits parcels " +
	"claims wages rent yield scrap deals leads votes")

// language has the forms of honest descriptions, with %s for a thing.
type language struct{ tables, columns, measures, things []string }

var (
	english = language{
		[]string{"One row per %s and day.", "One row for each %s that was ever opened, with the %s it belongs to.",
			"Lists every %s; a closed %s stays in it."},
		[]string{"Who pays for the %s.", "Where the %s was sold.", "Day on which the %s left the house, empty while it is open.",
			"How the %s reached us: web, phone or branch.",
			"Price of the %s before any discount, in USD.", "Two-letter code of the country of the %s.", "Reason why the %s went back to the %s.",
			"Whether the %s was paid in full.",
			"Weight of the %s in kilograms, with packing.", "First and last name of the person who signed the %s."},
		[]string{"What was invoiced per %s, without tax, in euro.", "Share of each %s in all of them, from 0 to 1.",
			"Average days between the %s and its %s.",
			"Number of %s that were active on the last day of the period.", "Sum of the %s after discounts; do not add it up over months.",
			"Highest price of a %s in the period."},
		strings.Fields("customer order invoice supplier product contract shipment branch employee project claim ticket booking vehicle " +
			"machine policy patient student campaign payment"),
	}
	german = language{
		[]string{"Eine Zeile je %s und Tag.", "Enthält jeden %s seit 2015, auch geschlossene."},
		[]string{"Wer den %s bezahlt.", "Ort, an dem der %s verkauft wurde.",
			"Tag, an dem der %s das Haus verließ; leer, solange er offen ist.", "Wie der %s zu uns kam: Web, Telefon oder Filiale.",
			"Preis des %s vor Rabatt, in Euro.", "Zweistelliges Länderkürzel des %s.", "Grund, aus dem der %s zurückkam.",
			"Ob der %s vollständig bezahlt ist.", "Gewicht des %s in Kilogramm, mit Verpackung."},
		[]string{"Was je %s berechnet wurde, ohne Steuer, in Euro.", "Anteil des %s an allen, von 0 bis 1.",
			"Mittlere Tage zwischen %s und Zahlung.", "Anzahl der %s, die am letzten Tag aktiv waren.",
			"Summe je %s nach Rabatt; nicht über Monate addieren."},
		strings.Fields("Kunde Auftrag Rechnung Lieferant Artikel Vertrag Versand Filiale Mitarbeiter Projekt Schaden Vorgang Buchung " +
			"Fahrzeug Maschine Patient Kampagne"),
	}
	portuguese = language{
		[]string{"Uma linha por %s e dia.", "Contém cada %s desde 2015, também os fechados."},
		[]string{"Quem paga o %s.", "Onde o %s foi vendido.", "Dia em que o %s saiu da loja; vazio enquanto está aberto.",
			"Como o %s chegou: site, telefone ou filial.", "Preço do %s antes do desconto, em reais.",
			"Sigla do país do %s, com duas letras.", "Motivo pelo qual o %s foi devolvido.", "Se o %s foi pago por inteiro: sim ou não.",
			"Peso do %s em quilos, com embalagem."},
		[]string{"O que foi faturado por %s, sem impostos, em reais.", "Participação do %s no total, de 0 a 1.",
			"Média de dias entre o %s e o pagamento.", "Número de %s ativos no último dia do período.",
			"Soma por %s depois dos descontos; não somar entre meses."},
		strings.Fields("cliente pedido fatura fornecedor produto contrato envio filial funcionário projeto sinistro chamado reserva " +
			"veículo paciente campanha"),
	}
)
