package folder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition/dax/evaluate"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

const sampledModel = `{"model":{"tables":[
	{"name":"Sales","columns":[{"name":"City","dataType":"string"},{"name":"Amount","dataType":"decimal"},{"name":"Day","dataType":"dateTime"}],
	 "measures":[{"name":"Total","expression":"SUM(Sales[Amount])"},{"name":"Forever","expression":"SUMX(Sales, SUMX(Sales, [Total]))"}]},
	{"name":"Other","columns":[{"name":"A","dataType":"int64"}]}]}}`

// sampled is a folder with a model and sample data.
func sampled(t *testing.T, data map[string]string) (string, *folder.Platform, item.Item) {
	t.Helper()
	all := map[string]string{"M.SemanticModel/model.bim": sampledModel}
	for name, text := range data {
		all["M.SemanticModel/.data/"+name] = text
	}
	root := files(t, all)
	p := open(t, root)
	return root, p, modelIn(t, p)
}

func query(t *testing.T, p *folder.Platform, it item.Item, dax string) (evaluate.Result, error) {
	t.Helper()
	return p.Query(t.Context(), anna, it.WorkspaceID, it.ID, dax, time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC))
}

// proves: decisions/10/sample-data
func TestQuery(t *testing.T) {
	t.Parallel()
	_, p, it := sampled(t, map[string]string{
		"Sales.csv": "\ufeffcity,Amount,Day\r\n\"Rome, old\",1.5,2026-01-31\r\nOslo,,2026-01-30T12:00:00\r\n\"Two\nlines\",2,\r\n", "README.md": "about",
	})
	r, err := query(t, p, it, "EVALUATE ADDCOLUMNS(Sales, \"t\", [Total], \"d\", TODAY())")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range r.Rows {
		for _, v := range row {
			got = append(got, v.String())
		}
	}
	want := []string{"Rome, old", "1.5", "2026-01-31", "1.5", "2026-01-31", "Oslo", "", "2026-01-30 12:00:00", "", "2026-01-31", "Two\nlines", "2", "", "2", "2026-01-31"}
	if diff := cmp.Diff(want, got); diff != "" || r.Engine != "embedded" {
		t.Errorf("by %q (-want +got)\n%s", r.Engine, diff)
	}
	if diff := cmp.Diff([]string{"Sales[City]", "Sales[Amount]", "Sales[Day]", "[t]", "[d]"}, r.Columns); diff != "" {
		t.Error(diff)
	}
}

// proves: decisions/10/sample-refused decisions/10/sample-cut
func TestQueriesThatAreRefused(t *testing.T) {
	t.Parallel()
	_, p, it := sampled(t, map[string]string{"Sales.csv": "Amount\n" + strings.Repeat("1\n", 2000)})
	for dax, want := range map[string]string{
		"EVALUATE ROW(\"x\", RANKX(Sales, 1))":                  "line 1, column 19: the function RANKX is not known",
		"EVALUATE Other":                                        "there are no rows of the table 'Other'",
		"EVALUATE ROW(\"x\", SUM(Sales[City]))":                 "there are no values of the column 'Sales'[City]",
		"EVALUATE CALENDAR(DATE(1901, 1, 1), DATE(2300, 1, 1))": "its result has 145733 rows; a result may have 100000",
	} {
		r, err := query(t, p, it, dax)
		refused(t, dax, err, domain.InvalidRequest)
		if !strings.Contains(err.Error(), want) || r.Rows != nil {
			t.Errorf("%s: got %v, %v, want %s", dax, r.Rows, err, want)
		}
	}
	_, err := p.Query(t.Context(), anna, it.WorkspaceID, uuid.New(), "EVALUATE Sales", time.Time{})
	refused(t, "an unknown model", err, domain.ItemNotFound)
	_, p, it = sampled(t, nil)
	_, err = query(t, p, it, "EVALUATE Sales")
	refused(t, "a model without sample data", err, domain.OperationNotSupportedForItem)
}

// proves: decisions/10/sample-cut
func TestQueriesEndWithTheirTime(t *testing.T) {
	t.Parallel()
	_, p, it := sampled(t, map[string]string{"Sales.csv": "Amount\n1\n"})
	folder.SetQueryTimeout(p, 1)
	r, err := query(t, p, it, "EVALUATE ROW(\"x\", [Total])")
	refused(t, "a query without time", err, domain.InvalidRequest)
	if !strings.Contains(err.Error(), "the query runs longer than 10s") || r.Rows != nil {
		t.Errorf("got %v, %v", r.Rows, err)
	}
}

func TestQueriesEndWithTheirCaller(t *testing.T) {
	t.Parallel()
	_, p, it := sampled(t, map[string]string{"Sales.csv": "Amount\n" + strings.Repeat("1\n", 2000)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := p.Query(ctx, anna, it.WorkspaceID, it.ID, "EVALUATE ROW(\"x\", [Forever])", time.Time{}); err != context.Canceled || r.Rows != nil {
		t.Errorf("got %v, %v", r, err)
	}
}

// A value that cannot be read is named by file, line and column, and nothing is evaluated.
//
// proves: decisions/10/sample-unreadable
func TestSampleDataThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for want, data := range map[string]map[string]string{
		".data/Sales.csv, line 1: it names no columns":                          {"Sales.csv": ""},
		".data/Sales.csv, line 1, column 6: the table has no column \"Town\"":   {"Sales.csv": "City,Town\n"},
		".data/Sales.csv, line 1, column 6: the column \"City\" is named twice": {"Sales.csv": "City,city\n"},
		".data/Sales.csv, line 3, column 6: [Amount] \"much\" is no number":     {"Sales.csv": "City,Amount\nRome,1\nOslo,much\n"},
		".data/Sales.csv, line 2, column 1: [Day] \"31.1.2026\" is no date":     {"Sales.csv": "Day\n31.1.2026\n"},
		".data/Other.csv, line 2, column 1: [A] \"1.5\" is no integer":          {"Other.csv": "A\n1.5\n"},
		".data/Sales.csv, line 3, column 1: wrong number of fields":             {"Sales.csv": "City,Amount\nRome,1\nOslo\n"},
		".data/Sales.csv, line 2, column 4: bare \" in non-quoted-field":        {"Sales.csv": "City\nRom\"e\n"},
		".data/Sales.csv, line 1: it is not UTF-8":                              {"Sales.csv": "City\n\xff\n"},
		".data/Sale.csv has the name of no table":                               {"Sale.csv": "City\n"},
		".data/Sales.csv, line 200002: a table may have 200000 rows":            {"Sales.csv": "Amount\n" + strings.Repeat("1\n", folder.MaxDataRows+1)},
		"its files are together larger than 16777216 bytes":                     {"Sales.csv": "City\n" + strings.Repeat("x", folder.MaxDataBytes)},
		".data/Sales.csv, line 1: a table may have 500 columns":                 {"Sales.csv": strings.Repeat("City,", folder.MaxDataColumns) + "City\n"},
	} {
		_, p, it := sampled(t, data)
		r, err := query(t, p, it, "EVALUATE {1}")
		refused(t, want, err, domain.ItemNotReadable)
		if !strings.Contains(err.Error(), want) || r.Rows != nil {
			t.Errorf("got %v, %v, want %s", r.Rows, err, want)
		}
	}
}

// Links are not followed, out of the folder or within it.
func TestSampleDataBehindLinks(t *testing.T) {
	t.Parallel()
	outside := files(t, map[string]string{"Sales.csv": "City\nSecret\n"})
	root, p, it := sampled(t, map[string]string{"Other.csv": "A\n1\n"})
	at := filepath.Join(root, "M.SemanticModel/.data")
	if err := os.Symlink(filepath.Join(outside, "Sales.csv"), filepath.Join(at, "Sales.csv")); err != nil {
		t.Fatal(err)
	}
	_, err := query(t, p, it, "EVALUATE Sales")
	refused(t, "a linked file", err, domain.ItemNotReadable)
	if err := os.RemoveAll(at); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, at); err != nil {
		t.Fatal(err)
	}
	_, err = query(t, p, it, "EVALUATE Sales")
	refused(t, "a linked folder", err, domain.OperationNotSupportedForItem)
}

// Sample data are no part of a definition: they are not read with it, and not touched when it is written.
//
// proves: decisions/10/sample-no-part
func TestSampleDataAreNoPart(t *testing.T) {
	t.Parallel()
	root, p, it := sampled(t, map[string]string{"Sales.csv": "City\nRome\n"})
	d, err := p.Definition(t.Context(), anna, it)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"model.bim": sampledModel}, parts(d)); diff != "" {
		t.Error(diff)
	}
	changed := d
	changed.Parts = append(changed.Parts[:0:0], d.Parts...)
	changed.Parts[0].Data = []byte(strings.Replace(sampledModel, "Total", "Sum", 1))
	if err := p.WriteDefinition(t.Context(), anna, it, changed, d.Hash()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "M.SemanticModel/.data/Sales.csv"))
	if err != nil || string(text) != "City\nRome\n" {
		t.Errorf("got %q, %v", text, err)
	}
}
