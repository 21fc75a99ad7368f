package fabric_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"readiness/test/recordings"
)

// otherwise are recorded calls of ours that TestRecordings does not make by themselves, with the reason.
var otherwise = map[string]*regexp.Regexp{
	"answers the replay of the call that began the operation": regexp.MustCompile(`^GET /v1/operations/`),
	"platform/reads replays it: TestRecordedExports":          regexp.MustCompile(`^POST .*/items/bulkExportDefinitions$`),
}

// oursIn returns the calls that docs/fabric-calls.md lists, which a test writes from what the service calls.
func oursIn(t *testing.T) (all []*regexp.Regexp) {
	t.Helper()
	page, err := os.ReadFile("../../docs/fabric-calls.md")
	check(t, err)
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z]+ /v1[^`]*)` \\| [A-Za-z]+ \\|").FindAllStringSubmatch(string(page), -1) {
		all = append(all, regexp.MustCompile("^"+strings.ReplaceAll(regexp.QuoteMeta(row[1]), `\{id\}`, uuidText)+"$"))
	}
	if len(all) < 15 {
		t.Fatalf("docs/fabric-calls.md lists %d calls", len(all))
	}
	return all
}

// Every recorded exchange is replayed against our client, or there is a reason why not: something else replays it, or it is a
// call that the service does not make. Each recording is listed with how many of its exchanges are which.
func TestEveryExchangeIsAccountedFor(t *testing.T) {
	t.Parallel()
	ours := oursIn(t)
	total := map[string]int{}
	for _, r := range allRecordings(t) {
		replayed := map[*recordings.Exchange]bool{}
		for _, one := range replays(r) {
			replayed[one.Exchange] = true
		}
		counts := map[string]int{}
		for _, e := range r.Exchanges {
			called := e.Method + " " + e.URL.Path
			elsewhere := ""
			for reason, calls := range otherwise {
				if calls.MatchString(called) {
					elsewhere = reason
				}
			}
			makes := slices.ContainsFunc(ours, func(call *regexp.Regexp) bool { return call.MatchString(called) })
			switch {
			case replayed[e]:
				counts["replayed"]++
			case elsewhere != "":
				counts[elsewhere]++
			case makes:
				t.Errorf("%s: %s (%d) is a call of ours, and is neither replayed nor excepted", r.Name, called, e.Status)
			default:
				counts["the service makes no such call"]++
			}
		}
		if len(r.Exchanges) == 0 {
			counts["has no exchange that was answered"]++
		}
		var line []string
		for _, what := range slices.Sorted(maps.Keys(counts)) {
			line = append(line, fmt.Sprintf("%d %s", counts[what], what))
			total[what] += counts[what]
		}
		t.Logf("%s: %s", r.Name, strings.Join(line, "; "))
	}
	t.Logf("in all: %v", total)
	if total["replayed"] == 0 {
		t.Error("nothing is replayed")
	}
}
