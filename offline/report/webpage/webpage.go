// Package webpage writes an assessment as a page for a browser.
package webpage

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// The parts of the page. Style and script have no comments, because a template would remove them after their hashes are computed.
var (
	//go:embed report.gohtml
	pageText string
	//go:embed report.css
	pageStyle string
	//go:embed report.js
	pageScript string
)

var pageTemplate = New(pageText)

// New returns the template of a page in which {policy}, {style} and {script} stand for those that all reports have.
// It panics if the text is no template.
func New(text string) *template.Template {
	return template.Must(template.New("report").Parse(strings.NewReplacer(
		"{policy}", pagePolicy(), "{style}", pageStyle, "{script}", pageScript).Replace(text)))
}

// pagePolicy is the content security policy of the page: nothing but its own style and script, and nothing from outside.
func pagePolicy() string {
	hash := func(what string) string {
		sum := sha256.Sum256([]byte(what))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) + "; base-uri 'none'; form-action 'none'"
}

// manyFindings is the size of the largest group whose findings the page shows without being asked.
const manyFindings = 20

type (
	page struct {
		Summary, Note, Bands string
		Compared             bool // with a baseline
		Items                []pageItem
		AcrossTitle          string
		AcrossNote           string
		Across               []report.AcrossSection
		Warnings             []string
	}
	pageItem struct {
		ID, Path, Error                   string
		Listed                            bool // has a section
		Before, Score, Band, Agent, Class string
		New, Fixed, Unchanged             string
		Rank, High, Medium, Low           int
		Lines                             []string
		FirstTitle                        string
		First                             []report.Step
		Dimensions                        []pageDimension
		Sections                          []pageSection
		Ignored                           []pageFinding
	}
	pageDimension struct {
		Name, Score, Class, Lost string
		Applies                  bool
		Width                    int
	}
	pageSection struct {
		Title, Counts string
		Groups        []pageGroup
	}
	pageGroup struct {
		Rule, Page, Requirement, Help, Severity, Count, Points, Effort, Objects string
		Caps, Open                                                              bool
		Findings                                                                []pageFinding
	}
	pageFinding struct {
		Object, Severity, Rules, Points, Message, Evidence, Place, Reason string
		Rank                                                              int
	}
)

// Write writes an assessment as one HTML page that loads nothing. All reported findings are in it, grouped by rule.
func Write(w io.Writer, a *offline.Assessment, l report.Listing) error {
	p := page{Summary: a.Summary(), Bands: bandsText(), Compared: a.Baseline != ""}
	if l.Filtered() {
		p.Note = "Lists contain only what --rule and --object choose."
		if !slices.ContainsFunc(a.Items, l.Lists) {
			p.Note = report.NoMatch
		}
	}
	for n, i := range a.Items {
		p.Items = append(p.Items, pageItemOf(n+1, i, l, p.Compared))
	}
	for _, one := range a.Warnings {
		p.Warnings = append(p.Warnings, show.Printable(one.String()))
	}
	if p.Across = report.Sections(a.Across, l); len(p.Across) > 0 {
		p.AcrossTitle, p.AcrossNote = report.AcrossTitle, report.Summary(a.Across)
	}
	out := bufio.NewWriter(w)
	if err := pageTemplate.Execute(out, p); err != nil {
		return err
	}
	return out.Flush()
}

// bandsText describes the bands.
func bandsText() string {
	var all []string
	most := 100
	for _, b := range readiness.Bands() {
		all = append(all, fmt.Sprintf("%d to %d: %s", b.From(), most, b))
		most = b.From() - 1
	}
	return strings.Join(all, ", ")
}

// bandClass returns the CSS class of a score.
func bandClass(n *int) string {
	if n == nil {
		return ""
	}
	switch readiness.BandOf(*n) {
	case readiness.BandReady:
		return "good"
	case readiness.BandNotReady:
		return "poor"
	default:
		return "fair"
	}
}

func pageItemOf(n int, i offline.Assessed, l report.Listing, compared bool) pageItem {
	p := pageItem{ID: fmt.Sprintf("item-%d", n), Path: show.Printable(i.Path), Listed: !l.Filtered() || l.Lists(i)}
	if i.Error != nil {
		p.Score, p.Class, p.Error = "error", "poor", show.Printable(i.Error.Error())
		return p
	}
	p.Score, p.Band, p.Class = show.Number(i.Result.Score), report.BandOf(i.Result.Score), bandClass(i.Result.Score)
	p.Agent = show.Number(i.ScoreDataAgent)
	if i.Result.Score != nil {
		p.Rank = *i.Result.Score
	}
	for _, f := range i.Findings {
		switch f.Severity {
		case finding.High:
			p.High++
		case finding.Medium:
			p.Medium++
		case finding.Low:
			p.Low++
		}
	}
	if compared {
		p.New, p.Unchanged = fmt.Sprint(len(i.Findings)), fmt.Sprint(i.Known)
		if s := i.Since; s != nil && s.Comparable {
			p.Before, p.Fixed = show.Number(s.Score), fmt.Sprint(len(s.Fixed))
		}
	}
	if !p.Listed {
		return p
	}
	p.Lines = append([]string{report.ScoreLine(i)}, report.Caveats(i)...)
	if line := report.ChangeLine(i); line != "" {
		p.Lines = append(p.Lines, line)
	}
	p.FirstTitle, p.First = report.FirstTitle, l.First(i)
	p.Dimensions = pageDimensions(i)
	p.Sections = pageSections(i, l)
	for _, f := range i.Ignored {
		one := pageFindingOf(i, f.Finding)
		one.Reason = show.Printable(f.Reason)
		p.Ignored = append(p.Ignored, one)
	}
	return p
}

func pageDimensions(i offline.Assessed) (all []pageDimension) {
	points := report.Lost(i)
	for _, d := range i.Result.Dimensions {
		one := pageDimension{Name: d.Name, Score: "not applicable"}
		if d.Score != nil {
			one = pageDimension{d.Name, fmt.Sprint(*d.Score), bandClass(d.Score), fmt.Sprintf("%.1f", points[d.ID]), true, *d.Score}
		}
		all = append(all, one)
	}
	return all
}

func pageSections(i offline.Assessed, l report.Listing) (all []pageSection) {
	add := func(title string, findings []offline.Finding) {
		groups := l.Groups(i, findings)
		if len(groups) == 0 {
			return
		}
		s := pageSection{Title: title, Counts: report.SeverityCounts(l.Chosen(findings))}
		for _, g := range groups {
			s.Groups = append(s.Groups, pageGroupOf(i, g, l))
		}
		all = append(all, s)
	}
	if i.Since == nil {
		add("Findings", i.Findings)
		return all
	}
	add(report.NewFindings, i.Findings)
	add(report.FixedFindings, i.Since.Fixed)
	add(report.UnchangedFindings, i.Since.Unchanged)
	return all
}

func pageGroupOf(i offline.Assessed, g report.Group, l report.Listing) pageGroup {
	p := pageGroup{
		Rule: g.Rule, Page: rulehelp.Page(g.Rule), Requirement: show.Printable(g.Title()), Help: rulehelp.Help(g.Rule),
		Severity: string(g.Severity),
		Count:    show.Count(len(g.Findings), "finding"), Points: fmt.Sprintf("%.1f", g.Points), Effort: string(g.Effort()),
		Objects: g.Objects(false), Caps: g.Caps,
		Open: l.Singly() || len(g.Findings) <= manyFindings,
	}
	for _, f := range g.Findings {
		p.Findings = append(p.Findings, pageFindingOf(i, f))
	}
	return p
}

func pageFindingOf(i offline.Assessed, f offline.Finding) pageFinding {
	return pageFinding{
		Object: report.ObjectOf(f), Severity: string(f.Severity), Rules: strings.Join(f.RuleIDs, ", "),
		Points:  fmt.Sprintf("%.1f", f.Impact),
		Message: show.Printable(f.Message), Evidence: show.Printable(f.Evidence), Rank: slices.Index(offline.Severities, f.Severity),
		Place: report.Where(i, f),
	}
}
