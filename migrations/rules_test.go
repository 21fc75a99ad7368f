package migrations_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/migrations"
)

// ruled is the number of the first migration that follows the rules of docs/operating.md (Upgrading): a version and the one before it run
// on one database while it is upgraded, and no call waits for a migration longer than three seconds.
const ruled = 14

// unused is the comment with which a migration drops something: the release since which no program uses it.
var unused = regexp.MustCompile(`(?m)^-- unused since v\d+\.\d+\.\d+: (\S+)$`)

var (
	dollars    = regexp.MustCompile(`(?s)\$(\w*)\$.*?\$\w*\$`)
	comments   = regexp.MustCompile(`--[^\n]*`)
	spaces     = regexp.MustCompile(`\s+`)
	createsOn  = regexp.MustCompile(`(?i)^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*?\bON (?:ONLY )?(\w+)`)
	drops      = regexp.MustCompile(`(?i)\bDROP (TABLE|COLUMN|VIEW|FUNCTION|SEQUENCE|TYPE|CONSTRAINT|TRIGGER|NOT NULL|DEFAULT)\b(?: IF EXISTS)?\s*(\w*)`)
	dropsIndex = regexp.MustCompile(`(?i)^DROP INDEX (CONCURRENTLY )?`)
	changes    = regexp.MustCompile(`(?i)\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b`)
	tightens   = regexp.MustCompile(`(?i)\bSET NOT NULL\b`)
	renames    = regexp.MustCompile(`(?i)\bRENAME\b`)
	adds       = regexp.MustCompile(`(?i)\bADD (?:COLUMN )?(?:IF NOT EXISTS )?(\w+) [^,]*?\bNOT NULL\b[^,]*`)
	validates  = regexp.MustCompile(`(?i)\bADD (?:CONSTRAINT \w+ )?(?:FOREIGN KEY|CHECK|UNIQUE|PRIMARY KEY|EXCLUDE)\b`)
	waits      = regexp.MustCompile(`(?i)^SET LOCAL lock_timeout = '[123]s'$`)
)

// broken returns the rules that the migration breaks.
func broken(text string) (problems []string) {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	alone := strings.Contains(up, "-- +goose NO TRANSACTION")
	var dropped []string
	for _, found := range unused.FindAllStringSubmatch(up, -1) {
		dropped = append(dropped, found[1])
	}
	patient := false
	for statement := range strings.SplitSeq(comments.ReplaceAllString(dollars.ReplaceAllString(up, "''"), ""), ";") {
		statement = strings.TrimSpace(spaces.ReplaceAllString(statement, " "))
		refuse := func(why string) { problems = append(problems, fmt.Sprintf("%s: %s", statement, why)) }
		patient = patient || waits.MatchString(statement)
		if on := createsOn.FindStringSubmatch(statement); on != nil {
			switch log := on[2] == "events" || on[2] == "streams"; {
			case on[1] != "" && !alone:
				refuse("CONCURRENTLY needs -- +goose NO TRANSACTION")
			case on[1] == "" && log:
				refuse("appends wait until the index is built: CREATE INDEX CONCURRENTLY")
			}
		}
		if index := dropsIndex.FindStringSubmatch(statement); index != nil && index[1] == "" {
			refuse("everything waits for the table: DROP INDEX CONCURRENTLY")
		}
		for _, drop := range drops.FindAllStringSubmatch(statement, -1) {
			if !slices.Contains(dropped, drop[2]) || drop[2] == "" {
				refuse("the version before may use it: say -- unused since vX.Y.Z: " + drop[2])
			}
		}
		for _, rule := range []struct {
			what *regexp.Regexp
			why  string
		}{
			{changes, "the table is rewritten, and the version before reads the earlier type: add a column"},
			{tightens, "the table is read under a lock, and the version before writes NULL"},
			{renames, "the version before uses the earlier name"},
		} {
			if rule.what.MatchString(statement) {
				refuse(rule.why)
			}
		}
		for _, column := range adds.FindAllString(statement, -1) {
			if strings.HasPrefix(strings.ToUpper(statement), "ALTER TABLE") && !strings.Contains(strings.ToUpper(column), "DEFAULT") {
				refuse("the version before does not write the column: give it a DEFAULT")
			}
		}
		if strings.HasPrefix(strings.ToUpper(statement), "ALTER TABLE") {
			if validates.MatchString(statement) && !strings.Contains(strings.ToUpper(statement), "NOT VALID") {
				refuse("the table is read under a lock: add the constraint NOT VALID")
			}
			if !alone && !patient {
				refuse("calls wait behind it: begin with SET LOCAL lock_timeout = '3s', and Up repeats it")
			}
		}
	}
	return problems
}

func TestMigrationsFollowTheRules(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil || len(names) < ruled {
		t.Fatalf("got %d migrations, %v", len(names), err)
	}
	for i, name := range names {
		if number, err := strconv.Atoi(name[:4]); err != nil || number != i+1 {
			t.Errorf("%s is migration %d", name, i+1)
		}
		text, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if i+1 < ruled {
			continue
		}
		for _, problem := range broken(string(text)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

func TestRulesOfMigrations(t *testing.T) {
	t.Parallel()
	const up, alone, patient = "-- +goose Up\n", "-- +goose NO TRANSACTION\n-- +goose Up\n", "-- +goose Up\nSET LOCAL lock_timeout = '3s';\n"
	for name, row := range map[string]struct {
		text string
		want []string // what each problem says
	}{
		"a new table":                     {up + "CREATE TABLE a (x int NOT NULL, PRIMARY KEY (x));\nCREATE INDEX a_x ON a (x);", nil},
		"an index on the log":             {up + "CREATE INDEX i ON events (type);", []string{"CREATE INDEX CONCURRENTLY"}},
		"a unique one on streams":         {up + "create unique index if not exists i\n  on streams (type);", []string{"CREATE INDEX CONCURRENTLY"}},
		"concurrently in a transaction":   {up + "CREATE INDEX CONCURRENTLY i ON events (type);", []string{"NO TRANSACTION"}},
		"concurrently":                    {alone + "CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON events (type);", nil},
		"another type":                    {patient + "ALTER TABLE a ALTER COLUMN x TYPE bigint;", []string{"rewritten"}},
		"another type, long":              {patient + "ALTER TABLE a ALTER x SET DATA TYPE bigint;", []string{"rewritten"}},
		"a column":                        {patient + "ALTER TABLE a ADD COLUMN y int;", nil},
		"a column that must be given":     {patient + "ALTER TABLE a ADD COLUMN y int NOT NULL;", []string{"DEFAULT"}},
		"the second one":                  {patient + "ALTER TABLE a ADD y int DEFAULT 1 NOT NULL, ADD z text NOT NULL;", []string{"DEFAULT"}},
		"a column with a default":         {patient + "ALTER TABLE a ADD COLUMN IF NOT EXISTS y int NOT NULL DEFAULT 0;", nil},
		"SET NOT NULL":                    {patient + "ALTER TABLE a ALTER COLUMN x SET NOT NULL;", []string{"writes NULL"}},
		"without a limit on the lock":     {up + "ALTER TABLE a ADD COLUMN y int;", []string{"lock_timeout"}},
		"with too long a limit":           {up + "SET LOCAL lock_timeout = '30s';\nALTER TABLE a ADD COLUMN y int;", []string{"lock_timeout"}},
		"a limit after it":                {up + "ALTER TABLE a ADD COLUMN y int;\nSET LOCAL lock_timeout = '3s';", []string{"lock_timeout"}},
		"a constraint that reads all":     {patient + "ALTER TABLE a ADD CONSTRAINT c CHECK (x > 0);", []string{"NOT VALID"}},
		"a constraint that reads nothing": {patient + "ALTER TABLE a ADD CONSTRAINT c CHECK (x > 0) NOT VALID;", nil},
		"a table that goes":               {up + "DROP TABLE a;", []string{"unused since"}},
		"a table that no one uses":        {"-- unused since v1.2.0: a\n" + up + "DROP TABLE IF EXISTS a;", nil},
		"another one goes":                {"-- unused since v1.2.0: a\n" + up + "DROP TABLE a;\nDROP TABLE b;", []string{"unused since"}},
		"a column that goes":              {patient + "ALTER TABLE a DROP COLUMN x;", []string{"unused since"}},
		"a rename":                        {patient + "ALTER TABLE a RENAME COLUMN x TO y;", []string{"earlier name"}},
		"an index that goes":              {up + "DROP INDEX i;", []string{"DROP INDEX CONCURRENTLY"}},
		"an index that goes slowly":       {alone + "DROP INDEX CONCURRENTLY IF EXISTS i;", nil},
		"only comments":                   {up + "-- DROP TABLE a; CREATE INDEX i ON events (x);\nSELECT 1;", nil},
		"inside a function":               {up + "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DROP TABLE a; END $$;", nil},
		"only on the way down":            {up + "CREATE TABLE a (x int);\n-- +goose Down\nDROP TABLE a;", nil},
		"two rules at once":               {up + "ALTER TABLE a DROP COLUMN x, ALTER COLUMN y TYPE text;", []string{"unused since", "rewritten", "lock_timeout"}},
	} {
		got := broken(row.text)
		if len(got) != len(row.want) {
			t.Errorf("%s: got %s", name, cmp.Diff(row.want, got))
			continue
		}
		for i, want := range row.want {
			if !strings.Contains(got[i], want) {
				t.Errorf("%s: got %q, want %q", name, got[i], want)
			}
		}
	}
}
