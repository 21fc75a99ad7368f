// Package sarif writes an assessment as a SARIF log, which tools for code review read.
package sarif

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// The parts of SARIF 2.1.0 that are written, by their SARIF names.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool               sarifTool                `json:"tool"`
		Invocations        []sarifInvocation        `json:"invocations"`
		OriginalURIBaseIDs map[string]sarifLocation `json:"originalUriBaseIds"`
		AutomationDetails  sarifAutomation          `json:"automationDetails"`
		Results            []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name       string      `json:"name"`
		Version    string      `json:"version,omitempty"`
		Properties sarifBag    `json:"properties"`
		Rules      []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string        `json:"id"`
		Name                 string        `json:"name"`
		ShortDescription     sarifText     `json:"shortDescription"`
		FullDescription      sarifText     `json:"fullDescription"`
		HelpURI              string        `json:"helpUri,omitempty"`
		Help                 sarifText     `json:"help"`
		DefaultConfiguration sarifSettings `json:"defaultConfiguration"`
		Properties           sarifBag      `json:"properties"`
	}
	sarifSettings struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Execution           []sarifNotification `json:"toolExecutionNotifications,omitempty"`
		Configuration       []sarifNotification `json:"toolConfigurationNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string        `json:"level"`
		Message   sarifText     `json:"message"`
		Locations []sarifPlaced `json:"locations,omitempty"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID              string             `json:"ruleId"`
		RuleIndex           int                `json:"ruleIndex"`
		Level               string             `json:"level"`
		Message             sarifText          `json:"message"`
		Locations           []sarifPlaced      `json:"locations"`
		PartialFingerprints map[string]string  `json:"partialFingerprints"`
		BaselineState       string             `json:"baselineState,omitempty"`
		Rank                float64            `json:"rank"`
		Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
		Properties          sarifBag           `json:"properties"`
	}
	sarifPlaced struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifLocation `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifLocation struct {
		URI         string     `json:"uri,omitempty"`
		URIBaseID   string     `json:"uriBaseId,omitempty"`
		Description *sarifText `json:"description,omitempty"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name               string `json:"name"`
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifBag map[string]any
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// sourceRoot is the base of every path. Its location is omitted, so reports are equal on all machines and reveal
	// nothing about them.
	sourceRoot = "%SRCROOT%"
	// automationID distinguishes these results from those of other tools and runs for the same commit.
	automationID = "readiness/assess/"
)

// sarifLevels maps severities to SARIF levels.
var sarifLevels = map[finding.Severity]string{finding.High: "error", finding.Medium: "warning", finding.Low: "note"}

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
	run := sarifRun{
		Invocations: []sarifInvocation{{ExecutionSuccessful: a.Unreadable() == 0}},
		OriginalURIBaseIDs: map[string]sarifLocation{sourceRoot: {Description: &sarifText{
			Text: "The root given to the command, by default its working folder.",
		}}},
		AutomationDetails: sarifAutomation{automationID},
		Results:           []sarifResult{},
	}
	indexes := map[string]int{}
	run.Tool.Driver = sarifDriver{Name: "readiness", Version: version, Properties: sarifBag{"regime": a.Regime}, Rules: []sarifRule{}}
	for _, r := range a.Rules {
		indexes[r.ID] = len(indexes)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(r))
	}
	invocation := &run.Invocations[0]
	for _, i := range a.Items {
		if i.Error != nil {
			invocation.Execution = append(invocation.Execution, sarifNote("error", i.Path+" cannot be assessed: "+i.Error.Error(), i.At))
		}
	}
	for _, one := range a.Warnings {
		invocation.Configuration = append(invocation.Configuration,
			sarifNote("warning", one.Message, offline.Place{File: one.File, Line: one.Line}))
	}
	known := ""
	if a.Baseline != "" {
		known = "new"
	}
	kept, left := heaviest(a, limit)
	if left > 0 {
		invocation.Execution = append(invocation.Execution, sarifNotification{"warning", sarifText{Text: fmt.Sprintf(
			"The report omits the %d least important of %d results: at most %d are written (--sarif-limit).", left, len(kept)+left, limit)},
			nil})
	}
	return left, offline.WriteStreamed(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}}, "\n      \"results\": ",
		func(yield func(any) bool) {
			for _, r := range kept {
				state := known
				if r.ignored != nil {
					state = ""
				}
				if !yield(sarifResultOf(r.item, r.finding, indexes, state, r.ignored...)) {
					return
				}
			}
		})
}

// reported is an item's finding as a result.
type reported struct {
	item    *offline.Assessed
	finding offline.Finding
	ignored []sarifSuppression // nil unless the finding is ignored
}

// heaviest returns at most limit results (0 means all) in the order of the items, and the number of omitted ones.
func heaviest(a *offline.Assessment, limit int) (kept []reported, left int) {
	for _, i := range a.Items {
		for _, f := range i.Findings {
			kept = append(kept, reported{&i, f, nil})
		}
		for _, f := range i.Ignored {
			kept = append(kept, reported{&i, f.Finding, []sarifSuppression{{"external", show.Printable(f.Reason)}}})
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
			cmp.Compare(sarifWeight[y.finding.Severity], sarifWeight[x.finding.Severity]),
			cmp.Compare(y.finding.Impact, x.finding.Impact))
	})
	order, left = order[:limit], len(kept)-limit
	slices.Sort(order)
	for i, at := range order {
		kept[i] = kept[at]
	}
	return kept[:limit], left
}

// sarifWeight orders severities.
var sarifWeight = map[finding.Severity]int{finding.High: 2, finding.Medium: 1, finding.Low: 0}

func sarifResultOf(item *offline.Assessed, f offline.Finding, indexes map[string]int, known string, suppressions ...sarifSuppression) sarifResult {
	rule := explained.Leading(f.RuleIDs)
	return sarifResult{
		RuleID: rule, RuleIndex: indexes[rule], Level: sarifLevels[f.Severity], Message: sarifText{Text: messageOf(item, f)},
		Locations: []sarifPlaced{sarifPlaceOf(f.Place, sarifLogicalOf(f))}, PartialFingerprints: fingerprints(item.Path, f, suppressions != nil),
		BaselineState: known, Rank: max(0, min(100, f.Impact)), Suppressions: suppressions,
		Properties: sarifBag{"dimension": f.Dimension, "rules": f.RuleIDs, "evidence": show.Printable(f.Evidence), "fixKinds": f.FixKinds},
	}
}

// messageOf returns what is wrong and what to do. Code scanning shows the first sentence as the title of an alert.
func messageOf(i *offline.Assessed, f offline.Finding) string {
	text := plain(f.Message)
	if fault := plain(explained.FaultIn(i.Result, explained.Leading(f.RuleIDs))); fault != "" {
		return fault + ". " + text
	}
	return text
}

func sarifRuleOf(r readiness.PublishedRule) sarifRule {
	if r.Own != nil {
		return sarifOwnRule(r.Own)
	}
	e, _ := explained.Rule(r.ID)
	page := rulehelp.Page(r.ID)
	more, link := page, rulehelp.Link(r.ID)
	if page == "" {
		more, link = "readiness rules show "+r.ID, "`readiness rules show "+r.ID+"`"
	}
	return sarifRule{
		ID: r.ID, Name: e.Name, HelpURI: page,
		ShortDescription: sarifText{Text: explained.FaultOfOne(r.ID) + "."}, FullDescription: sarifText{Text: e.What},
		Help: sarifText{
			Text: rulehelp.Help(r.ID) + " Examples: " + more,
			Markdown: "**" + show.MarkdownText(rulehelp.Requirement(r.ID)) + "** " + show.MarkdownText(rulehelp.Help(r.ID)) +
				" Examples: " + link,
		},
		DefaultConfiguration: sarifSettings{sarifLevels[r.Severity]},
		Properties: sarifBag{"tags": []string{"ai-readiness", r.Dimension}, "effort": explained.EffortOf(r.ID),
			"fixKinds": append([]finding.FixKind{}, r.FixKinds...)},
	}
}

// sarifOwnRule describes a rule of a team.
func sarifOwnRule(o *readiness.OwnRule) sarifRule {
	help := plain(cmp.Or(strings.TrimSpace(o.Why+" "+o.Fix), o.Title+"."))
	return sarifRule{
		ID: o.ID, Name: o.ID, ShortDescription: sarifText{Text: plain(o.Title) + "."}, FullDescription: sarifText{Text: help},
		Help:                 sarifText{Text: help, Markdown: show.MarkdownText(help)},
		DefaultConfiguration: sarifSettings{sarifLevels[o.Severity]},
		Properties:           sarifBag{"tags": []string{"own-rule"}, "effort": o.Effort, "fixKinds": []finding.FixKind{}},
	}
}

func sarifNote(level, message string, at offline.Place) sarifNotification {
	return sarifNotification{level, sarifText{Text: plain(message)}, []sarifPlaced{sarifPlaceOf(at, nil)}}
}

func sarifPlaceOf(at offline.Place, logical []sarifLogical) sarifPlaced {
	return sarifPlaced{sarifPhysical{sarifLocation{URI: (&url.URL{Path: at.File}).String(), URIBaseID: sourceRoot},
		sarifRegion{max(at.Line, 1)}}, logical}
}

// sarifLogicalOf names the object of a finding as DAX does.
func sarifLogicalOf(f offline.Finding) []sarifLogical {
	name, of := show.Printable(f.ObjectName), show.Printable(f.Table)
	table := "'" + strings.ReplaceAll(of, "'", "''") + "'"
	switch f.ObjectType {
	case finding.TableObject:
		return []sarifLogical{{of, table, "table"}}
	case finding.ColumnObject, finding.MeasureObject:
		return []sarifLogical{{name, table + "[" + strings.ReplaceAll(name, "]", "]]") + "]", string(f.ObjectType)}}
	case finding.RelationshipObject:
		return []sarifLogical{{name, name, "relationship"}}
	default:
		return nil
	}
}

// fingerprints identify a finding, whatever its lines, its message and other findings about its object.
func fingerprints(item string, f offline.Finding, suppressed bool) map[string]string {
	identity := []any{item, f.Dimension, f.Key}
	if suppressed { // an object may also have a finding that is not ignored
		identity = append(identity, "ignored")
	}
	data, _ := json.Marshal(identity) // only texts: cannot fail
	sum := sha256.Sum256(data)
	same := hex.EncodeToString(sum[:16])
	// Code scanning uses only the second name; without it, it would hash lines.
	return map[string]string{"readinessFinding/v1": same, "primaryLocationLineHash": same + ":1"}
}

// plain returns a text of a message that is shown unchanged: [text](address) in one would be a link (SARIF 3.11.6).
func plain(text string) string { return strings.ReplaceAll(show.Printable(text), "](", "]\u200b(") }
