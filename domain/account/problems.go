package account

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/internal/lists"
)

// Problem is one error in a declaration. Member is the path of the offending member as
// the accounts file spells it ("people[2].license").
type Problem struct {
	Member  string
	Message string
	// Value is the offending text when it is none of Known.
	Value string
	Known []string
}

var (
	idPattern  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	envPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
)

const idRule = "must be 1 to 64 of the characters A-Z a-z 0-9 . _ -"

// maxText is the maximum length of a free text in a declaration, in characters.
const maxText = 256

// Problems returns everything wrong with d, in the order of its members. Apply accepts
// d exactly when there are none.
func (d Declaration) Problems(plans Plans) []Problem {
	c := checker{}
	c.id("accountId", d.AccountID)
	oneOf(&c, "plan", d.Plan, slices.SortedFunc(maps.Keys(plans), comparePlans(plans))...)
	oneOf(&c, "status", d.Status, Active, Suspended, Closed)
	c.text("region", d.Region)
	oneOf(&c, "settings.definitionCopies", d.Settings.DefinitionCopies, CopiesNone, CopiesKeep30Days)
	licenses := c.licenses(d.Licenses)
	c.people(d.People, licenses)
	if most := plans[d.Plan].Members.Limit; most != nil && len(d.People) > *most {
		c.add("people", "plan %s has room for %d people and the account declares %d", d.Plan, *most, len(d.People))
	}
	c.trackingSetups(d.TrackingSetups)
	if d.AIProvider != nil {
		c.aiProvider(*d.AIProvider)
	}
	return c.all
}

type checker struct{ all []Problem }

// licenses checks the licenses and returns the set of their ids.
func (c *checker) licenses(all []License) (declared map[string]bool) {
	declared = map[string]bool{}
	primary := ""
	for i, l := range all {
		at := fmt.Sprintf("licenses[%d]", i)
		c.id(at+".licenseId", l.ID)
		if declared[l.ID] {
			c.add(at+".licenseId", "license %q is declared twice", l.ID)
		}
		declared[l.ID] = true
		if l.Default && primary != "" {
			c.add(at+".default", "licenses %q and %q cannot both be the default", primary, l.ID)
		}
		if l.Default {
			primary = l.ID
		}
		if l.Allocated != nil && *l.Allocated < 0 {
			c.add(at+".allocated", "must not be negative")
		}
		c.text(at+".label", l.Label)
		c.text(at+".region", l.Region)
		oneOf(c, at+".status", l.Status, LicenseActive, LicenseSuspended, LicenseExpired)
		oneOf(c, at+".provisioningStatus", l.Provisioning(), Provisioning, Provisioned, ProvisioningFailed)
		oneOf(c, at+".dataResidency", l.Location(), InService, InCustomerLake, InCustomerStorage)
	}
	return declared
}

// people checks the people, each of whom may have one of the licenses.
func (c *checker) people(all []Person, licenses map[string]bool) {
	declared := map[item.Person]bool{}
	for i, p := range all {
		at := fmt.Sprintf("people[%d]", i)
		if p.Person.ID == "" {
			c.add(at+".person", "must name a person: the subject of their token, or tenant/object id")
		}
		c.text(at+".person", p.Person.ID)
		c.url(at+".issuer", p.Person.Issuer)
		if declared[p.Person] {
			c.add(at+".person", "person %q is declared twice", p.Person.ID)
		}
		declared[p.Person] = true
		oneOf(c, at+".role", p.Role, Admin, Member)
		if p.License != "" && !licenses[p.License] {
			known := slices.Sorted(maps.Keys(licenses))
			c.all = append(c.all, Problem{at + ".license", fmt.Sprintf("the account declares no license %q", p.License), p.License, known})
		}
		for _, name := range slices.Sorted(maps.Keys(p.Permissions)) {
			if oneOf(c, at+".permissions", name, item.PermissionPlatform, item.PermissionUsage, item.PermissionStorage,
				item.PermissionAgent) {
				oneOf(c, at+".permissions."+string(name), p.Permissions[name], item.Granted, item.ConsentRequired, item.Unavailable)
			}
		}
	}
}

func (c *checker) trackingSetups(all []TrackingSetup) {
	workspaces := map[uuid.UUID]bool{}
	for i, s := range all {
		at := fmt.Sprintf("trackingSetups[%d]", i)
		if s.WorkspaceID == uuid.Nil {
			c.add(at+".workspaceId", "must be the workspace's id, a UUID")
		} else if workspaces[s.WorkspaceID] {
			c.add(at+".workspaceId", "workspace %s has two tracking setups", s.WorkspaceID)
		}
		workspaces[s.WorkspaceID] = true
		c.url(at+".collectorBaseUrl", s.CollectorBaseURL)
		if s.Size < 0 || s.Size > MaxPixieSize {
			c.add(at+".size", "must be 1 to %d pixels", MaxPixieSize)
		}
		if s.Corner != "" {
			oneOf(c, at+".corner", s.Corner, TopLeft, TopRight, BottomLeft, BottomRight)
		}
		for j, pattern := range s.ExcludePages {
			c.text(fmt.Sprintf("%s.excludePages[%d]", at, j), pattern)
			if strings.TrimSpace(pattern) == "" {
				c.add(fmt.Sprintf("%s.excludePages[%d]", at, j), "must not be blank")
			}
		}
	}
}

func (c *checker) aiProvider(p AIProvider) {
	oneOf(c, "aiProvider.kind", p.Kind, aiprovider.Rules, aiprovider.OpenAI, aiprovider.Anthropic, aiprovider.OpenAICompatible,
		aiprovider.AzureOpenAI, aiprovider.DataAgent)
	c.text("aiProvider.name", p.Name)
	c.text("aiProvider.model", p.Model)
	c.text("aiProvider.apiVersion", p.APIVersion)
	c.url("aiProvider.baseUrl", p.BaseURL)
	if p.Entra != nil && p.Kind != aiprovider.AzureOpenAI {
		c.add("aiProvider.entra", "is only for kind %s", aiprovider.AzureOpenAI)
	} else if p.Entra != nil {
		if member, problem := p.Entra.Problem(true); problem != "" {
			c.add("aiProvider.entra."+member, "%s", problem)
		}
	}
	if p.Kind.NeedsAddress() && p.BaseURL == "" {
		c.add("aiProvider.baseUrl", "must be given for kind %s", p.Kind)
	}
	if p.Kind.Remote() && p.Model == "" {
		c.add("aiProvider.model", "must be given for kind %s", p.Kind)
	}
	if p.Kind == aiprovider.DataAgent && p.WorkspaceID == uuid.Nil {
		c.add("aiProvider.workspaceId", "must be the id of the data agent's workspace, a UUID")
	}
	if p.Kind == aiprovider.DataAgent && p.DataAgentID == uuid.Nil {
		c.add("aiProvider.dataAgentId", "must be the data agent's id, a UUID")
	}
	if p.APIKeyEnv != "" && !envPattern.MatchString(p.APIKeyEnv) {
		c.add("aiProvider.apiKeyEnv", "must be the name of an environment variable; the key itself does not belong here")
	}
	if p.APIKeyEnv != "" && !aiprovider.MayCarryKey(p.BaseURL) {
		c.add("aiProvider.baseUrl", "must be an https address for a provider with a key, unless it is this machine's (localhost)")
	}
}

func (c *checker) add(member, format string, args ...any) {
	c.all = append(c.all, Problem{Member: member, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) id(member, id string) {
	if !idPattern.MatchString(id) {
		c.add(member, "%s", idRule)
	}
}

func (c *checker) text(member, s string) {
	switch {
	case !utf8.ValidString(s):
		c.add(member, "must be UTF-8 text")
	case utf8.RuneCountInString(s) > maxText:
		c.add(member, "must have at most %d characters", maxText)
	case strings.ContainsFunc(s, unicode.IsControl):
		c.add(member, "must be one line without control characters")
	case s != strings.TrimSpace(s):
		c.add(member, "must not begin or end with a blank")
	}
}

func (c *checker) url(member, s string) {
	if s == "" {
		return
	}
	c.text(member, s)
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		c.add(member, "must be an absolute http or https address without credentials, query and fragment")
	}
}

// oneOf reports whether value is one of known, and adds a problem when it is not.
func oneOf[T ~string](c *checker, member string, value T, known ...T) bool {
	if slices.Contains(known, value) {
		return true
	}
	names := lists.Map(known, func(k T) string { return string(k) })
	message := "must be one of " + strings.Join(names, ", ")
	if value != "" {
		message += fmt.Sprintf(", not %q", value)
	}
	c.all = append(c.all, Problem{member, message, string(value), names})
	return false
}

// comparePlans orders plans by how many people they allow, fewest first.
func comparePlans(plans Plans) func(a, b Plan) int {
	room := func(p Plan) int {
		if most := plans[p].Members.Limit; most != nil {
			return *most
		}
		return int(^uint(0) >> 1)
	}
	return func(a, b Plan) int {
		if n := room(a) - room(b); n != 0 {
			return n
		}
		return strings.Compare(string(a), string(b))
	}
}
