package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"readiness/internal/postgres"
)

// Script is a script for pgbench: statements that the service sent once, changed so
// that every client of pgbench can repeat them.
//
// In its expressions, :client is the client's number from 10. :made is how often
// the client has sent the statements. :n is a number of twelve digits that is
// unique per sending.
type Script struct {
	Statements []Statement
	// Replace lists the texts within arguments to replace.
	Replace []Replacement
	// Argument returns an expression for an argument that cannot be made by
	// replacing texts, or "".
	Argument func(s Statement, n int) string

	sent int // by each client
}

// Replacement is a text and the SQL expression that replaces it.
type Replacement struct{ Text, Expression string }

// head sets the counters. A client's variables persist between sendings.
const head = `\set client 10 + :client_id
\set n 100000000000 + :client_id * 1000000 + :made
`

var (
	comment     = regexp.MustCompile(`(?m)--.*$`)
	placeholder = regexp.MustCompile(`\$(\d+)`)
)

// text returns the script in pgbench's format, and its variables. Every argument is
// a parameter of a prepared statement, as when the service sends it.
func (s *Script) text(ctx context.Context, conn *pgx.Conn) (script string, variables map[string]string, err error) {
	var b strings.Builder
	b.WriteString(head)
	variables = map[string]string{"made": fmt.Sprint(s.sent)}
	batch := 0
	for i, one := range s.Statements {
		if one.Batch != batch {
			if batch > 0 {
				b.WriteString("\\endpipeline\n")
			}
			if batch = one.Batch; batch > 0 {
				b.WriteString("\\startpipeline\n")
			}
		}
		arguments := make([]string, len(one.Args))
		if len(arguments) > 0 {
			if err := s.arguments(ctx, conn, i, one, arguments, variables); err != nil {
				return "", nil, fmt.Errorf("bench: %s: %w", one.SQL, err)
			}
		}
		sql := placeholder.ReplaceAllStringFunc(comment.ReplaceAllString(one.SQL, ""), func(p string) string {
			n, _ := strconv.Atoi(p[1:])
			return arguments[n-1]
		})
		b.WriteString(strings.TrimRight(strings.TrimSpace(sql), ";") + ";\n")
	}
	if batch > 0 {
		b.WriteString("\\endpipeline\n")
	}
	b.WriteString("\\set made :made + 1\n")
	return b.String(), variables, nil
}

// arguments fills in the expressions of a statement's arguments.
func (s *Script) arguments(ctx context.Context, conn *pgx.Conn, at int, one Statement, arguments []string,
	variables map[string]string) error {
	described, err := conn.Prepare(ctx, "", one.SQL)
	if err != nil {
		return err
	}
	for n, value := range one.Args {
		oid := described.ParamOIDs[n]
		var name string
		if err := conn.QueryRow(ctx, "SELECT format_type($1::oid, NULL)", oid).Scan(&name); err != nil {
			return err
		}
		if s.Argument != nil {
			if expression := s.Argument(one, n); expression != "" {
				arguments[n] = fmt.Sprintf("(%s)::%s", expression, name)
				continue
			}
		}
		text, err := conn.TypeMap().Encode(oid, pgx.TextFormatCode, value, nil)
		if err != nil {
			return err
		}
		if text == nil {
			arguments[n] = "NULL::" + name
			continue
		}
		variable := fmt.Sprintf("a%d_%d", at, n)
		variables[variable] = string(text)
		expression, replaced := ":"+variable+"::text", false
		for _, r := range s.Replace {
			if strings.Contains(string(text), r.Text) {
				expression, replaced = fmt.Sprintf("replace(%s, '%s', (%s)::text)", expression, r.Text, r.Expression), true
			}
		}
		if !replaced {
			expression = ":" + variable
		}
		arguments[n] = fmt.Sprintf("(%s)::%s", expression, name)
	}
	return nil
}

// NoPgbench is the error when pgbench is not installed.
type NoPgbench struct{ error }

var (
	tps    = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)
	failed = regexp.MustCompile(`number of failed transactions: ([0-9]+)`)
)

// Run has clients of pgbench send the script times times each, to the database at
// url, and returns the rate per second. The error is a NoPgbench if pgbench is not
// installed.
func (s *Script) Run(ctx context.Context, url string, clients, times int) (perSecond float64, err error) {
	times = max(1, times)
	program, err := postgres.FindProgram("pgbench")
	if err != nil {
		return 0, NoPgbench{err}
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	script, variables, err := s.text(ctx, conn)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return 0, err
	}
	args := []string{"--no-vacuum", "--protocol=prepared", "--jobs=2", fmt.Sprint("--client=", clients),
		fmt.Sprint("--transactions=", times), "--file=" + file}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		args = append(args, fmt.Sprintf("--define=%s=%s", name, variables[name]))
	}
	cmd := exec.CommandContext(ctx, program, append(args, url)...)
	var said, complained strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &complained
	err = cmd.Run()
	s.sent += times
	rate, failures := tps.FindStringSubmatch(said.String()), failed.FindStringSubmatch(said.String())
	if err != nil || rate == nil || failures != nil && failures[1] != "0" {
		return 0, errors.Join(errors.New("bench: pgbench could not send all statements: "+complained.String()+said.String()), err)
	}
	return strconv.ParseFloat(rate[1], 64)
}
