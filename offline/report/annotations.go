package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/show"
)

// maxAnnotations is how many annotations of a severity are written, those with the most impact first. GitHub shows ten of
// a level in a step.
const maxAnnotations = 10

// annotation is a finding with the path of its file.
type annotation struct {
	offline.Finding
	path, title string
}

// annotations returns the reported findings that are annotated, most severe first, and how many others there are.
func annotations(a *offline.Assessment, l Listing) (chosen []annotation, left int) {
	for _, s := range []finding.Severity{finding.High, finding.Medium, finding.Low} {
		var of []annotation
		for _, i := range a.All() {
			for _, f := range l.Chosen(i.Findings) {
				if f.Severity == s {
					of = append(of, annotation{f, cmp.Or(f.File, i.Path), titled(i, f)})
				}
			}
		}
		slices.SortStableFunc(of, func(a, b annotation) int { return cmp.Compare(b.Impact, a.Impact) })
		n := min(len(of), maxAnnotations)
		chosen, left = append(chosen, of[:n]...), left+len(of)-n
	}
	return chosen, left
}

// The texts of a command of a pipeline may not contain what separates its parts.
var (
	githubText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	azureText      = strings.NewReplacer("%", "%AZP25", "\r", "%0D", "\n", "%0A")
	azureProperty  = strings.NewReplacer("%", "%AZP25", "\r", "%0D", "\n", "%0A", ";", "%3B", "]", "%5D")
)

// titled returns the rules of a finding and what is wrong.
func titled(i offline.Assessed, f offline.Finding) string {
	title := strings.Join(f.RuleIDs, " ")
	if fault := explained.FaultIn(i.Result, explained.Leading(f.RuleIDs)); fault != "" {
		title += ": " + fault
	}
	return title
}

// WriteGitHub writes the reported findings as annotations of GitHub Actions (workflow commands), at most ten of a
// severity, and a notice of how many others there are.
func WriteGitHub(w io.Writer, a *offline.Assessment, l Listing) error {
	levels := map[finding.Severity]string{finding.High: "error", finding.Medium: "warning", finding.Low: "notice"}
	chosen, left := annotations(a, l)
	var b strings.Builder
	for _, f := range chosen {
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", levels[f.Severity],
			githubProperty.Replace(show.Printable(f.path)), max(1, f.Line),
			githubProperty.Replace(show.Printable(f.title)), githubText.Replace(show.Printable(f.Message)))
	}
	if left > 0 {
		fmt.Fprintf(&b, "::notice title=AI readiness::%s; the job summary has all\n", show.Count(left, "more finding"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteAzure writes the reported findings as issues of Azure Pipelines (logging commands), at most ten of a severity. Low
// ones are warnings, because there is no lower type.
func WriteAzure(w io.Writer, a *offline.Assessment, l Listing) error {
	types := map[finding.Severity]string{finding.High: "error", finding.Medium: "warning", finding.Low: "warning"}
	chosen, left := annotations(a, l)
	var b strings.Builder
	for _, f := range chosen {
		fmt.Fprintf(&b, "##vso[task.logissue type=%s;sourcepath=%s;linenumber=%d;code=%s]%s\n", types[f.Severity],
			azureProperty.Replace(show.Printable(f.path)), max(1, f.Line), azureProperty.Replace(strings.Join(f.RuleIDs, " ")),
			azureText.Replace(show.Printable(f.Message)))
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s; the published tests have all\n", show.Count(left, "more finding"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
