package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// built is the program as make build writes it.
func built(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "readiness")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return program
}

// assessed runs readiness assess in the folder b.N times, and reports the most memory that a run had.
func assessed(b *testing.B, program, folder string) {
	b.Helper()
	most := int64(0)
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), program, "assess", ".")
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		most = max(most, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	b.ReportMetric(float64(most)/1024, "most-MB")
}

// model writes a model with that many tables of 40 columns and measures, 10 kB each.
func model(b *testing.B, folder string, tables int) {
	b.Helper()
	write := func(name, text string) {
		b.Helper()
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write("definition.pbism", `{"version":"4.0","settings":{}}`)
	write("definition/model.tmdl", "model Model\n\tculture: en-US\n")
	for n := range tables {
		var t strings.Builder
		fmt.Fprintf(&t, "/// Orders of region %[1]d, one row for each line of an invoice.\ntable Region%[1]d\n\n", n)
		for k := range 20 {
			fmt.Fprintf(&t, "\t/// Amounts of kind %[2]d, without the taxes of region %[1]d.\n\tmeasure 'Amount %[2]d in %[1]d' =\n"+
				"\t\t\tVAR x = CALCULATE ( SUM ( Region%[1]d[Value %[2]d] ), Region%[1]d[Value 1] = %[2]d )\n\t\t\tRETURN DIVIDE ( x, [Amount 1 in %[1]d] )\n"+
				"\t\tformatString: #,0\n\n\t/// Value of kind %[2]d in euros.\n\tcolumn 'Value %[2]d'\n\t\tdataType: int64\n\t\tsummarizeBy: none\n\t\tsourceColumn: v%[2]d\n\n", n, k)
		}
		write(fmt.Sprintf("definition/tables/Region%d.tmdl", n), t.String())
	}
}

// BenchmarkStart is how long readiness assess takes for a model without tables.
func BenchmarkStart(b *testing.B) {
	program, folder := built(b), b.TempDir()
	model(b, filepath.Join(folder, "M.SemanticModel"), 0)
	assessed(b, program, folder)
}

// BenchmarkTenant assesses a thousand models of 0.2 MB in a folder.
func BenchmarkTenant(b *testing.B) {
	program, folder := built(b), b.TempDir()
	for n := range 1000 {
		model(b, filepath.Join(folder, fmt.Sprintf("M%d.SemanticModel", n)), 20)
	}
	assessed(b, program, folder)
}
