package scenarios

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/testscript"
)

// reportCommands returns the commands about reports and their Pixies.
func reportCommands() map[string]command {
	return map[string]command{
		"report": plain(3, addReport), "reports": plain(3, addReports), "look": plain(2, look), "viewed": plain(3, viewed), "placed": plain(2, placed),
	}
}

// writeReport creates a report of pages with one visual each, on a model of its workspace.
func (w *Service) writeReport(workspace, name, model string, pages int) {
	dir := name + ".Report"
	w.Report(w.T, workspace, dir, name, idOf("report", name), model)
	for n := range pages {
		page := fmt.Sprintf("page%d", n+1)
		at := []string{workspace, dir, "definition", "pages", page}
		w.Write(w.T, fmt.Sprintf(`{"name":%q,"displayName":"Page %d","displayOption":"FitToPage","height":720,"width":1280}`, page, n+1), append(at, "page.json")...)
		w.Write(w.T, `{"name":"v1","position":{"x":1,"y":1,"z":5,"height":10,"width":10,"tabOrder":0},"visual":{"visualType":"card"}}`, append(at, "visuals", "v1", "visual.json")...)
	}
}

// addReport creates a report of two pages, or of the given number.
func addReport(ts *testscript.TestScript, w *Service, args []string) {
	pages := 2
	if len(args) > 3 {
		var err error
		pages, err = strconv.Atoi(args[3])
		ts.Check(err)
	}
	w.writeReport(args[0], args[1], args[2], pages)
	w.named(ts, strings.ReplaceAll(args[1], " ", "_"), idOf("report", args[1]))
}

// addReports creates many reports of one page, $r1 and so on, and the file reports.json with their ids.
func addReports(ts *testscript.TestScript, w *Service, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ids := make([]uuid.UUID, n)
	for i := range ids {
		name := fmt.Sprintf("Report %03d", i+1)
		w.writeReport(args[0], name, args[1], 1)
		ids[i] = idOf("report", name)
		w.named(ts, fmt.Sprintf("r%d", i+1), ids[i])
	}
	text, err := json.Marshal(map[string]any{"reportIds": ids})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("reports.json"), text, 0o644))
}

var pixieAddress = regexp.MustCompile(`https?://[^"'\s]+/p/[0-9a-f]+\.gif`)

// addresses returns the addresses of the Pixies in a report, by page folder.
func (w *Service) addresses(ts *testscript.TestScript, report string) map[string]string {
	found := map[string]string{}
	for path, text := range w.files(ts) {
		dir, part, inside := strings.Cut(path, "/"+report+".Report/definition/pages/")
		if address := pixieAddress.FindString(text); inside && dir != "" && address != "" {
			page, _, _ := strings.Cut(part, "/")
			found[page] = address
		}
	}
	return found
}

// placed asserts how many Pixies are in the files of a report.
func placed(ts *testscript.TestScript, w *Service, args []string) {
	if found := w.addresses(ts, args[0]); strconv.Itoa(len(found)) != args[1] {
		ts.Fatalf("the report has %d Pixies, want %s: %v", len(found), args[1], slices.Sorted(maps.Values(found)))
	}
}

// look requests every Pixie in a report that many times, as a viewer of each of its pages would, and waits until that
// is counted.
func look(ts *testscript.TestScript, w *Service, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	all := w.addresses(ts, args[0])
	before := w.viewsOf(ts, args[0])
	for _, address := range all {
		for range n {
			got, err := w.Client.Get(address)
			ts.Check(err)
			_, err = io.Copy(io.Discard, got.Body)
			ts.Check(err)
			ts.Check(got.Body.Close())
			if got.StatusCode != http.StatusOK {
				ts.Fatalf("%s answered %d", address, got.StatusCode)
			}
		}
	}
	for page := range all {
		before[page] += int64(n)
	}
	within(ts, fmt.Sprintf("the views are counted as %v", before), func() bool { return maps.Equal(before, w.viewsOf(ts, args[0])) })
}

// viewsOf returns the views of a report's pages, of any time.
func (w *Service) viewsOf(ts *testscript.TestScript, report string) map[string]int64 {
	id := idOf("report", report)
	found, err := w.Views.PageViews(w.T.Context(), w.caller.account.AccountID, []uuid.UUID{id}, time.Time{}, w.Now())
	ts.Check(err)
	if found[id] == nil {
		return map[string]int64{}
	}
	return found[id]
}

// viewed asserts the number of views of a page of a report.
func viewed(ts *testscript.TestScript, w *Service, args []string) {
	if n := w.viewsOf(ts, args[0])[args[1]]; strconv.FormatInt(n, 10) != args[2] {
		ts.Fatalf("the page was looked at %d times, want %s", n, args[2])
	}
}
