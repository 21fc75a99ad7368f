// Command report runs the benchmarks behind the figures of docs/performance.md and writes its table, so that no figure is typed.
// Figures that it is not asked for stay as they are.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, says io.Writer) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	only := flags.String("only", "", "measure the commands that contain this text, such as Emmett; by default all")
	rounds := flags.Int("rounds", 3, "how often each benchmark runs; the table has the lowest and the highest figure")
	check := flags.Bool("check", false, "measure the ratios that are stable enough, write nothing, and fail if one is below half its goal in every round")
	page := flags.String("page", "docs/performance.md", "the page whose table is written")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var failed error
	chosen := 0
	for _, r := range runs {
		if !strings.Contains(r.String(), *only) || *check && !slices.ContainsFunc(r.figures, func(f figure) bool { return f.checked }) {
			continue
		}
		chosen++
		fmt.Fprintln(says, r)
		measured, err := conditions(ctx, *page)
		if err != nil {
			return err
		}
		out, err := r.measure(ctx, *rounds)
		if err != nil { // the others are measured nevertheless
			failed = errors.Join(failed, fmt.Errorf("%s: %w\n%s", r, err, out))
			continue
		}
		rows, err := r.rows(out, measured)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		for _, row := range rows {
			fmt.Fprintln(says, row)
		}
		if *check {
			failed = errors.Join(failed, r.check(out))
			continue
		}
		// After each, because all together take an hour.
		if err := rewrite(*page, rows); err != nil {
			return err
		}
	}
	if chosen == 0 {
		return fmt.Errorf("no command contains %q", *only)
	}
	return failed
}

// measure runs the benchmark and returns what it printed.
func (r benchmark) measure(ctx context.Context, rounds int) ([]byte, error) {
	args := []string{"go", "test", "-run", "^$", "-timeout", "2h", "-count", fmt.Sprint(rounds), "-bench", r.pattern()}
	for flag, value := range map[string]string{"-benchtime": r.times, "-tags": r.tags, "-cpu": r.cpu} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	args = append(args, r.pkg)
	if !r.disk {
		args = append([]string{"go", "run", "./internal/postgres/withpostgres"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), r.env...)
	return cmd.CombinedOutput()
}

// pattern matches the benchmark's name and no longer one.
func (r benchmark) pattern() string { return "^Benchmark" + r.name + "$" }

// conditions says what was measured when, and how busy the machine was. A + is after a commit that has changes, other than of the page.
func conditions(ctx context.Context, page string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(out))
	if exec.CommandContext(ctx, "git", "diff", "--quiet", "HEAD", "--", ".", ":!"+page).Run() != nil {
		commit += "+"
	}
	load := "unknown load"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil { // only Linux has it
		one, _, _ := strings.Cut(string(text), " ")
		whole, _, _ := strings.Cut(one, ".")
		load = "load " + whole
	}
	return fmt.Sprintf("%s %s, %s", time.Now().UTC().Format("2 Jan"), commit, load), nil
}

var processors = regexp.MustCompile(`-\d+$`)

// metrics returns the figures that go test printed: by the name of the sub-benchmark ("" is the benchmark itself) and the unit, one a round.
func metrics(out []byte) map[string]map[string][]float64 {
	all := map[string]map[string][]float64{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		_, sub, _ := strings.Cut(processors.ReplaceAllString(fields[0], ""), "/")
		if all[sub] == nil {
			all[sub] = map[string][]float64{}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			var value float64
			if _, err := fmt.Sscan(fields[i], &value); err != nil {
				break // a line of a log
			}
			all[sub][fields[i+1]] = append(all[sub][fields[i+1]], value)
		}
	}
	return all
}
