package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// cited returns the numbers by which a page is cited: those of its headings, of rules that begin with a bold number, and of the items of a section's
// numbered list.
func cited(t *testing.T, page string) map[string]bool {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	numbers, section := map[string]bool{}, ""
	for line := range strings.Lines(string(content)) {
		if m := numbered.FindStringSubmatch(line); m != nil {
			numbers[m[1]] = true
			if line[0] == '#' {
				section = m[1]
			}
		}
		if m := listed.FindStringSubmatch(line); m != nil && section != "" {
			numbers[section+"."+m[1]] = true
		}
	}
	return numbers
}

var (
	numbered = regexp.MustCompile(`^(?:#+ |(?:[-|] ?)?\*\*)([A-J](?:\.\d+)*|\d+(?:\.\d+)*)\b`)
	listed   = regexp.MustCompile(`^(\d+)\. `)
	// link is a link of a page, whose text may cite as it likes.
	link = regexp.MustCompile(`\[[^\]]*\]\(([^)\s#]*)(#[^)\s]*)?\)`)
	// citation is how a page of docs is cited: its name and, if need be, the number of a heading or a rule.
	citation = regexp.MustCompile(`docs/([a-z-]+\.md)(?:,? ((?:[A-J]\.?)?\d+(?:\.\d+)*|[A-J])\b)?`)
	// decision is how an architecture decision record is cited.
	decision = regexp.MustCompile(`\bADR (\d+)|docs/adr/(\d{4})`)
	// rule is how a rule that tests prove is cited, by its id.
	rule = regexp.MustCompile(`(?:^|[\s(,;])((?:decisions/)?\d(?:\.\d+)?/[a-zA-Z][\w.-]*(?:/[\w.-]+)*)`)
	// elsewhere is a citation of a document that a reader of the repository does not have, or of a page by half its name.
	elsewhere = regexp.MustCompile(`(^|[^/\w])((?i:spec|specification|architecture|decisions|formats|regime|evaluation|eventlog|evidence|scale|operate|console|fabric|fabric-adapter|style)(?:\.md)? (?:[A-J]\.?)?\d+(?:\.\d+)*\b|(?:eventlog|formats|evaluation|evidence|scale|operate|console|fabric|fabric-adapter|style|language)\.md\b)`)
)

// broken says what is wrong with a page's link to a target within the repository, or nothing.
func broken(folder, page, target, anchor string) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return ""
	}
	file := filepath.Join(folder, target)
	if target == "" {
		file = filepath.Join("..", "..", page)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		if info, err := os.Stat(file); err == nil && info.IsDir() && anchor == "" {
			return ""
		}
		return "there is no " + target
	}
	if anchor == "" || !strings.HasSuffix(file, ".md") {
		return ""
	}
	for line := range strings.Lines(string(content)) {
		if heading := strings.TrimLeft(line, "#"); heading != line && "#"+slug(heading) == anchor {
			return ""
		}
	}
	return target + " has no heading " + anchor
}

// slug is the anchor that a forge makes of a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// Whatever a comment, message or page cites is in the repository: the page and the number in it, the decision record, the rule.
func TestCitationsResolve(t *testing.T) {
	t.Parallel()
	proven := proofs(t)
	pages := map[string]map[string]bool{}
	bad := 0
	for _, path := range documents(t) {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		report := func(number int, format string, args ...any) {
			if bad++; bad <= 100 {
				t.Errorf("%s:%d: "+format, append([]any{name, number}, args...)...)
			}
		}
		err := prose(path, func(number int, text string) {
			if strings.Contains(text, "proves:") {
				return
			}
			if strings.HasSuffix(name, ".md") {
				for _, m := range link.FindAllStringSubmatch(text, -1) {
					if problem := broken(filepath.Dir(path), name, m[1], m[2]); problem != "" {
						report(number, "%s", problem)
					}
				}
				text = link.ReplaceAllString(text, "")
			}
			for _, m := range elsewhere.FindAllStringSubmatch(text, -1) {
				report(number, "%q cites what is not in the repository, or without its docs/", m[2])
			}
			for _, m := range citation.FindAllStringSubmatch(text, -1) {
				if _, err := os.Stat(filepath.Join("..", "..", "docs", m[1])); err != nil {
					report(number, "there is no %s", m[0])
					continue
				}
				if pages[m[1]] == nil {
					pages[m[1]] = cited(t, m[1])
				}
				if m[2] != "" && !pages[m[1]][m[2]] {
					report(number, "docs/%s has no %s", m[1], m[2])
				}
			}
			for _, m := range decision.FindAllStringSubmatch(text, -1) {
				number4 := m[1] + m[2]
				for len(number4) < 4 {
					number4 = "0" + number4
				}
				if found, _ := filepath.Glob("../../docs/adr/" + number4 + "-*.md"); len(found) != 1 {
					report(number, "there is no %s in docs/adr", m[0])
				}
			}
			for _, m := range rule.FindAllStringSubmatch(text, -1) {
				if id := strings.TrimRight(m[1], "."); proven[id] == "" && strings.Count(id, "/") > 1 {
					report(number, "no test proves a rule %s", id)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if bad > 100 {
		t.Errorf("%d in all", bad)
	}
}
