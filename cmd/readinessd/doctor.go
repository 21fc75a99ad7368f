package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/internal/indentedjson"
	"readiness/internal/probe"
)

// verdict is how a check ended.
type verdict string

const (
	healthy verdict = "ok"
	warning verdict = "warning" // works, but not well or not for long
	failing verdict = "failing" // does not work
	unknown verdict = "unknown" // could not be checked
)

// symptom is the result of a check.
type symptom struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Says    string  `json:"says"`
	Do      string  `json:"do,omitempty"` // what to do; empty without a problem
}

// doctor examines an installation.
type doctor struct {
	*root
	flags    serviceFlags
	issuers  []string
	models   bool
	deep     bool
	findings []symptom
}

// checkLimit bounds each check.
const checkLimit = 20 * time.Second

func (r *root) doctorCommand() *cobra.Command {
	d := doctor{root: r}
	asJSON := false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Examine an installation and say what to do",
		Long: `Checks what the service needs, with the flags of serve: that the database and a pooler in front of it are fit, its roles,
migrations and views, the queue, the disk and keys of the data directory, the clocks, the issuers, the keys of AI
providers, the platform and, with --collect, the servers of collected views. It changes nothing, asks no AI provider and
prints no key. With --models it also reads every model in the folder and lists those whose definition the log does not know:
people changed them, or the service wrote them after the time to which the database was restored, and the data to revert
those writes is gone. With --deep it also does what readinessd events verify and documents verify do, and opens the row of every person.

The exit code is 3 if a check fails; warnings leave it 0.`,
		Example: `  readinessd doctor --platform folder:/srv/workspaces
  readinessd doctor --database-url postgres://readiness@db.example.com/readiness --platform fabric --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(d.flags.platforms) > 0 {
				if err := d.flags.check(); err != nil {
					return err
				}
			}
			if err := d.flags.fabric.Trust(); err != nil {
				return err
			}
			if err := d.examine(c.Context()); err != nil {
				return err
			}
			return d.report(asJSON)
		},
	}
	d.flags.add(c.Flags())
	c.Flags().StringSliceVar(&d.issuers, "issuer", nil, "trusted token issuer, in which {tid} stands for each --fabric-tenant; can be "+
		"repeated")
	c.Flags().BoolVar(&d.models, "models", false, "read every model in the folder and compare it with the log")
	c.Flags().BoolVar(&d.deep, "deep", false, "also verify the log, every stored document and every person, which takes minutes")
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

// examine runs all checks. Without a database only those that need none run. The error is about the command line.
func (d *doctor) examine(ctx context.Context) error {
	d.check(ctx, "data", d.dataDirectory)
	d.check(ctx, "issuer", d.reachIssuers)
	d.check(ctx, "platform", d.reachPlatform)
	if d.flags.collect.URL != "" {
		d.check(ctx, "collect", d.collected)
	}
	err := d.operate(ctx, d.flags.databaseFlags, func(url string) error {
		fit := d.check(ctx, "database", func(ctx context.Context) []symptom { return fitness(probe.Database(ctx, url)) })
		if !fit {
			return nil
		}
		if !d.check(ctx, "migrations", func(ctx context.Context) []symptom { return migrated(ctx, url) }) {
			return nil
		}
		opened, err := openCore(ctx, url, d.flags.connections, false, d.Log)
		if err != nil {
			return err
		}
		defer opened.close()
		for _, one := range []struct {
			name string
			do   func(context.Context, *core) []symptom
		}{
			{"roles", d.roles}, {"clock", d.clocks}, {"views", d.views}, {"queue", d.queue}, {"providers", d.providers},
			{"people", d.people}, {"keys", d.keys}, {"models", d.compareModels}, {"standby", d.standby}, {"documents", d.documents},
		} {
			d.check(ctx, one.name, func(ctx context.Context) []symptom { return one.do(ctx, opened) })
		}
		if d.deep {
			d.verify(ctx, opened)
		}
		return nil
	})
	if err != nil {
		d.findings = append(d.findings, symptom{"database", failing, err.Error(), "Start it, or correct --database-url or --data."})
	}
	return nil
}

// check runs one check, within its limit, and reports whether nothing is failing.
func (d *doctor) check(ctx context.Context, name string, do func(context.Context) []symptom) bool {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	fine := true
	for _, f := range do(ctx) {
		f.Check = name
		d.findings = append(d.findings, f)
		fine = fine && f.Verdict != failing
	}
	return fine
}

func ok(format string, args ...any) []symptom {
	return []symptom{{Verdict: healthy, Says: fmt.Sprintf(format, args...)}}
}

// failure is the result of a check that could not be made.
func failure(err error) []symptom {
	return []symptom{{Verdict: unknown, Says: err.Error(), Do: "Run the check again once the cause is gone."}}
}

func fitness(err error) []symptom {
	if unfit, is := errors.AsType[*probe.Unfit](err); is {
		return []symptom{{Verdict: failing, Says: unfit.What, Do: unfit.Do}}
	}
	if err != nil {
		return []symptom{{Verdict: failing, Says: err.Error(), Do: "See that PostgreSQL runs and that --database-url is right."}}
	}
	return ok("fit for the event log")
}

// report prints the findings. The error is cli.ErrDamaged if a check fails.
func (d *doctor) report(asJSON bool) error {
	damaged := error(nil)
	for _, f := range d.findings {
		if f.Verdict == failing {
			damaged = cli.ErrDamaged
		}
	}
	if asJSON {
		return errors.Join(indentedjson.Write(d.Stdout, struct {
			Findings []symptom `json:"findings"`
		}{d.findings}), damaged)
	}
	w := tabwriter.NewWriter(d.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range d.findings {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Check, f.Verdict, cli.Printable(f.Says))
		if f.Do != "" {
			fmt.Fprintf(w, "\t\t→ %s\n", f.Do)
		}
	}
	return errors.Join(w.Flush(), damaged)
}
