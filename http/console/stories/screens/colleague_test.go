package screens_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
	"readiness/test/testworld"
)

// refusals are the headings of what a person may not see.
var refusals = []string{"Nothing is there, or you cannot see it", "You may not see or do this"}

// shared are the screens of what belongs to the account, which all its people see with the names of models in it: A/B tests and
// schedules (docs/decisions.md 7 and 10), and operations.
var shared = []string{"evaluations", "ab-test", "administration", "operations", "operation"}

// refused types the address of every screen as people who may not see what it shows: linus, a colleague whose rights in all workspaces
// were taken away, and margaret of another account. The page of one thing is a refusal in words, and no page has a name of what they
// cannot see.
func refused(b *chromium.Tab, w *consoletest.World, all []screen) {
	t := b.T
	t.Helper()
	names := known(t, w)
	w.Members(t, "ada")
	for person, secret := range map[string][]string{"linus": names, "margaret": append(names, "contoso", "ada")} {
		b.GoTo("/")
		chromium.Mouse{}.Press(b, "Sign out")
		b.Shows("Sign in")
		chromium.Mouse{}.Press(b, person)
		b.Shows("Portfolio", "No model is assessed yet")
		for _, s := range all {
			if s.Path == "/sign-in" || person == "linus" && slices.Contains(shared, s.Name) {
				continue
			}
			b.GoTo(s.Path)
			var heading, text string
			b.Run("read", chromedp.Evaluate(`document.querySelector("h1").innerText`, &heading),
				chromedp.Evaluate(`document.title + document.querySelector("main").textContent`, &text))
			if (idInPath.MatchString(s.Path) || person == "linus" && s.Name == "audit") && !slices.Contains(refusals, heading) {
				t.Errorf("%s sees %s at %s", person, heading, s.Path)
			}
			for _, name := range secret {
				if regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text) { // ids have such letters too
					t.Errorf("%s reads %s at %s:\n%s", person, name, s.Path, text)
				}
			}
		}
	}
}

// idInPath matches the addresses of screens of a single thing.
var idInPath = regexp.MustCompile(`^[^?]*[0-9a-f]{8}-`)

// known returns the names of what ada of contoso sees.
func known(t *testing.T, w *consoletest.World) (names []string) {
	t.Helper()
	api := w.API("contoso", "ada")
	portfolio, err := api.GetPortfolioWithResponse(t.Context(), nil)
	testworld.Check(t, err)
	for _, m := range portfolio.JSON200.Value {
		names = append(names, m.SemanticModelName, m.WorkspaceName)
	}
	tests, err := api.ListAbTestsWithResponse(t.Context(), nil)
	testworld.Check(t, err)
	for _, test := range tests.JSON200.Value {
		names = append(names, test.Name)
	}
	reports, err := api.ListReportsWithResponse(t.Context(), portfolio.JSON200.Value[0].WorkspaceID, &client.ListReportsParams{})
	testworld.Check(t, err)
	for _, r := range reports.JSON200.Value {
		names = append(names, *r.ReportName)
	}
	return names
}
