package readiness_test

import (
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
)

func TestFurtherDataTypeRules(t *testing.T) {
	t.Parallel()
	one := func(c semanticmodel.Column, more ...any) *semanticmodel.Model {
		return model(table("S", append([]any{c}, more...)...))
	}
	// each returns a table with a column for each name, of the type, and what every one of
	// them scores.
	each := func(typ semanticmodel.DataType, violation string, names ...string) row {
		s, want := table("S"), []string{}
		for _, n := range names {
			s.Columns = append(s.Columns, column(n, typ))
			want = append(want, "S["+n+"] "+violation)
		}
		return row{strings.Join(names, ", "), model(s), strings.Join(want, ", ")}
	}
	rules(t, map[string][]row{
		"TYP-01": {{"a calendar's date without a type", model(table("S", calculated, column("a", "", source("[Date]")))), "S[a] 0.25"}},
		"TYP-02": {
			each(semanticmodel.Int64, "1", "Average Net", "Avg Net", "Distinct Net", "Max Net", "Median Net", "Net Minimum"),
			each(semanticmodel.Int64, "1", "Net Frequency", "Net Hour", "Net Index", "Net Level", "Net Number", "Net Order", "Net Ordinal",
				"Net Position", "Net Semester", "Net Temperature", "Net Term", "Net Type", "Net Version"),
			{"the word is not last", one(whole("Order Net")), ""},
			each(semanticmodel.Decimal, "1", "List Price", "Net Price", "Unit Price Old"),
			{"another price", one(whole("Price")), "S[Price] 1"},
			{"what each row was sold for", model(table("S", whole("k"), whole("Price")), table("D", whole("k")), related("S[k] -> D[k]")), "D[k] 1, S[k] 1"},
			{"in a currency", model(table("S", whole("k"), whole("PRICE_BRL")), table("D", whole("k")), related("S[k] -> D[k]")), "D[k] 1, S[k] 1"},
			{"what each row was bought and sold for", model(table("S", whole("k"), whole("SalePrice"), whole("Cost Price"), whole("Unit Price")), table("D", whole("k")),
				related("S[k] -> D[k]")), "D[k] 1, S[Unit Price] 1, S[k] 1"},
			{"sold for, of several pieces", model(table("S", whole("k"), whole("SalePrice"), whole("Units")), table("D", whole("k")), related("S[k] -> D[k]")),
				"D[k] 1, S[SalePrice] 1, S[k] 1"},
			{"of several pieces", model(table("S", whole("k"), whole("Price"), whole("Order Qty")), table("D", whole("k")), related("S[k] -> D[k]")),
				"D[k] 1, S[Price] 1, S[k] 1"},
			{"of a thing", model(table("S", whole("k")), table("D", whole("k"), whole("Price")), related("S[k] -> D[k]")), "D[Price] 1, D[k] 1, S[k] 1"},
			each(semanticmodel.Int64, "1", "Close Price", "Code Customer", "Cost per Unit", "Current Score", "Is Active", "Max Year", "Model Year", "Month of Year",
				"Performance Rating", "Priority", "Ramp Rate", "Rating Given", "Status Flag", "Unit Cost"),
			{"amounts and counts", one(whole("no_guests"), whole("FeesPaidThisMonth"), whole("AmountThisYear"), whole("Number of Rooms"),
				whole("Rate Amount"), whole("Total Price"), whole("Sales Last Year"), whole("Days Open"), whole("Day Count"), whole("Key Figure")), ""},
			{"averaged", model(table("S", whole("Rating", summarized("average")), whole("Unit Price", summarized("max")), whole("Year", summarized("average")),
				whole("State Lat", summarized("average")))), "S[Rating] 0, S[State Lat] 0, S[Unit Price] 0, S[Year] 1"},
			{"in other languages", one(whole("Ano"), whole("Monat"), amount("Taux TVA"), amount("Precio de Venta"), amount("Valor Total")),
				"S[Ano] 1, S[Monat] 1, S[Precio de Venta] 1, S[Taux TVA] 1"},
			{"what each row was sold for, in another language", model(table("S", whole("k"), amount("Preço")), table("D", whole("k")), related("S[k] -> D[k]")),
				"D[k] 1, S[k] 1"},
			{"of several pieces, in another language", model(table("S", whole("k"), amount("Preço"), whole("Quantidade")), table("D", whole("k")),
				related("S[k] -> D[k]")), "D[k] 1, S[Preço] 1, S[k] 1"},
			{"shown as percentages", one(amount("a", inFormat(`0.00\ %;-0.00\ %`)), amount("b", inFormat("0%"), summarized("average")), amount("c", inFormat(`0\%`)),
				amount("d", inFormat(`0"%"`)), whole("e", inFormat("0%")), amount("f", inFormat("0%"), summarized("none"))), "S[a] 1, S[b] 0, S[f] 0"},
			{"visuals summarize nothing", model(table("S", whole("Year")), modelOption(explicitOnly)), ""},
			{"an old word", one(whole("Year")), "S[Year] 1"},
			{"a key", one(whole("a", key)), "S[a] 1"},
			{"not summarized", one(whole("Year", summarized("none"))), "S[Year] 0"},
			{"counted", one(whole("Year", summarized("count"))), "S[Year] 0.5"},
			{"counted once each", one(whole("Year", summarized("distinctCount"))), "S[Year] 0.5"},
			{"default", one(whole("Year", summarized("default"))), "S[Year] 1"},
			{"text", one(text("Year")), ""},
		},
		"TYP-03": {
			each(semanticmodel.String, "1", "Net Amount", "Net Bytes", "Net Cost", "Net Costs", "Net Count", "Net Pct", "Net Percent",
				"Net Percentage", "Net Price", "Net Qty", "Net Quantity", "Net Rate", "Net Ratio", "Net Revenue", "Net Rows", "Net Total"),
			{"not the last word", one(text("Price List")), ""},
			{"an old exclusion", one(text("Type Count")), "S[Type Count] 1"},
			{"a number", one(whole("Net Amount")), "S[Net Amount] 0"},
			{"a percent sign", one(text("Net %")), "S[Net %] 1"},
			{"a percent sign in brackets", one(text("Net (%) ] ")), "S[Net (%) ] ] 1"},
			{"a percent sign first", one(text("% Net")), ""},
			{"of a quantity", one(text("Unity of Qty")), ""},
			{"a quantity of a quantity", one(text("Count of Rows")), "S[Count of Rows] 1"},
			{"in a unit", one(text("Amount in EUR")), "S[Amount in EUR] 1"},
			{"in, with two words after", one(text("Amount in local EUR")), ""},
			{"in, with nothing before", one(text("in Amount")), "S[in Amount] 1"},
			{"hidden", one(text("Amount", hidden)), ""},
		},
		"TYP-04": {
			each(semanticmodel.String, "1", "Net Date", "Net Date Time", "Net Datetime", "Net Timestamp"),
			each(semanticmodel.Int64, "1", "Created On", "Creation Time", "Modified At", "On Created", "Publish Time", "Refresh Time", "Updated At"),
			{"not last", one(text("Date Net")), ""},
			{"an old exclusion", one(text("Key Date")), "S[Key Date] 1"},
			{"time alone", one(text("Net Time")), ""},
			{"not beside", one(text("Created Net On")), ""},
			{"a date", one(date("Net Date")), "S[Net Date] 0"},
			{"a decimal", one(amount("Net Date")), "S[Net Date] 0"},
			{"a key", one(text("Net Date", key)), ""},
		},
		"TYP-06": {
			each(semanticmodel.String, "1", "Home City", "Home Continent", "Home Country", "Home County", "Home Postal", "Home Postcode",
				"Home Province", "Home Zip"),
			each(semanticmodel.Int64, "1", "Home Postal", "Home Postcode", "Home Zip"),
			each(semanticmodel.Double, "1", "Home Latitude", "Home Longitude"),
			each(semanticmodel.Decimal, "1", "Latitude", "Longitude"),
			{"of other types", one(whole("City"), whole("Latitude"), text("Longitude"), amount("Zip")), ""},
			{"with final words", one(text("City Name"), text("Country Region"), text("Country Region Code Name")),
				"S[City Name] 1, S[Country Region] 1, S[Country Region Code Name] 1"},
			{"final words alone", one(text("Name Code")), ""},
			{"not last", one(text("City Park")), ""},
			{"of, by and per", one(text("Sales by City"), text("Number of Country Name"), text("Sales per Zip")), ""},
			{"a category", one(text("City", category("City"))), "S[City] 0"},
			{"uncategorized", one(text("City", category("Uncategorized"))), "S[City] 1"},
			{"a state by itself", one(text("State")), ""},
			{"a state beside a city", one(text("State"), text("City", hidden)), "S[State] 1"},
			{"a state beside a latitude", one(text("State"), column("Latitude", semanticmodel.Double)), "S[Latitude] 1, S[State] 1"},
			{"a state in another table", model(table("S", text("State")), table("T", text("City"))), "T[City] 1"},
			{"states with a final word", one(text("State Code"), text("Home State Name"), text("City")),
				"S[City] 1, S[Home State Name] 1, S[State Code] 1"},
			{"a state and province", one(text("State Province")), "S[State Province] 1"},
			{"another state", one(text("Order State"), text("State Name Code"), text("City")), "S[City] 1"},
			{"a state that is no text", one(whole("State"), text("City")), "S[City] 1"},
			{"by state", one(text("Sales by State Code"), text("City")), "S[City] 1"},
			{"two states", one(text("State"), text("State Code")), ""},
		},
		"TYP-07": {{"as before", products(text("Name")), "Products 1"}},
	})
}
