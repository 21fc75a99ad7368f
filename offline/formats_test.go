package offline_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"readiness/domain/readiness"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/report/junit"
	"readiness/offline/report/sarif"
	"readiness/offline/report/webpage"
	"readiness/test/samples"
)

// formats are the writers of an assessment.
var formats = map[string]func(io.Writer, *offline.Assessment) error{
	"table.txt": func(w io.Writer, a *offline.Assessment) error {
		return report.WriteTable(w, a, report.Screen{Width: 120, Listing: report.Listing{Top: 10}})
	},
	"json": offline.WriteJSON,
	"markdown": func(w io.Writer, a *offline.Assessment) error {
		return report.WriteMarkdown(w, a, report.Listing{Top: 10})
	},
	"html":  func(w io.Writer, a *offline.Assessment) error { return webpage.Write(w, a, report.Listing{}) },
	"csv":   func(w io.Writer, a *offline.Assessment) error { return report.WriteCSV(w, a, report.Listing{}) },
	"sarif": sarifOf("1.2.3"),
	"junit.xml": func(w io.Writer, a *offline.Assessment) error {
		return junit.Write(w, a, offline.Gate{FailUnder: new(60)})
	},
}

// few assesses samples of every kind: one nearly ready, a data agent, one in TMSL and one that cannot be read. Some of
// their findings are ignored, and one entry has no effect.
func few(t *testing.T) *offline.Assessment {
	t.Helper()
	read, err := ignores(t, `ignore:
  - {rule: DSC-02, model: Headcount, reason: human resources describe their columns elsewhere}
  - {rule: TYP-02, table: Employees, reason: 'ages <are> | averaged'}
  - {rule: DSC-01, table: Nowhere, reason: it is gone}
`)
	if err != nil {
		t.Fatal(err)
	}
	read.Path = "ignore.yaml"
	return assess(t, offline.AssessOptions{Ignores: read}, samplesRoot,
		workspaces+"/Retail Analytics/Retail Sales.SemanticModel", workspaces+"/Retail Analytics/Sales Assistant.DataAgent",
		workspaces+"/Corporate Functions/People", workspaces+"/Corporate Functions/Archive")
}

// Golden files hold every format of a few samples, and the formats for people of all samples.
func TestFormats(t *testing.T) {
	t.Parallel()
	all := assess(t, offline.AssessOptions{}, samplesRoot, workspaces)
	some := few(t)
	some.Warnings = slices.DeleteFunc(some.Warnings, func(w offline.Warning) bool { return w.File != "ignore.yaml" })
	for name, write := range formats {
		golden(t, "few."+name, written(t, func(b *bytes.Buffer) error { return write(b, some) }))
		if name == "table.txt" || name == "markdown" {
			golden(t, "samples."+name, written(t, func(b *bytes.Buffer) error { return write(b, all) }))
		}
	}
}

// The keys by which the program knows findings about a model itself, such as #INSTRUCTIONS, are in no format for people.
func TestNoKeysBeforePeople(t *testing.T) {
	t.Parallel()
	keys := regexp.MustCompile(`#(INSTRUCTIONS|[A-Z]{3}-[0-9])`)
	some := few(t)
	all := maps.Clone(formats)
	all["comment"] = func(w io.Writer, a *offline.Assessment) error {
		return report.WriteComment(w, a, report.Listing{All: true})
	}
	all["github"] = func(w io.Writer, a *offline.Assessment) error { return report.WriteGitHub(w, a, report.Listing{}) }
	all["azure"] = func(w io.Writer, a *offline.Assessment) error { return report.WriteAzure(w, a, report.Listing{}) }
	all["every finding"] = func(w io.Writer, a *offline.Assessment) error {
		return report.WriteTable(w, a, report.Screen{Width: 120, Listing: report.Listing{All: true}})
	}
	for name, write := range all {
		text := written(t, func(b *bytes.Buffer) error { return write(b, some) })
		if found := keys.Find(text); (found != nil) != (name == "json") { // programs read JSON, and need them
			t.Errorf("%s: got %q", name, found)
		}
	}
}

// sarifSchema returns the published schema without its descriptions.
func sarifSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile("testdata/sarif-2.1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sarifLog holds the checked members of a log.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID   string
					Name string
				}
			}
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []json.RawMessage
		}
		Results []sarifResult
	}
}

type sarifResult struct {
	RuleID, Level       string
	RuleIndex           int
	BaselineState       string
	PartialFingerprints map[string]string
	Suppressions        []struct{ Kind, Justification string }
	Locations           []struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI, URIBaseID string }
			Region           struct{ StartLine int }
		}
	}
}

// validSARIF reads a log and validates it: by the schema, and its references by the text of the standard.
func validSARIF(t testing.TB, schema *jsonschema.Schema, data []byte) sarifLog {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(parsed); err != nil {
		t.Errorf("not SARIF: %v", err)
	}
	var log sarifLog
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	rules := log.Runs[0].Tool.Driver.Rules
	prints := map[string]bool{}
	for _, r := range log.Runs[0].Results {
		if rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("the rule %s has index %d, where %s is", r.RuleID, r.RuleIndex, rules[r.RuleIndex].ID)
		}
		at := r.Locations[0].PhysicalLocation
		if u, err := url.Parse(at.ArtifactLocation.URI); err != nil || u.IsAbs() || strings.HasPrefix(u.Path, "/") || strings.Contains(u.Path, `\`) || at.Region.StartLine < 1 || at.ArtifactLocation.URIBaseID != "%SRCROOT%" {
			t.Errorf("the place %+v: %v", at, err)
		}
		if print := r.PartialFingerprints["readinessFinding/v1"]; prints[print] || print == "" {
			t.Errorf("two results of %s have the fingerprint %q", at.ArtifactLocation.URI, print)
		} else {
			prints[print] = true
		}
	}
	return log
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	schema := sarifSchema(t)
	log := validSARIF(t, schema, written(t, func(b *bytes.Buffer) error { return sarifOf("1.2.3")(b, few(t)) }))
	run := log.Runs[0]
	suppressed := 0
	for _, r := range run.Results {
		for _, s := range r.Suppressions {
			suppressed++
			if s.Kind != "external" || s.Justification == "" {
				t.Errorf("%s is suppressed by %+v", r.RuleID, s)
			}
		}
	}
	if suppressed == 0 || run.Invocations[0].ExecutionSuccessful || len(run.Invocations[0].ToolExecutionNotifications) != 1 {
		t.Errorf("%d suppressed, invocation %+v", suppressed, run.Invocations[0])
	}
	names := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		if names[r.Name] || r.Name == "" || strings.ContainsFunc(r.Name, func(c rune) bool { return !unicode.IsLetter(c) }) {
			t.Errorf("the rule %s is called %q", r.ID, r.Name)
		}
		names[r.Name] = true
	}
	if len(names) != len(readiness.Current().Rules()) {
		t.Errorf("got %d rules, want those of the regime", len(names))
	}
	for name, root := range map[string]string{"samples": workspaces, "nothing found": files(t, map[string]string{"E.SemanticModel/definition/model.tmdl": "<"}), "a strange name": files(t, map[string]string{
		"a%20b: #1?/é \"x\".SemanticModel/definition/tables/T.tmdl": "table 'A [b] ''c'''\n\tcolumn 'x]y'\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n",
	})} {
		a := assess(t, offline.AssessOptions{}, root)
		log := validSARIF(t, schema, written(t, func(b *bytes.Buffer) error { return sarifOf("")(b, a) }))
		for i, r := range log.Runs[0].Results {
			u, err := url.Parse(r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(root + "/" + strings.TrimPrefix(u.Path, "./")); err != nil {
				t.Errorf("%s: result %d has an invalid place: %v", name, i, err)
			}
		}
	}
}

// sarifOf writes every result.
func sarifOf(version string) func(io.Writer, *offline.Assessment) error {
	return func(w io.Writer, a *offline.Assessment) error {
		_, err := sarif.Write(w, a, version, 0)
		return err
	}
}

// If there are more results than the limit, the heaviest are kept in the original order, and the report states how many
// are missing.
func TestSARIFLimit(t *testing.T) {
	t.Parallel()
	schema, a := sarifSchema(t), few(t)
	all := validSARIF(t, schema, written(t, func(b *bytes.Buffer) error { return sarifOf("")(b, a) })).Runs[0].Results
	for limit, left := range map[int]int{0: 0, 1: len(all) - 1, len(all) / 2: len(all) - len(all)/2, len(all) - 1: 1, len(all): 0, len(all) + 1: 0} {
		var b bytes.Buffer
		got, err := sarif.Write(&b, a, "", limit)
		if err != nil || got != left {
			t.Fatalf("limit %d: %d were omitted, %v, want %d", limit, got, err, left)
		}
		run := validSARIF(t, schema, b.Bytes()).Runs[0]
		if len(run.Results) != len(all)-left {
			t.Fatalf("limit %d: %d results, want %d", limit, len(run.Results), len(all)-left)
		}
		if says := strings.Contains(b.String(), fmt.Sprintf("omits the %d least important of %d results", left, len(all))); says != (left > 0) {
			t.Errorf("limit %d: the report states that results were omitted: %v", limit, says)
		}
		weight := func(r sarifResult) int {
			if len(r.Suppressions) > 0 {
				return 0
			}
			return map[string]int{"note": 1, "warning": 2, "error": 3}[r.Level]
		}
		kept, at, lightest := map[string]bool{}, 0, 3
		for _, r := range run.Results {
			for all[at].PartialFingerprints["readinessFinding/v1"] != r.PartialFingerprints["readinessFinding/v1"] {
				if at++; at == len(all) {
					t.Fatalf("limit %d: the results are in another order", limit)
				}
			}
			kept[r.PartialFingerprints["readinessFinding/v1"]] = true
			lightest = min(lightest, weight(r))
		}
		for _, r := range all {
			if !kept[r.PartialFingerprints["readinessFinding/v1"]] && weight(r) > lightest {
				t.Errorf("limit %d: %s of level %s was omitted, and a lighter one kept", limit, r.RuleID, r.Level)
			}
		}
	}
}

// A schema that accepts everything would prove nothing.
func TestTheSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := sarifSchema(t)
	complete := string(written(t, func(b *bytes.Buffer) error { return sarifOf("1.2.3")(b, few(t)) }))
	for name, change := range map[string][2]string{
		"a level of ours":   {`"level": "note"`, `"level": "low"`},
		"an unknown member": {`"automationDetails"`, `"automationDetail"`},
		"line 0":            {`"startLine": 1`, `"startLine": 0`},
		"another version":   {`"version": "2.1.0"`, `"version": "2.2"`},
		"a rank of words":   {`"rank": `, `"rank": "high", "x": `},
		"no message":        {`"message": {`, `"messages": {`},
		"a suppression":     {`"kind": "external"`, `"kind": "ignored"`},
	} {
		changed := strings.Replace(complete, change[0], change[1], 1)
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(changed))
		if err != nil || changed == complete {
			t.Fatalf("%s: %v", name, err)
		}
		if schema.Validate(parsed) == nil {
			t.Errorf("%s is valid", name)
		}
	}
}

// A finding has the same fingerprints wherever its lines are and whatever else is found about its object.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	const sales = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	schema := sarifSchema(t)
	prints := func(byPath map[string]string) (all, lines []string) {
		a := assess(t, offline.AssessOptions{}, files(t, byPath))
		for _, r := range validSARIF(t, schema, written(t, func(b *bytes.Buffer) error { return sarifOf("")(b, a) })).Runs[0].Results {
			all = append(all, r.PartialFingerprints["readinessFinding/v1"]+r.PartialFingerprints["primaryLocationLineHash"])
			lines = append(lines, fmt.Sprint(r.Locations[0].PhysicalLocation.Region.StartLine))
		}
		slices.Sort(all)
		return all, lines
	}
	before, lines := prints(shop)
	moved, other := prints(with(shop, sales, "\n\n"+shop[sales]))
	if !slices.Equal(before, moved) || slices.Equal(lines, other) {
		t.Error("fingerprints change when lines move")
	}
	more, _ := prints(with(shop, sales, strings.Replace(shop[sales], "\t\tformatString: #,0\n", "", 1)))
	for _, one := range before {
		if !slices.Contains(more, one) {
			t.Error("a fingerprint changes with another finding")
		}
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	a := few(t)
	data := written(t, func(b *bytes.Buffer) error { return junit.Write(b, a, offline.Gate{FailUnder: new(70)}) })
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suites   []struct {
			Name    string `xml:"name,attr"`
			Tests   int    `xml:"tests,attr"`
			Skipped int    `xml:"skipped,attr"`
			Cases   []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(data, &suites); err != nil {
		t.Fatal(err)
	}
	tests, failures, failed, skipped := 0, 0, 0, 0
	for _, s := range suites.Suites {
		tests += s.Tests
		skipped += s.Skipped
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures++
			}
			if c.Error != nil {
				failed++
			}
			if c.Name == "score" && (c.Failure != nil) != strings.Contains(s.Name, "Headcount") {
				t.Errorf("the score of %s: %+v", s.Name, c)
			}
		}
	}
	if len(suites.Suites) != 4 || tests != suites.Tests || failures != suites.Failures || failed != 1 || suites.Errors != 1 || failures == 0 || failures == tests-1 || skipped == 0 {
		t.Errorf("got %d suites, %d tests, %d failures, %d errors, %d skipped; reported %d, %d, %d", len(suites.Suites), tests, failures, failed, skipped, suites.Tests, suites.Failures, suites.Errors)
	}
}

// strange is a model with names that try to break reports.
func strange(t *testing.T) *offline.Assessment {
	t.Helper()
	return assess(t, offline.AssessOptions{}, files(t, map[string]string{
		"S\x1b[31m|<b>.SemanticModel/definition/tables/T.tmdl": "table '</testsuite>|<script>`*\x1b[31mred'\n\tcolumn 'a|b _c_ \u202e ]]> \x01'\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n\n\tmeasure '[x](y)' = 1\n",
	}))
}

func TestStrangeNames(t *testing.T) {
	t.Parallel()
	a := strange(t)
	if len(a.Items[0].Findings) == 0 {
		t.Fatalf("there are no findings: %v", a.Items[0].Error)
	}
	for name, write := range formats {
		got := string(written(t, func(b *bytes.Buffer) error { return write(b, a) }))
		if strings.Contains(got, "\x1b") || strings.Contains(got, "\x01") || !utf8.ValidString(got) {
			t.Errorf("%s holds control characters", name)
		}
		switch name {
		case "markdown":
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "| ") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 7 && strings.Contains(line, `\<script\>`) {
					t.Errorf("the row breaks: %s", line)
				}
			}
			if strings.Contains(got, "<script>") || strings.Contains(got, "[[x](y)]") {
				t.Error("a name became markup")
			}
		case "junit.xml":
			if err := xml.Unmarshal([]byte(got), new(struct{})); err != nil {
				t.Error(err)
			}
		case "json":
			if !json.Valid([]byte(got)) {
				t.Error("not JSON")
			}
		}
	}
}

// A table is no wider than the screen, and colored only if enabled.
func TestTableFitsItsScreen(t *testing.T) {
	t.Parallel()
	a := assess(t, offline.AssessOptions{}, samplesRoot, workspaces)
	for _, width := range []int{60, 80, 117, 200} {
		for _, color := range []bool{false, true} {
			boxed := 0
			got := string(written(t, func(b *bytes.Buffer) error {
				return report.WriteTable(b, a, report.Screen{Width: width, Terminal: color, Color: color})
			}))
			if strings.Contains(got, "\x1b[") != color {
				t.Errorf("color %t: the table has, or lacks, colors", color)
			}
			for line := range strings.Lines(got) {
				line = strings.TrimSuffix(line, "\n")
				if strings.IndexAny(line, "|+│┌├└") == 0 {
					boxed++
				}
				if strings.IndexAny(line, "|+│┌├└") == 0 && text.StringWidthWithoutEscSequences(line) > width {
					t.Fatalf("width %d: a line has %d characters: %s", width, text.StringWidthWithoutEscSequences(line), line)
				}
			}
			bar := map[bool]string{false: "....................", true: "░░░░░░░░░░░░░░░░░░░░"}[color]
			if width < 80 {
				bar = strings.Repeat(string([]rune(bar)[0]), 10)
			}
			if !strings.Contains(got, bar+" ") {
				t.Errorf("width %d: the bar of an empty dimension is broken", width)
			}
			if boxed == 0 || !strings.Contains(got, " model.tmdl:1 ") && !strings.Contains(got, "/model.tmdl:1 ") {
				t.Errorf("width %d: %d lines of tables, in which a file's name is broken", width, boxed)
			}
		}
	}
	few := string(written(t, func(b *bytes.Buffer) error {
		return report.WriteTable(b, a, report.Screen{Width: 100, Listing: report.Listing{Top: 2}})
	}))
	if !strings.Contains(few, "; --top 0 shows all rules, --all every finding") {
		t.Error("omitted findings are not counted")
	}
}

// In real projects every format can be written, and SARIF is valid.
func TestCorpus(t *testing.T) {
	t.Parallel()
	corpus, _ := samples.Corpus(t)
	a := assess(t, offline.AssessOptions{}, corpus)
	if len(a.Items) < 11 || a.Unreadable() > 4 {
		t.Errorf("%d items, %d unreadable", len(a.Items), a.Unreadable())
	}
	for _, i := range a.Items {
		if i.Error != nil && strings.Contains(i.Error.Error(), "a bug in this program") {
			t.Errorf("%s: %v", i.Path, i.Error)
		}
	}
	for name, write := range formats {
		got := written(t, func(b *bytes.Buffer) error { return write(b, a) })
		switch name {
		case "sarif":
			validSARIF(t, sarifSchema(t), got)
		case "junit.xml":
			if err := xml.Unmarshal(got, new(struct{})); err != nil {
				t.Error(err)
			}
		}
	}
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(corpus)); err != nil {
		t.Fatal(err)
	}
	if n := thereAndBack(t, root, embedded()); n < 8 {
		t.Errorf("only %d models were written", n)
	}
}
