package migrations

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Schema says how a database's schema differs from the one that Up makes.
type Schema struct {
	// Missing are the steps that the database lacks.
	Missing []Step
	// Newer are the steps that only a newer program has.
	Newer []Step
	// Empty reports that the database has no step at all.
	Empty bool
}

// Read returns how the schema of a database differs from this program's. It needs no more than the rights of the application's role.
func Read(ctx context.Context, q interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (Schema, error) {
	known, err := steps()
	if err != nil {
		return Schema{}, err
	}
	var applied, queued []int
	for _, of := range []struct {
		table, sql string
		versions   *[]int
	}{
		{"schema_versions", `SELECT coalesce(array_agg(version_id ORDER BY 1), '{}') FROM schema_versions WHERE is_applied AND version_id > 0`, &applied},
		{"river_migration", `SELECT coalesce(array_agg(version ORDER BY 1), '{}') FROM river_migration WHERE line = 'main'`, &queued},
	} {
		var exists bool
		err := q.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, of.table).Scan(&exists)
		if err == nil && exists {
			err = q.QueryRow(ctx, of.sql).Scan(of.versions)
		}
		if err != nil {
			return Schema{}, fmt.Errorf("migrations: read the version of the schema: %w", err)
		}
	}
	return compare(known, applied, queued), nil
}

// steps returns every step of this program in the order in which Up applies them, none of them applied.
func steps() ([]Step, error) {
	names, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	var all []Step
	for _, n := range names {
		number, _, _ := strings.Cut(n.Name(), "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("migrations: the name %s does not begin with a number: %w", n.Name(), err)
		}
		all = append(all, Step{Component: own, Version: version, Name: n.Name()})
	}
	queue, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return nil, fmt.Errorf("migrations of the job queue: %w", err)
	}
	for _, m := range queue.AllVersions() {
		all = append(all, Step{Component: river, Version: m.Version, Name: m.Name})
	}
	return all, nil
}

// compare compares the steps of this program with the versions that a database has.
func compare(known []Step, applied, queued []int) Schema {
	s := Schema{Empty: len(applied)+len(queued) == 0}
	has := map[string]map[int]bool{own: {}, river: {}}
	for component, versions := range map[string][]int{own: applied, river: queued} {
		for _, v := range versions {
			has[component][v] = true
		}
	}
	for _, step := range known {
		if !has[step.Component][step.Version] {
			s.Missing = append(s.Missing, step)
		}
		delete(has[step.Component], step.Version)
	}
	for _, of := range []struct {
		component string
		versions  []int
	}{{own, applied}, {river, queued}} {
		for _, v := range of.versions {
			if has[of.component][v] {
				s.Newer = append(s.Newer, Step{Component: of.component, Version: v, Name: "of a newer program", Applied: true, Newer: true})
			}
		}
	}
	return s
}

// Behind returns an error that says what to run if the database lacks steps.
func (s Schema) Behind() error {
	switch {
	case s.Empty:
		return errors.New("the database has no tables of the service yet; make them: readinessd migrate up")
	case len(s.Missing) > 0:
		return fmt.Errorf("the schema of the database is that of an earlier version: %d migrations are missing, the first is %s; "+
			"run this version's readinessd migrate up, then readinessd projections build (docs/operating.md, Upgrading)", len(s.Missing), s.Missing[0].Name)
	}
	return nil
}

// Ahead says what a newer schema means; it is empty for one that this program makes.
func (s Schema) Ahead() string {
	if len(s.Newer) == 0 {
		return ""
	}
	first := s.Newer[0]
	return fmt.Sprintf("the schema of the database is that of a newer version (it has migration %d of %s, which this program does not know); "+
		"use the program that made it, which readinessd migrate status shows, unless it is the version right after this one", first.Version,
		first.Component)
}
