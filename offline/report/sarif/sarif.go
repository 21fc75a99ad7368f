// Package sarif writes an assessment as a SARIF log, which tools for code review read.
package sarif

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"

	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/show"
	"readiness/offline/show/sarif"
)

// sourceRoot is the base of every path. Its location is omitted, so reports are equal on all machines and reveal
// nothing about them.
const sourceRoot = "%SRCROOT%"

// Limit is how many results of a run code scanning shows. GitHub accepts up to 25,000 and keeps the 5,000 with the
// highest severity.
const Limit = 5000

// Write writes an assessment as SARIF 2.1.0. Each finding is a result under its leading rule; all its rules are in
// the result's properties. Ignored findings are suppressed results. version is the program's version.
//
// limit bounds the number of results; 0 means no bound. If there are more, it keeps those with the highest severity,
// then the highest impact, reported findings before ignored ones. A notification in the run states how many are
// omitted; left is that number.
func Write(w io.Writer, a *offline.Assessment, version string, limit int) (left int, err error) {
	run := sarif.Run{
		Invocations: []sarif.Invocation{{ExecutionSuccessful: a.Unreadable() == 0}},
		OriginalURIBaseIDs: map[string]sarif.Location{sourceRoot: {Description: &sarif.Text{
			Text: "The root given to the command, by default its working folder.",
		}}},
		Results: []sarif.Result{},
	}
	indexes := map[string]int{}
	run.Tool.Driver.Rules = []sarif.Rule{}
	for _, r := range a.Rules {
		indexes[r.ID] = len(indexes)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarif.RuleOf(r))
	}
	invocation := &run.Invocations[0]
	for _, i := range a.Items {
		if i.Error != nil {
			invocation.Execution = append(invocation.Execution, note("error", i.Path+" cannot be assessed: "+i.Error.Error(), i.At))
		}
	}
	for _, one := range a.Warnings {
		invocation.Configuration = append(invocation.Configuration,
			note("warning", one.Message, offline.Place{File: one.File, Line: one.Line}))
	}
	known := ""
	if a.Baseline != "" {
		known = "new"
	}
	kept, left := heaviest(a, limit)
	if left > 0 {
		invocation.Execution = append(invocation.Execution, sarif.Notification{Level: "warning", Message: sarif.Text{Text: fmt.Sprintf(
			"The report omits the %d least important of %d results: at most %d are written (--sarif-limit).", left, len(kept)+left, limit)}})
	}
	return left, offline.WriteStreamed(w, sarif.NewLog(run, version, a.Regime), "\n      \"results\": ",
		func(yield func(any) bool) {
			for _, r := range kept {
				state := known
				if r.ignored != nil {
					state = ""
				}
				result := sarif.ResultOf(&r.item.Result, r.item.Path, r.finding.Finding, indexes[explained.Leading(r.finding.RuleIDs)], r.ignored...)
				result.BaselineState = state
				if len(result.Locations) == 0 {
					result.Locations = []sarif.Placed{{}}
				}
				result.Locations[0].Physical = physical(r.finding.Place)
				if !yield(result) {
					return
				}
			}
		})
}

// reported is an item's finding as a result.
type reported struct {
	item    *offline.Assessed
	finding offline.Finding
	ignored []sarif.Suppression // nil unless the finding is ignored
}

// heaviest returns at most limit results (0 means all) in the order of the items, and the number of omitted ones.
func heaviest(a *offline.Assessment, limit int) (kept []reported, left int) {
	for _, i := range a.All() {
		for _, f := range i.Findings {
			kept = append(kept, reported{&i, f, nil})
		}
		for _, f := range i.Ignored {
			kept = append(kept, reported{&i, f.Finding, []sarif.Suppression{{Kind: "external", Justification: show.Printable(f.Reason)}}})
		}
	}
	if limit == 0 || len(kept) <= limit {
		return kept, 0
	}
	order := make([]int, len(kept))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := kept[i], kept[j]
		return cmp.Or(cmp.Compare(len(x.ignored), len(y.ignored)),
			cmp.Compare(weight[y.finding.Severity], weight[x.finding.Severity]),
			cmp.Compare(y.finding.Impact, x.finding.Impact))
	})
	order, left = order[:limit], len(kept)-limit
	slices.Sort(order)
	for i, at := range order {
		kept[i] = kept[at]
	}
	return kept[:limit], left
}

// weight orders severities.
var weight = map[finding.Severity]int{finding.High: 2, finding.Medium: 1, finding.Low: 0}

func note(level, message string, at offline.Place) sarif.Notification {
	return sarif.Notification{Level: level, Message: sarif.Text{Text: sarif.Plain(message)}, Locations: []sarif.Placed{{Physical: physical(at)}}}
}

func physical(at offline.Place) *sarif.Physical {
	return &sarif.Physical{Artifact: sarif.Location{URI: (&url.URL{Path: at.File}).String(), URIBaseID: sourceRoot},
		Region: sarif.Region{StartLine: max(at.Line, 1)}}
}
