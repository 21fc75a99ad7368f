package tmdl_test

import (
	"strings"
	"testing"

	"readiness/definition/tmdl"
)

// benchmarkTable returns a table as Power BI writes it: for every column a measure
// of several lines.
func benchmarkTable(columns int) []byte {
	var b strings.Builder
	b.WriteString("/// One row an order line\ntable Sales\n\tlineageTag: 31521cc0-d265-4575-8480-9e7f2c780945\n\n")
	for range columns {
		b.WriteString("\t/// What was sold, in the currency of the order\n\tmeasure 'Net Sales' =\n\t\t\tVAR Result =\n\t\t\t    SUMX ( Sales, Sales[Quantity] * Sales[Net Price] )\n\t\t\tRETURN\n\t\t\t    Result\n" +
			"\t\tformatString: #,0.00\n\t\tdisplayFolder: Sales\\Net\n\t\tlineageTag: 1c73cf80-e14d-46e9-adb5-007d9f3e7463\n\n\t\tchangedProperty = Name\n\n" +
			"\tcolumn Quantity\n\t\tdataType: int64\n\t\tformatString: 0\n\t\tlineageTag: 2c0d08ae-a7a5-43dd-a3c8-37ac4930c91d\n\t\tsummarizeBy: sum\n\t\tsourceColumn: Quantity\n\n\t\tannotation SummarizationSetBy = Automatic\n\n")
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	linguistic := []byte("cultureInfo en-US\n\n\tlinguisticMetadata = {\"Version\":\"1.0.0\",\"Entities\":{" + strings.Repeat(`"sales.quantity":{"State":"Generated"},`, 50_000) + "}}\n\t\tcontentType: json\n")
	for _, c := range []struct {
		name string
		src  []byte
	}{
		{"small table", benchmarkTable(5)},
		{"large table", benchmarkTable(2000)},
		{"large table CRLF", []byte(strings.ReplaceAll(string(benchmarkTable(2000)), "\n", "\r\n"))},
		{"one long line", linguistic},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tmdl.Parse("Sales.tmdl", c.src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParseCorpus parses the valid TMDL of READINESS_CORPUS, file by file: all
// of it, and the kinds of files that make up most of a project.
func BenchmarkParseCorpus(b *testing.B) {
	var all, small [][]byte
	for name, src := range corpus(b) {
		if _, err := tmdl.Parse(name, src); err != nil {
			continue
		}
		all = append(all, src)
		if len(src) <= 4096 {
			small = append(small, src)
		}
	}
	for _, c := range []struct {
		name  string
		files [][]byte
	}{
		{"all files", all},
		{"files up to 4 kB", small},
	} {
		b.Run(c.name, func(b *testing.B) {
			size := 0
			for _, src := range c.files {
				size += len(src)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, src := range c.files {
					if _, err := tmdl.Parse("Sales.tmdl", src); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(len(c.files)), "files")
		})
	}
}
