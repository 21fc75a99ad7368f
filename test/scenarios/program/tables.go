package program

import (
	"fmt"
	"regexp"
	"strings"
)

// Table returns a table with findings.
func Table(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table T%d\n", i)
	for j := range 12 {
		fmt.Fprintf(&b, "\n\tcolumn cust_nm_%d\n\t\tdataType: string\n\t\tsourceColumn: c%d\n\n\tmeasure 'm %d' = SUM('T%d'[cust_nm_%d])\n", j, j, j, i, j)
	}
	return b.String()
}

// SalesTable returns a table for which every kind has a proposal.
func SalesTable(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table 'Sales %d'\n", i)
	for j := range 12 {
		fmt.Fprintf(&b, "\n\tmeasure 'Revenue %d of %d' = CALCULATE(AVERAGE('Sales %[3]d'[Amount %[4]d]), 'Sales %[3]d'[Region %[4]d] = \"North %[4]d\")\n\t\tformatString: #,0\n", j, i, i, j)
		if j == 0 {
			b.WriteString("\t\tdisplayFolder: Averages\n")
		}
	}
	b.WriteString("\n\tcolumn 'ETL Batch'\n\t\tdataType: string\n\t\tsummarizeBy: none\n\t\tsourceColumn: etl_batch\n")
	for j := range 12 {
		fmt.Fprintf(&b, "\n\tcolumn 'Amount %d'\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\t\tsourceColumn: a%d\n", j, j)
		fmt.Fprintf(&b, "\n\tcolumn 'Region %d'\n\t\tdataType: string\n\t\tsourceColumn: r%d\n", j, j)
	}
	return b.String()
}

// PixieAddress matches the address of a Pixie in a report.
var PixieAddress = regexp.MustCompile(`https?://[^"'\s]+/p/[0-9a-f]+\.gif`)

// DocumentIn matches the hash of a document that an event names.
var DocumentIn = regexp.MustCompile(`"(?:documentHash|document|questions|copyHash)":"(sha256:[0-9a-f]{64})"`)
