package evaluate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readiness/definition/dax/evaluate"
)

// sale is a row of the random shops; "" is BLANK.
type sale struct{ product, store, amount string }

// randomShop draws a star whose keys may be missing or match nothing.
func randomShop(t *rapid.T) (sales []sale, color, city map[string]string) {
	color, city = map[string]string{}, map[string]string{}
	for _, key := range []string{"1", "2", "3", "4"} {
		color[key] = rapid.SampledFrom([]string{"Red", "Blue", ""}).Draw(t, "color")
		city[key] = rapid.SampledFrom([]string{"Rome", "Oslo", ""}).Draw(t, "city")
	}
	for range rapid.IntRange(1, 12).Draw(t, "sales") {
		key := func(name string) string {
			return rapid.SampledFrom([]string{"1", "2", "3", "4", "9", ""}).Draw(t, name)
		}
		sales = append(sales, sale{key("product"), key("store"), rapid.SampledFrom([]string{"1", "2", "5", "0", ""}).Draw(t, "amount")})
	}
	return sales, color, city
}

// Sums by columns of two tables, of sales that pass a filter, are those that adding row by
// row gives. The rows are added here a second time, without contexts or relationships.
func TestSumsOfRandomShops(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		sales, color, city := randomShop(rt)
		f := &fixture{}
		b := strings.Builder{}
		b.WriteString("Sales\nProduct:int64|Store:int64|Amount:int64")
		for _, s := range sales {
			fmt.Fprintf(&b, "\n%s|%s|%s", s.product, s.store, s.amount)
		}
		products, stores := "Product\nKey:int64|Color:string", "Store\nKey:int64|City:string"
		for _, key := range []string{"1", "2", "3", "4"} {
			products, stores = products+"\n"+key+"|"+color[key], stores+"\n"+key+"|"+city[key]
		}
		f.add(t, b.String(), products, stores)
		f.relate("Sales[Product] > Product[Key]", "Sales[Store] > Store[Key]")
		f.measure("Total", "SUM(Sales[Amount])")
		wanted := rapid.SampledFrom([]string{"", "Red", "Blue"}).Draw(rt, "wanted")
		filter, passes := "", func(sale) bool { return true }
		switch rapid.IntRange(0, 2).Draw(rt, "filter") {
		case 1:
			filter, passes = fmt.Sprintf("FILTER(ALL(Product[Color]), Product[Color] == %s), ", literal(wanted)), func(s sale) bool { return color[s.product] == wanted }
		case 2:
			filter, passes = "FILTER(Sales, Sales[Amount] > 1), ", func(s sale) bool { return s.amount == "2" || s.amount == "5" }
		}
		sums := map[string]int{}
		for _, s := range sales {
			if s.amount != "" && passes(s) {
				sums[color[s.product]+"|"+city[s.store]] += int(s.amount[0] - '0')
			}
		}
		var want []string
		for group, sum := range sums {
			want = append(want, fmt.Sprintf("%s|%d", group, sum))
		}
		slices.Sort(want)
		for _, query := range []string{
			"EVALUATE SUMMARIZECOLUMNS(Product[Color], Store[City], " + filter + "\"t\", [Total])",
			"EVALUATE SUMMARIZECOLUMNS(Product[Color], Store[City], " + filter + "\"t\", SUMX(VALUES(Store[City]), CALCULATE(SUM(Sales[Amount]))))",
			"EVALUATE FILTER(ADDCOLUMNS(SUMMARIZE(Sales, Product[Color], Store[City]), \"t\", CALCULATE([Total], " + keeping(filter) + ")), NOT ISBLANK([t]))",
		} {
			r, err := f.model(t).Query(query, evaluate.Options{})
			if err != nil {
				rt.Fatalf("%s: %v", query, err)
			}
			got := strings.Split(rows(r), "; ")
			if len(r.Rows) == 0 {
				got = nil
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				rt.Fatalf("%s\nof %v, %v, %v:\ngot  %v\nwant %v", query, sales, color, city, got, want)
			}
		}
	})
}

func literal(s string) string {
	if s == "" {
		return "BLANK()"
	}
	return `"` + s + `"`
}

// keeping returns a filter of SUMMARIZECOLUMNS as one of CALCULATE that keeps others.
func keeping(filter string) string {
	if filter == "" {
		return "KEEPFILTERS(ALL(Sales[Amount]))"
	}
	return "KEEPFILTERS(" + strings.TrimSuffix(filter, ", ") + ")"
}
