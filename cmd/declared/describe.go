package declared

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/readiness/ownrules"
)

// Describe describes events of one account, one line per event. before is the account's state before the first event,
// and names are the persons in the events; a person without a name was erased.
// Each line starts with "+" for added, "~" for changed or "-" for removed.
func Describe(before account.Account, events []domain.Event, names map[item.PersonID]item.Person) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, e := range events {
		switch e := e.(type) {
		case account.Opened:
			say("+ account %s: %s", e.AccountID, changes(nil, e, "accountId"))
		case account.PlanChanged:
			say("~ plan: %s -> %s", before.Plan, e.Plan)
		case account.StatusChanged:
			say("~ status: %s -> %s", before.Status, e.Status)
		case account.RegionChanged:
			say("~ region: %s -> %s", cmp.Or(before.Region, "(none)"), cmp.Or(e.Region, "(none)"))
		case account.SettingsChanged:
			say("~ settings: %s", changes(before.Settings, e.Settings))
		case account.LicenseSaved:
			old, existed := before.Licenses[e.License.ID]
			say("%s license %s: %s", sign(existed), e.License.ID, changes(present(old, existed), e.License, "licenseId"))
		case account.LicenseRemoved:
			say("- license %s", e.LicenseID)
		case account.PersonSaved:
			old, existed := before.People.Get(e.Person.Person)
			say("%s person %s: %s", sign(existed), named(e.Person.Person, names),
				changes(present(old, existed), e.Person, "person"))
		case account.PersonRemoved:
			say("- person %s", named(e.Person, names))
		case account.DocumentSaved:
			old, existed := before.Saved[e.Name]
			if e.Name == account.RulesDocument {
				say("%s rules: %s", sign(existed), rulesIn(e.Text))
				break
			}
			say("%s %s: %s", sign(existed), document(e.Name), changes(json.RawMessage(old), json.RawMessage(e.Text), inName(e.Name)...))
		case account.DocumentRemoved:
			say("- %s", document(e.Name))
		}
		before = account.Evolve(before, e)
	}
	return lines
}

// document returns what people call a part of the account that is stored by name.
func document(name string) string {
	if workspace, ok := strings.CutPrefix(name, "trackingSetup/"); ok {
		return "tracking setup of workspace " + workspace
	}
	return name
}

// rulesIn counts the rules of a document.
func rulesIn(text string) string {
	var w ownrules.Written
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("own %d, changed %d", len(w.Own), len(w.Changes))
}

// inName lists the members of a document that its name already contains.
func inName(document string) []string {
	if document == account.AIProviderDocument {
		return nil
	}
	return []string{"workspaceId"}
}

func sign(existed bool) string {
	if existed {
		return "~"
	}
	return "+"
}

func present(v any, existed bool) any {
	if !existed {
		return nil
	}
	return v
}

func named(id item.PersonID, names map[item.PersonID]item.Person) string {
	p, known := names[id]
	switch {
	case !known:
		return string(id) + " (erased)"
	case p.Issuer == "":
		return p.ID
	}
	return p.ID + " of " + p.Issuer
}

// changes lists by name the members in which old and new differ; if old is empty, all members of new. It omits the
// members in skip.
func changes(old, new any, skip ...string) string {
	was, is := flat(old), flat(new)
	names := maps.Clone(is)
	maps.Copy(names, was)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch {
		case slices.Contains(skip, name) || was[name] == is[name]:
		case len(was) == 0:
			all = append(all, name+" "+is[name])
		default:
			all = append(all, fmt.Sprintf("%s %s -> %s", name, cmp.Or(was[name], "(none)"), cmp.Or(is[name], "(none)")))
		}
	}
	return strings.Join(all, ", ")
}

// flat returns v's JSON as a map from member path to text.
func flat(v any) map[string]string {
	out := map[string]string{}
	if raw, ok := v.(json.RawMessage); v == nil || ok && len(raw) == 0 {
		return out
	}
	b, err := json.Marshal(v)
	if err != nil {
		return map[string]string{"": err.Error()}
	}
	var members any
	if err := json.Unmarshal(b, &members); err != nil {
		return map[string]string{"": string(b)}
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				walk(join(path, name), member)
			}
		case nil:
		case string:
			out[path] = v
		default:
			b, _ := json.Marshal(v)
			out[path] = string(b)
		}
	}
	walk("", members)
	return out
}
