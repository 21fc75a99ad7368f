package account

import (
	"encoding/json"
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
)

// Declaration is everything an operator declares about one account in the accounts
// file. It is complete: the account loses whatever the declaration does not name.
type Declaration struct {
	AccountID      string
	Plan           Plan
	Status         Status
	Region         string
	Settings       Settings
	Licenses       []License
	People         []Person
	TrackingSetups []TrackingSetup
	AIProvider     *AIProvider // nil: the embedded one
}

// Corner is the corner of a report page that a Pixie is put into (docs/decisions.md
// 8.2).
type Corner string

// The corners.
const (
	TopLeft     Corner = "TopLeft"
	TopRight    Corner = "TopRight"
	BottomLeft  Corner = "BottomLeft"
	BottomRight Corner = "BottomRight"
)

// MaxPixieSize is the largest side of a Pixie in pixels.
const MaxPixieSize = 64

// TrackingSetup says how Pixies are added to the reports of a workspace. Zero values
// mean the defaults of docs/decisions.md 8.2.
type TrackingSetup struct {
	WorkspaceID      uuid.UUID `json:"workspaceId"`
	CollectorBaseURL string    `json:"collectorBaseUrl,omitempty"`
	Size             int       `json:"size,omitempty"` // pixels
	Corner           Corner    `json:"corner,omitempty"`
	ExcludePages     []string  `json:"excludePages,omitempty"` // name patterns
}

// AIProvider is the AI provider that an accounts file declares for the account
// (docs/decisions.md 8.2). APIKeyEnv names the environment variable that holds the key;
// the key itself is never part of a declaration.
type AIProvider struct {
	Kind    aiprovider.Kind `json:"kind"`
	Name    string          `json:"name,omitempty"`
	BaseURL string          `json:"baseUrl,omitempty"`
	// Model is the model's name; for kind azure_openai the deployment's name.
	Model     string `json:"model,omitempty"`
	APIKeyEnv string `json:"apiKeyEnv,omitempty"`
	// APIVersion is for kind azure_openai only; "" selects its interface without
	// versions.
	APIVersion string `json:"apiVersion,omitempty"`
	// WorkspaceID and DataAgentID identify the data agent of kind data_agent.
	WorkspaceID uuid.UUID `json:"workspaceId,omitzero"`
	DataAgentID uuid.UUID `json:"dataAgentId,omitzero"`
}

// AIProviderDocument is the name of the document that holds an account's AI provider.
const AIProviderDocument = "aiProvider"

// TrackingSetupDocument returns the name of the document that holds the tracking setup
// of a workspace.
func TrackingSetupDocument(workspaceID uuid.UUID) string {
	return "trackingSetup/" + workspaceID.String()
}

// documents returns the parts of the declaration that an account keeps as JSON, by
// name.
func (d Declaration) documents() map[string]string {
	all := make(map[string]string, len(d.TrackingSetups)+1)
	for _, s := range d.TrackingSetups {
		all[TrackingSetupDocument(s.WorkspaceID)] = text(s)
	}
	if d.AIProvider != nil {
		all[AIProviderDocument] = text(*d.AIProvider)
	}
	return all
}

// text returns v as JSON. Every v is one of our own structs, which always marshal.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

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

	licenses := map[string]bool{}
	primary := ""
	for i, l := range d.Licenses {
		at := fmt.Sprintf("licenses[%d]", i)
		c.id(at+".licenseId", l.ID)
		if licenses[l.ID] {
			c.add(at+".licenseId", "license %q is declared twice", l.ID)
		}
		licenses[l.ID] = true
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
		oneOf(&c, at+".status", l.Status, LicenseActive, LicenseSuspended, LicenseExpired)
		oneOf(&c, at+".provisioningStatus", l.Provisioning(), Provisioning, Provisioned, ProvisioningFailed)
		oneOf(&c, at+".dataResidency", l.Location(), InService, InCustomerLake, InCustomerStorage)
	}

	people := map[item.Person]bool{}
	for i, p := range d.People {
		at := fmt.Sprintf("people[%d]", i)
		if p.Person.ID == "" {
			c.add(at+".person", "must name a person: the subject of their token, or tenant/object id")
		}
		c.text(at+".person", p.Person.ID)
		c.url(at+".issuer", p.Person.Issuer)
		if people[p.Person] {
			c.add(at+".person", "person %q is declared twice", p.Person.ID)
		}
		people[p.Person] = true
		oneOf(&c, at+".role", p.Role, Admin, Member)
		if p.License != "" && !licenses[p.License] {
			known := slices.Sorted(maps.Keys(licenses))
			c.all = append(c.all, Problem{at + ".license", fmt.Sprintf("the account declares no license %q", p.License), p.License, known})
		}
		for _, name := range slices.Sorted(maps.Keys(p.Permissions)) {
			if oneOf(&c, at+".permissions", name, item.PermissionPlatform, item.PermissionUsage, item.PermissionStorage, item.PermissionAgent) {
				oneOf(&c, at+".permissions."+string(name), p.Permissions[name], item.Granted, item.ConsentRequired, item.Unavailable)
			}
		}
	}
	if most := plans[d.Plan].Members.Limit; most != nil && len(d.People) > *most {
		c.add("people", "plan %s has room for %d people and the account declares %d", d.Plan, *most, len(d.People))
	}

	workspaces := map[uuid.UUID]bool{}
	for i, s := range d.TrackingSetups {
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
			oneOf(&c, at+".corner", s.Corner, TopLeft, TopRight, BottomLeft, BottomRight)
		}
		for j, pattern := range s.ExcludePages {
			c.text(fmt.Sprintf("%s.excludePages[%d]", at, j), pattern)
			if strings.TrimSpace(pattern) == "" {
				c.add(fmt.Sprintf("%s.excludePages[%d]", at, j), "must not be blank")
			}
		}
	}

	if p := d.AIProvider; p != nil {
		oneOf(&c, "aiProvider.kind", p.Kind, aiprovider.Rules, aiprovider.OpenAI, aiprovider.Anthropic, aiprovider.OpenAICompatible, aiprovider.AzureOpenAI, aiprovider.DataAgent)
		c.text("aiProvider.name", p.Name)
		c.text("aiProvider.model", p.Model)
		c.text("aiProvider.apiVersion", p.APIVersion)
		c.url("aiProvider.baseUrl", p.BaseURL)
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
	return c.all
}

type checker struct{ all []Problem }

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
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
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
