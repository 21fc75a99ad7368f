// Package sarif is the format SARIF 2.1.0 as far as findings have it: the program writes it for files, the console for models of the platform.
package sarif

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// The parts of SARIF 2.1.0 that are written, by their SARIF names.
type (
	Log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []Run  `json:"runs"`
	}
	Run struct {
		Tool               Tool                `json:"tool"`
		Invocations        []Invocation        `json:"invocations"`
		OriginalURIBaseIDs map[string]Location `json:"originalUriBaseIds,omitempty"`
		AutomationDetails  Automation          `json:"automationDetails"`
		Results            []Result            `json:"results"`
	}
	Tool struct {
		Driver Driver `json:"driver"`
	}
	Driver struct {
		Name       string `json:"name"`
		Version    string `json:"version,omitempty"`
		Properties Bag    `json:"properties"`
		Rules      []Rule `json:"rules"`
	}
	Rule struct {
		ID                   string   `json:"id"`
		Name                 string   `json:"name"`
		ShortDescription     Text     `json:"shortDescription"`
		FullDescription      Text     `json:"fullDescription"`
		HelpURI              string   `json:"helpUri,omitempty"`
		Help                 Text     `json:"help"`
		DefaultConfiguration Settings `json:"defaultConfiguration"`
		Properties           Bag      `json:"properties"`
	}
	Settings struct {
		Level string `json:"level"`
	}
	Text struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	Invocation struct {
		ExecutionSuccessful bool           `json:"executionSuccessful"`
		Execution           []Notification `json:"toolExecutionNotifications,omitempty"`
		Configuration       []Notification `json:"toolConfigurationNotifications,omitempty"`
	}
	Notification struct {
		Level     string   `json:"level"`
		Message   Text     `json:"message"`
		Locations []Placed `json:"locations,omitempty"`
	}
	Automation struct {
		ID string `json:"id"`
	}
	Result struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             Text              `json:"message"`
		Locations           []Placed          `json:"locations"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		BaselineState       string            `json:"baselineState,omitempty"`
		Rank                float64           `json:"rank"`
		Suppressions        []Suppression     `json:"suppressions,omitempty"`
		Properties          Bag               `json:"properties"`
	}
	Placed struct {
		Physical *Physical `json:"physicalLocation,omitempty"`
		Logical  []Logical `json:"logicalLocations,omitempty"`
	}
	Physical struct {
		Artifact Location `json:"artifactLocation"`
		Region   Region   `json:"region"`
	}
	Location struct {
		URI         string `json:"uri,omitempty"`
		URIBaseID   string `json:"uriBaseId,omitempty"`
		Description *Text  `json:"description,omitempty"`
	}
	Region struct {
		StartLine int `json:"startLine"`
	}
	Logical struct {
		Name               string `json:"name"`
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	Suppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	Bag map[string]any
)

const (
	schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// automationID distinguishes these results from those of other tools and runs for the same commit.
	automationID = "readiness/assess/"
)

// NewLog returns a log of one run by a version of the program.
func NewLog(run Run, version, regime string) Log {
	run.Tool.Driver.Name, run.Tool.Driver.Version, run.Tool.Driver.Properties = "readiness", version, Bag{"regime": regime}
	run.AutomationDetails = Automation{automationID}
	return Log{schema, "2.1.0", []Run{run}}
}

// levels maps severities to SARIF levels.
var levels = map[finding.Severity]string{finding.High: "error", finding.Medium: "warning", finding.Low: "note"}

// ResultOf returns a finding of an item as a result under its leading rule, whose index is that in the run. It has no place in a file.
func ResultOf(of *readiness.Result, item string, f readiness.Finding, index int, suppressions ...Suppression) Result {
	rule := explained.Leading(f.RuleIDs)
	r := Result{
		RuleID: rule, RuleIndex: index, Level: levels[f.Severity], Message: Text{Text: messageOf(of, f)}, Locations: []Placed{},
		PartialFingerprints: fingerprints(item, f, suppressions != nil), Rank: max(0, min(100, f.Impact)), Suppressions: suppressions,
		Properties: Bag{"dimension": f.Dimension, "rules": f.RuleIDs, "evidence": show.Printable(f.Evidence), "fixKinds": f.FixKinds},
	}
	if logical := logicalOf(f); logical != nil {
		r.Locations = []Placed{{Logical: logical}}
	}
	return r
}

// messageOf returns what is wrong and what to do. Code scanning shows the first sentence as the title of an alert.
func messageOf(of *readiness.Result, f readiness.Finding) string {
	text := Plain(f.Message)
	if fault := Plain(explained.FaultIn(*of, explained.Leading(f.RuleIDs))); fault != "" {
		return fault + ". " + text
	}
	return text
}

// RuleOf describes a rule.
func RuleOf(r readiness.PublishedRule) Rule {
	if r.Own != nil {
		return ownRule(r.Own)
	}
	e, _ := explained.Rule(r.ID)
	page := rulehelp.Page(r.ID)
	more, link := page, rulehelp.Link(r.ID)
	if page == "" {
		more, link = "readiness rules show "+r.ID, "`readiness rules show "+r.ID+"`"
	}
	return Rule{
		ID: r.ID, Name: e.Name, HelpURI: page,
		ShortDescription: Text{Text: explained.FaultOfOne(r.ID) + "."}, FullDescription: Text{Text: e.What},
		Help: Text{
			Text: rulehelp.Help(r.ID) + " Examples: " + more,
			Markdown: "**" + show.MarkdownText(rulehelp.Requirement(r.ID)) + "** " + show.MarkdownText(rulehelp.Help(r.ID)) +
				" Examples: " + link,
		},
		DefaultConfiguration: Settings{levels[r.Severity]},
		Properties: Bag{"tags": []string{"ai-readiness", r.Dimension}, "effort": explained.EffortOf(r.ID),
			"fixKinds": append([]finding.FixKind{}, r.FixKinds...)},
	}
}

// ownRule describes a rule of a team.
func ownRule(o *readiness.OwnRule) Rule {
	help := Plain(cmp.Or(strings.TrimSpace(o.Why+" "+o.Fix), o.Title+"."))
	return Rule{
		ID: o.ID, Name: o.ID, ShortDescription: Text{Text: Plain(o.Title) + "."}, FullDescription: Text{Text: help},
		Help:                 Text{Text: help, Markdown: show.MarkdownText(help)},
		DefaultConfiguration: Settings{levels[o.Severity]},
		Properties:           Bag{"tags": []string{"own-rule"}, "effort": o.Effort, "fixKinds": []finding.FixKind{}},
	}
}

// logicalOf names the object of a finding as DAX does.
func logicalOf(f readiness.Finding) []Logical {
	name, of := show.Printable(f.ObjectName), show.Printable(f.Table)
	table := "'" + strings.ReplaceAll(of, "'", "''") + "'"
	switch f.ObjectType {
	case finding.TableObject:
		return []Logical{{of, table, "table"}}
	case finding.ColumnObject, finding.MeasureObject:
		return []Logical{{name, table + "[" + strings.ReplaceAll(name, "]", "]]") + "]", string(f.ObjectType)}}
	case finding.RelationshipObject:
		return []Logical{{name, name, "relationship"}}
	default:
		return nil
	}
}

// fingerprints identify a finding, whatever its lines, its message and other findings about its object.
func fingerprints(item string, f readiness.Finding, suppressed bool) map[string]string {
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

// Plain returns a text of a message that is shown unchanged: [text](address) in one would be a link (SARIF 3.11.6).
func Plain(text string) string { return strings.ReplaceAll(show.Printable(text), "](", "]\u200b(") }
