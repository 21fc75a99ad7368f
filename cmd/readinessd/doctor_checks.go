package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/http/token"
	connections "readiness/internal/database"
	"readiness/internal/disk"
	"readiness/migrations"
	"readiness/platform/folder"
	"readiness/projections"
	"readiness/storage/people"
)

// dataDirectory checks the keys and the disk of the data directory.
func (d *doctor) dataDirectory(context.Context) (found []symptom) {
	var info fs.FileInfo
	there, err := hasKey(d.flags.data)
	if there {
		info, err = os.Stat(filepath.Join(d.flags.data, keyFile))
	}
	switch {
	case err != nil:
		found = append(found, symptom{Verdict: failing, Says: keyFile + " cannot be read, so the service does not start: " + err.Error(),
			Do: "Restore the file, or correct its link or its folder."})
	case !there:
		found = append(found, symptom{Verdict: warning,
			Says: "there is no " + keyFile + " in " + d.flags.data,
			Do: "Give --data as serve does. With several processes, copy the file of the first one: work accepted by another key " +
				"cannot be carried out."})
	case info.Mode().Perm()&0o077 != 0:
		found = append(found, symptom{Verdict: failing,
			Says: keyFile + " can be read by others, so the service does not start",
			Do:   "Run: chmod 600 " + filepath.Join(d.flags.data, keyFile)})
	default:
		found = append(found, ok("%s is there and private", keyFile)...)
	}
	free, total, err := disk.Space(d.flags.data)
	switch {
	case err != nil || total == 0:
	case free < total/10:
		found = append(found, symptom{Verdict: warning,
			Says: fmt.Sprintf("the disk of %s has %d of %d MB left", d.flags.data, free>>20, total>>20),
			Do: "Free space or enlarge the disk. With the private PostgreSQL, readinessd projections retire drops earlier generations " +
				"of views."})
	default:
		found = append(found, ok("%d of %d MB are free", free>>20, total>>20)...)
	}
	return found
}

func (d *doctor) reachIssuers(ctx context.Context) (found []symptom) {
	for _, issuer := range d.issuers {
		if err := token.Reach(ctx, token.Trusted{URL: issuer, Tenants: d.flags.fabric.Tenants}, d.flags.fabric.Transport); err != nil {
			found = append(found, symptom{Verdict: failing,
				Says: fmt.Sprintf("%s: %v", issuer, err),
				Do: "Give the issuer exactly as its tokens name it, and see that this machine reaches it. Until then its tokens are " +
					"refused."})
			continue
		}
		found = append(found, ok("the keys of %s can be read", issuer)...)
	}
	return found
}

func (d *doctor) reachPlatform(ctx context.Context) (found []symptom) {
	if len(d.flags.platforms) == 0 {
		return []symptom{{Verdict: unknown,
			Says: "no --platform was given", Do: "Give --platform as serve does."}}
	}
	dir, remote, _ := d.flags.chosen() // checked before
	if dir != "" {
		local, err := folder.Open(dir, folder.Options{Logger: d.Log})
		if err == nil {
			err = local.Check(ctx)
		}
		if err != nil {
			found = append(found, symptom{Verdict: failing,
				Says: err.Error(), Do: "Correct --platform folder:DIR, or mount the directory."})
		} else {
			found = append(found, ok("the folder %s can be read", dir)...)
		}
	}
	if remote {
		if err := d.flags.fabric.Check(ctx, "", func(string, string) {}, d.Log); err != nil {
			found = append(found, symptom{Verdict: failing,
				Says: err.Error(), Do: "Run readinessd fabric check, which explains each step."})
		} else {
			found = append(found, ok("the tenant signs the application in; readinessd fabric check --token-file checks the rest")...)
		}
	}
	return found
}

func migrated(ctx context.Context, url string) []symptom {
	steps, err := migrations.Status(ctx, url)
	if err != nil {
		return failure(err)
	}
	var missing, newer []string
	for _, s := range steps {
		switch {
		case !s.Applied:
			missing = append(missing, s.Name)
		case s.Newer:
			newer = append(newer, fmt.Sprint(s.Version))
		}
	}
	if len(missing) > 0 {
		return []symptom{{Verdict: failing,
			Says: fmt.Sprintf("%d migrations are missing: %s", len(missing), strings.Join(missing, ", ")),
			Do:   "Run readinessd migrate up as the owner of the schema, or start serve, which does the same."}}
	}
	if len(newer) > 0 {
		return []symptom{{Verdict: warning,
			Says: "the schema is that of a newer version: it has migrations that this program does not know: " + strings.Join(newer, ", "),
			Do:   "Use the program that made it, unless it is the version right after this one."}}
	}
	return ok("all %d are applied", len(steps))
}

// roles checks that the service cannot change events.
func (d *doctor) roles(ctx context.Context, c *core) (found []symptom) {
	var who string
	var may, guarded, folds bool
	err := c.pool.QueryRow(ctx, `SELECT current_user, has_database_privilege(current_database(), 'TEMPORARY'),
		has_table_privilege('events', 'UPDATE') OR has_table_privilege('events', 'DELETE')
			OR has_table_privilege('account_keys', 'UPDATE') OR has_table_privilege('account_keys', 'DELETE'),
		(SELECT count(*) = 1 FROM pg_trigger
			WHERE tgrelid = 'events'::regclass AND tgname = 'events_append_only' AND tgenabled IN ('O', 'A'))`).
		Scan(&who, &folds, &may, &guarded)
	if err != nil {
		return failure(err)
	}
	if !guarded {
		found = append(found, symptom{Verdict: failing,
			Says: "the trigger that refuses changes of the log is disabled or missing",
			Do:   "Find out who disabled it, run readinessd events verify, and run: ALTER TABLE events ENABLE TRIGGER events_append_only"})
	}
	if !folds {
		found = append(found, symptom{Verdict: failing,
			Says: "the service acts as " + who + ", who may not create temporary tables; views that follow the log cannot be folded",
			Do:   "Run readinessd migrate up as the owner of the database, which grants the right."})
	}
	if may {
		return append(found, symptom{Verdict: warning,
			Says: "the service acts as " + who + ", who has the right to change the log and to delete keys of texts; only for the log a trigger refuses it",
			Do:   "Run readinessd migrate up as a user who may create roles; the service then acts as readiness_app."})
	}
	return append(found, ok("the service acts as %s, who may only add to the log", who)...)
}

// clocks compares the database's clock with this machine's; schedules, previews and tokens depend on both.
func (d *doctor) clocks(ctx context.Context, c *core) []symptom {
	by, err := connections.Ahead(ctx, c.pool)
	if err != nil {
		return failure(err)
	}
	return apart(by)
}

// apart judges how far the database's clock is ahead.
func apart(by time.Duration) []symptom {
	if by = by.Abs(); by < 5*time.Second {
		return ok("the clocks of this machine and of the database agree within 5 seconds")
	}
	v := warning
	if by >= time.Minute {
		v = failing
	}
	return []symptom{{Verdict: v,
		Says: fmt.Sprintf("the clocks of this machine and of the database differ by %s", by.Round(time.Second)),
		Do: "Synchronize both with NTP; tokens, previews and schedules end too early or too late. Work begins at once all the same: the " +
			"database's clock says when a step is due."}}
}

func (d *doctor) views(ctx context.Context, c *core) (found []symptom) {
	last, watermark, err := c.store.Positions(ctx)
	if err != nil {
		return failure(err)
	}
	list, err := c.engine.Progress(ctx, watermark)
	if err != nil {
		return failure(err)
	}
	var now time.Time // by the clock that says when a view moved
	if err := c.pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return failure(err)
	}
	for _, s := range list {
		switch {
		case s.State != projections.Live:
			found = append(found, symptom{Verdict: failing,
				Says: fmt.Sprintf("version %d of the view %s is not built", s.Version, s.View),
				Do:   "Run readinessd projections rebuild --view " + s.View})
		case s.Error != "":
			found = append(found, symptom{Verdict: failing,
				Says: fmt.Sprintf("the view %s fails at its next event: %s", s.View, s.Error),
				Do:   "Install the version that can project it, or run readinessd projections rebuild --view " + s.View})
		case s.Lag > 0 && now.Sub(s.UpdatedAt) > time.Minute:
			found = append(found, symptom{Verdict: warning,
				Says: fmt.Sprintf("the view %s is %d positions behind and has not moved for over a minute", s.View, s.Lag),
				Do:   "See that a process with the worker role runs; readinessd projections status says more."})
		}
	}
	if len(found) > 0 {
		return found
	}
	return ok("all %d views are built and follow; the log is at position %d", len(list), last)
}

func (d *doctor) queue(ctx context.Context, c *core) (found []symptom) {
	var led bool
	var waiting int
	var oldest time.Duration
	err := c.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM river_leader WHERE expires_at > now()), count(*),
		coalesce(clock_timestamp() - min(created_at), interval '0') FROM river_job
		WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled')`).Scan(&led, &waiting, &oldest)
	if err != nil {
		return failure(err)
	}
	if !led {
		v := symptom{Verdict: warning,
			Says: "no process works", Do: "Start a process with the worker role."}
		if waiting > 0 {
			v.Verdict, v.Says = failing, fmt.Sprintf("no process works, and %d steps wait", waiting)
		}
		found = append(found, v)
	}
	if oldest > 5*time.Minute {
		found = append(found, symptom{Verdict: warning,
			Says: fmt.Sprintf("a step of %d has been unfinished for %s", waiting, oldest.Round(time.Second)),
			Do:   "See docs/operating.md, Steps wait."})
	}
	if len(found) > 0 {
		return found
	}
	return ok("a process works; %d steps are unfinished", waiting)
}

// providers checks that this process has the keys that accounts' declared providers name. It asks no provider.
func (d *doctor) providers(ctx context.Context, c *core) (found []symptom) {
	named, err := c.declaredKeys(ctx)
	if err != nil {
		return failure(err)
	}
	for _, n := range named {
		if os.Getenv(n.variable) == "" {
			found = append(found, symptom{Verdict: warning,
				Says: fmt.Sprintf("the AI provider of account %s needs the variable %s, which is not set here", n.account,
					n.variable),
				Do: "Set it for every process with the worker role."})
		}
	}
	if len(found) > 0 {
		return found
	}
	return ok("the keys of %d declared AI providers are set; readiness client providers test asks saved ones", len(named))
}

// people checks that the persons of the accounts can be named, which the check of models needs too.
func (d *doctor) people(ctx context.Context, c *core) []symptom {
	if there, err := hasKey(d.flags.data); err != nil {
		return failure(err)
	} else if !there {
		return []symptom{{Verdict: unknown,
			Says: fmt.Sprintf("the data directory %s has no %s, so people cannot be named", d.flags.data, keyFile),
			Do:   "Run the command with the service's data directory."}}
	}
	secrets, err := openSecrets(d.flags.data)
	if err == nil {
		err = c.know(secrets)
	}
	if err == nil {
		err = c.people.Check(ctx)
	}
	if errors.Is(err, people.ErrOtherKey) {
		c.people = nil
		return []symptom{{Verdict: failing, Says: keyFile + " is not the one under which the people of this database were stored",
			Do: "Restore that file from its backup: with another one the service knows none of them."}}
	}
	if err != nil {
		return failure(err)
	}
	return ok("the people of the accounts can be named")
}

// compareModels lists the models in the folder whose definition the log does not know.
func (d *doctor) compareModels(ctx context.Context, c *core) []symptom {
	if !d.models {
		return nil
	}
	dir, _, err := d.flags.chosen()
	if err != nil || dir == "" {
		return []symptom{{Verdict: unknown,
			Says: "models are compared in a folder only; over Fabric the service sees them as a person",
			Do:   "Assess the models that matter again: an assessment says whether the definition changed."}}
	}
	if c.people == nil {
		return []symptom{{Verdict: unknown, Says: "models are read as the people of the accounts, who cannot be named",
			Do: "Run the command with the service's data directory."}}
	}
	known, err := c.definitions(ctx)
	if err != nil {
		return failure(err)
	}
	var people []item.Person
	assessed := map[uuid.UUID]bool{}
	b := &pgx.Batch{}
	c.views.QueueSeen(b, &people, assessed)
	if err := c.pool.SendBatch(ctx, b).Close(); err != nil {
		return failure(err)
	}
	local, err := folder.Open(dir, folder.Options{Logger: d.Log})
	if err != nil {
		return failure(err)
	}
	var found []symptom
	seen := map[uuid.UUID]bool{}
	for _, person := range people {
		as := item.Caller{Person: person}
		workspaces, err := local.Workspaces(ctx, as)
		if err != nil {
			return append(found, failure(err)...)
		}
		for _, w := range workspaces {
			models, err := local.Items(ctx, as, w.ID, item.SemanticModel)
			if err != nil {
				return append(found, failure(err)...)
			}
			for _, m := range models {
				if seen[m.ID] || !assessed[m.ID] {
					continue
				}
				seen[m.ID] = true
				if def, err := local.Definition(ctx, as, m); err != nil || known[def.Hash()] {
					continue // one that cannot be read says so when it is assessed
				}
				found = append(found, symptom{Verdict: warning,
					Says: fmt.Sprintf("the log does not know the definition of %s in %s (%s)", m.DisplayName, w.DisplayName, m.ID),
					Do: "If the database was restored to the past, the data to revert later writes is gone: compare it with " +
						"its repository. Otherwise people changed it: assess it again."})
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	return ok("the log knows the definitions of all %d models that it has seen", len(seen))
}

// named is the variable with the key of an account's declared provider.
type named struct{ account, variable string }

// declaredKeys returns the variables that the accounts' declared providers need.
func (c *core) declaredKeys(ctx context.Context) ([]named, error) {
	rows, _ := c.pool.Query(ctx, `SELECT DISTINCT ON (account_id) account_id, coalesce(data ->> 'text', '') FROM events
		WHERE stream LIKE 'account-%' AND type LIKE 'account.document-%' AND data ->> 'name' = $1
		ORDER BY account_id, position DESC`, account.AIProviderDocument)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Account, Document string }])
	var keys []named
	for _, a := range all {
		if variable := keyVariable(a.Document); variable != "" {
			keys = append(keys, named{a.Account, variable})
		}
	}
	return keys, err
}

// keyVariable returns the variable that a declared provider's document names; "" if it needs none.
func keyVariable(document string) string {
	var p account.AIProvider
	if json.Unmarshal([]byte(document), &p) != nil {
		return ""
	}
	return p.APIKeyEnv
}

// definitions returns the hashes of all definitions that the log knows.
func (c *core) definitions(ctx context.Context) (map[string]bool, error) {
	rows, _ := c.pool.Query(ctx, `SELECT DISTINCT found[1] FROM events,
		regexp_matches(data::text, '"(?:definitionHash|writtenHash)" *: *"([^"]+)"', 'g') found`)
	known := map[string]bool{}
	var hash string
	_, err := pgx.ForEachRow(rows, []any{&hash}, func() error { known[hash] = true; return nil })
	return known, err
}
