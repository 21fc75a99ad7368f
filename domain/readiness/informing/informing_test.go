package informing_test

import (
	"slices"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/model"
)

// hotel returns a model of bookings with descriptions by column.
func hotel(texts map[string]string) *semanticmodel.Model {
	column := func(name string) semanticmodel.Column {
		return semanticmodel.Column{Name: name, DataType: semanticmodel.String, Description: texts[name]}
	}
	return &semanticmodel.Model{Tables: []semanticmodel.Table{
		{Name: "Bookings", Description: texts["Bookings"], Columns: []semanticmodel.Column{column("Channel"), column("Room Rate"), column("Status")},
			Measures: []semanticmodel.Measure{{Name: "Net Revenue", Expression: "SUM(Bookings[Room Rate])", Description: texts["Net Revenue"]}}},
		{Name: "Guests", Description: texts["Guests"], Columns: []semanticmodel.Column{column("City"), column("Segment"), column("Loyalty Level")}},
	}}
}

func faults(m *semanticmodel.Model) map[string]informing.Fault {
	s := model.NewSnapshot(m)
	x := model.NewScope(s, s.Exposed, nil)
	all := map[string]informing.Fault{}
	for _, o := range s.Objects {
		name := o.Name
		if name == "" {
			name = o.Table.Src.Name
		}
		all[name] = informing.FaultOf(x, o)
	}
	return all
}

// What a text informs of depends on the names of other objects, also if it is remembered.
func TestFaultsWithAMemory(t *testing.T) {
	t.Parallel()
	m, memory := hotel(map[string]string{"Net Revenue": "The violet lanterns."}), &model.Memory{}
	for _, name := range []string{"Guests", "Violet Lanterns", "Violet Lanterns", "Guests"} {
		m.Tables[1].Name = name
		memory.Next()
		x := model.NewScope(model.NewSnapshot(m), make([]bool, 20), nil)
		x.Memory = memory
		want := map[string]informing.Fault{"Guests": informing.Unrelated, "Violet Lanterns": informing.Names}[name]
		of := slices.IndexFunc(x.Objects, func(o *model.Object) bool { return o.Name == "Net Revenue" })
		if got := informing.FaultOf(x, x.Objects[of]); got != want {
			t.Errorf("with a table %s: got %v, want %v", name, got, want)
		}
	}
}

// A text informs if it says about its object what names do not: in English, German and Portuguese. In other languages it
// is only compared with names and other texts.
func TestFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]informing.Fault{
		"":            informing.Absent,
		" \u00a0\n":   informing.Absent,
		"in euro":     informing.Short,
		"in euros":    informing.Informs,
		"Net Revenue": informing.Names, "net  revenue.": informing.Names, "The net revenue of the bookings": informing.Names,
		"This measure calculates the net revenue of all bookings for each guest.": informing.Names,
		"?? !! ?? !! ??": informing.Names,
		"What guests paid, without tax and breakfast, in euro.":                           informing.Informs,
		"Sum of the room rates of all nights that were not cancelled.":                    informing.Informs,
		"Was Gäste bezahlt haben, ohne Steuern und Frühstück.":                            informing.Informs,
		"Summe der Zimmerpreise aller nicht stornierten Nächte.":                          informing.Informs,
		"O que os hóspedes pagaram, sem impostos, em reais.":                              informing.Informs,
		"Soma das diárias de todas as noites não canceladas.":                             informing.Informs,
		"Chiffre d'affaires hébergement, taxes exclues.":                                  informing.Informs,
		"客人支付的金额，不含税":                                                                     informing.Informs,
		"A key metric that is essential for strategic decisions across the organization.": informing.Filler,
		"Validated by the data team and refreshed daily from the source system.":          informing.Filler,
		"Net revenue is significant and refreshed every night.":                           informing.Filler,
		"Wichtige Kennzahl für strategische Entscheidungen, täglich geprüft.":             informing.Filler,
		"Indicador importante validado pela equipe e atualizado diariamente.":             informing.Filler,
		"Net revenue, e.g. Rack or Package.":                                              informing.Informs,
		"Nettoerlös, z. B. Rack oder Package.":                                            informing.Informs,
		"The violet lanterns, e.g. near the quiet river in the old garden.":               informing.Unrelated,
		"e.g.": informing.Short,
		"Green ideas sleep furiously near the river.":                                     informing.Unrelated,
		"Net revenue whispers beneath violet lanterns on quiet evenings.":                 informing.Unrelated,
		"Der freundliche Nachbar trinkt gerne Tee im Garten.":                             informing.Unrelated,
		"O elefante roxo dança com sete bicicletas ao luar.":                              informing.Unrelated,
		"Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.": informing.Unrelated,
	} {
		if got := faults(hotel(map[string]string{"Net Revenue": text}))["Net Revenue"]; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
		judge := informing.JudgeOf(hotel(nil))
		of := finding.Subject{Type: finding.MeasureObject, Table: "Bookings", Name: "Net Revenue"}
		if got := judge.Informs(of, text); got != (want == informing.Informs) {
			t.Errorf("%q: judged as %v", text, got)
		}
		if judge.Informs(finding.Subject{Type: finding.MeasureObject, Table: "Bookings", Name: "Gone"}, text) {
			t.Errorf("%q informs about what is not there", text)
		}
	}
}

// Nearly equal texts on different objects earn for none of them. A few columns described in parallel are not that.
func TestRepeatedTexts(t *testing.T) {
	t.Parallel()
	names := []string{"Bookings", "Channel", "Room Rate", "Status", "Net Revenue", "Guests", "City", "Segment", "Loyalty Level"}
	each := func(n int, text func(i int, name string) string) map[string]string {
		all := map[string]string{}
		for i, name := range names[:n] {
			all[name] = text(i, name)
		}
		return all
	}
	words := []string{"hotel", "invoice", "supplier", "region", "season", "campaign", "currency", "customer", "contract"}
	for name, tt := range map[string]struct {
		texts map[string]string
		want  informing.Fault
	}{
		"one text on two":             {each(2, func(int, string) string { return "What was paid for the night, in euro." }), informing.Repeated},
		"in another case and spacing": {map[string]string{"Channel": "What was paid, in euro.", "Status": "what was  paid, in EURO."}, informing.Repeated},
		"with the name, on four":      {each(4, func(_ int, name string) string { return name + " by night and invoice, after discounts." }), informing.Repeated},
		"with the name, on three":     {each(3, func(_ int, name string) string { return name + " by night and invoice, after discounts." }), informing.Informs},
		"with a number": {each(4, func(i int, _ string) string {
			return "Paid by night and invoice, after discounts " + string(rune('0'+i))
		}), informing.Repeated},
		"of which one word differs": {each(6, func(i int, _ string) string {
			return "Paid by night and invoice, after discounts and tax, per country and " + words[i]
		}), informing.Repeated},
		"a short form that is one row": {each(6, func(i int, _ string) string { return "One row per " + words[i] }), informing.Informs},
		"different texts":              {map[string]string{"Channel": "How the order reached us: web or phone.", "Status": "Whether the stay was cancelled."}, informing.Informs},
	} {
		got := faults(hotel(tt.texts))
		for object := range tt.texts {
			if got[object] != tt.want {
				t.Errorf("%s: %s: got %v, want %v", name, object, got[object], tt.want)
			}
		}
	}
}
