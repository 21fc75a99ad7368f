// Package declared reads the operator's YAML files: the accounts of a service (accounts.yaml), what each plan grants
// (plans.yaml), and which rules are off or have another severity (rules.yaml). It also describes, for people, what
// applying the accounts changes. It stores nothing and decides nothing.
package declared

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/readiness/ownrules"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

// MaxBytes is the largest file that Parse and ParsePlans accept, in bytes.
const MaxBytes = 4 << 20

// Error is one problem in a file. Line and Column count from 1; both are 0 when the problem concerns the file as a
// unit.
type Error struct {
	File         string
	Line, Column int
	// Member is the path of the member ("accounts[0].people[2].license"); empty for a YAML syntax error.
	Member  string
	Message string
}

// Error formats the problem as file:line:column: member: message.
func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprintf(":%d:%d", e.Line, e.Column)
	}
	if e.Member != "" {
		s += ": " + e.Member
	}
	return s + ": " + e.Message
}

// The accounts file as written. A nil pointer is an omitted member.
type (
	fileDoc struct {
		Accounts []accountDoc `yaml:"accounts"`
	}
	accountDoc struct {
		AccountID      string             `yaml:"accountId"`
		Plan           string             `yaml:"plan"`
		Status         *string            `yaml:"status"`
		Region         string             `yaml:"region"`
		Settings       settingsDoc        `yaml:"settings"`
		Licenses       []licenseDoc       `yaml:"licenses"`
		People         []personDoc        `yaml:"people"`
		TrackingSetups []trackingSetupDoc `yaml:"trackingSetups"`
		AIProvider     *aiProviderDoc     `yaml:"aiProvider"`
		Rules          string             `yaml:"rules"`
	}
	settingsDoc struct {
		AddPixies        *bool   `yaml:"addPixies"`
		CapacityDetails  *bool   `yaml:"capacityDetails"`
		AIFeatures       *bool   `yaml:"aiFeatures"`
		DefinitionCopies *string `yaml:"definitionCopies"`
		FabricWrites     *bool   `yaml:"fabricWrites"`
	}
	licenseDoc struct {
		LicenseID string  `yaml:"licenseId"`
		Label     string  `yaml:"label"`
		Default   bool    `yaml:"default"`
		Allocated *int    `yaml:"allocated"`
		Region    string  `yaml:"region"`
		Status    *string `yaml:"status"`

		ProvisioningStatus *string `yaml:"provisioningStatus"`
		DataResidency      *string `yaml:"dataResidency"`
		CapacityRequired   bool    `yaml:"capacityRequired"`
	}
	personDoc struct {
		Person      string            `yaml:"person"`
		Issuer      string            `yaml:"issuer"`
		Role        *string           `yaml:"role"`
		License     string            `yaml:"license"`
		Permissions map[string]string `yaml:"permissions"`
	}
	trackingSetupDoc struct {
		WorkspaceID      string   `yaml:"workspaceId"`
		CollectorBaseURL string   `yaml:"collectorBaseUrl"`
		Size             int      `yaml:"size"`
		Corner           string   `yaml:"corner"`
		ExcludePages     []string `yaml:"excludePages"`
	}
	aiProviderDoc struct {
		Kind      string `yaml:"kind"`
		Name      string `yaml:"name"`
		BaseURL   string `yaml:"baseUrl"`
		Model     string `yaml:"model"`
		APIKeyEnv string `yaml:"apiKeyEnv"`

		APIVersion  string `yaml:"apiVersion"`
		WorkspaceID string `yaml:"workspaceId"`
		DataAgentID string `yaml:"dataAgentId"`

		Entra *struct {
			Credential string `yaml:"credential"`
			TenantID   string `yaml:"tenantId"`
			ClientID   string `yaml:"clientId"`
		} `yaml:"entra"`
	}
)

// Parse reads an accounts file. Omitted members get their defaults: status Active, role member, the three switches on,
// definitionCopies None, fabricWrites off. file is the name that errors carry, and beside has the rules files that it may name; nil: none.
// On failure Parse returns no declarations; the error joins one *Error for each problem, in file order.
func Parse(file string, src []byte, plans account.Plans, beside fs.FS) ([]account.Declaration, error) {
	var doc fileDoc
	d := decode(file, src, &doc)
	if len(d.problems) > 0 {
		return nil, d.failure()
	}
	if len(doc.Accounts) == 0 {
		d.report("accounts", "must declare at least one account")
	}
	declarations := make([]account.Declaration, len(doc.Accounts))
	first := map[string]int{}
	for i, a := range doc.Accounts {
		at := fmt.Sprintf("accounts[%d]", i)
		declarations[i] = a.declaration()
		if a.Rules != "" {
			d.rules(at+".rules", a.Rules, beside, &declarations[i])
		}
		for _, p := range declarations[i].Problems(plans) {
			d.reportProblem(at, p)
		}
		if j, twice := first[a.AccountID]; twice {
			d.report(at+".accountId", fmt.Sprintf("account %q is declared at accounts[%d] already", a.AccountID, j))
		} else {
			first[a.AccountID] = i
		}
	}
	if len(d.problems) > 0 {
		return nil, d.failure()
	}
	return declarations, nil
}

// rules reads the rules file of an account. What is wrong in it is reported at its place there.
func (d *decoder) rules(at, name string, beside fs.FS, of *account.Declaration) {
	if !fs.ValidPath(name) || name == "." {
		d.report(at, fmt.Sprintf("must be the path of a rules file in the folder of this file or below, with slashes and without .., not %q", name))
		return
	}
	src, err := readBelow(beside, name)
	if err != nil {
		d.report(at, "the rules file cannot be read: "+err.Error())
		return
	}
	f, err := ParseRulesFile(path.Join(filepath.ToSlash(filepath.Dir(d.file)), name), src, readiness.Current())
	var (
		written ownrules.Written
		made    *readiness.Regime
	)
	if err == nil {
		f.File = name // as results show it
		written, made, err = Combine([]*RulesFile{f}, readiness.Current())
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			if p, ok := errors.AsType[*Error](one); ok {
				d.problems = append(d.problems, p)
			}
		}
	}
	if err != nil {
		return
	}
	text, err := json.Marshal(written)
	if err != nil {
		d.report(at, err.Error())
		return
	}
	of.Rules, of.Settings.Rules = string(text), "+"+strings.TrimPrefix(strings.TrimPrefix(made.ID, readiness.RegimeID), "+")
}

// readBelow reads a file, but at most one byte more than ParseRulesFile accepts.
func readBelow(files fs.FS, name string) ([]byte, error) {
	if files == nil {
		return nil, fs.ErrNotExist
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxRulesBytes+1))
}

func (a accountDoc) declaration() account.Declaration {
	d := account.Declaration{
		AccountID: a.AccountID,
		Plan:      account.Plan(a.Plan),
		Status:    account.Status(optional.Or(a.Status, string(account.Active))),
		Region:    a.Region,
		Settings: account.Settings{
			AddPixies:        optional.Or(a.Settings.AddPixies, true),
			CapacityDetails:  optional.Or(a.Settings.CapacityDetails, true),
			AIFeatures:       optional.Or(a.Settings.AIFeatures, true),
			DefinitionCopies: account.Copies(optional.Or(a.Settings.DefinitionCopies, string(account.CopiesNone))),
			FabricWrites:     optional.Or(a.Settings.FabricWrites, false),
		},
	}
	for _, l := range a.Licenses {
		d.Licenses = append(d.Licenses, account.License{
			ID: l.LicenseID, Label: l.Label, Default: l.Default, Allocated: l.Allocated, Region: l.Region,
			Status: optional.Or(l.Status, account.LicenseActive), CapacityRequired: l.CapacityRequired,
			ProvisioningStatus: unlessDefault(account.Provisioned, l.ProvisioningStatus),
			DataResidency:      account.Location(unlessDefault(string(account.InService), l.DataResidency)),
		})
	}
	for _, p := range a.People {
		person := account.Person{
			Person:  item.Person{Issuer: p.Issuer, ID: p.Person},
			Role:    account.Role(optional.Or(p.Role, string(account.Member))),
			License: p.License,
		}
		for name, access := range p.Permissions {
			if person.Permissions == nil {
				person.Permissions = map[item.Permission]item.Access{}
			}
			person.Permissions[item.Permission(name)] = item.Access(access)
		}
		d.People = append(d.People, person)
	}
	for _, s := range a.TrackingSetups {
		d.TrackingSetups = append(d.TrackingSetups, account.TrackingSetup{
			WorkspaceID: id(s.WorkspaceID), CollectorBaseURL: s.CollectorBaseURL, Size: s.Size, Corner: account.Corner(s.Corner),
			ExcludePages: s.ExcludePages,
		})
	}
	if p := a.AIProvider; p != nil {
		d.AIProvider = &account.AIProvider{
			Kind: aiprovider.Kind(p.Kind), Name: p.Name, BaseURL: p.BaseURL, Model: p.Model, APIKeyEnv: p.APIKeyEnv,
			APIVersion: p.APIVersion, WorkspaceID: id(p.WorkspaceID), DataAgentID: id(p.DataAgentID),
		}
		if e := p.Entra; e != nil {
			d.AIProvider.Entra = &aiprovider.Entra{Credential: aiprovider.EntraCredential(e.Credential), TenantID: e.TenantID,
				ClientID: e.ClientID}
		}
	}
	return d
}

// id parses a UUID in its canonical 36-character form, in any letter case. It returns uuid.Nil for anything else; the
// declaration rejects uuid.Nil where it requires an id.
func id(s string) uuid.UUID {
	id, err := uuid.Parse(s)
	if err != nil || len(s) != len(id.String()) {
		return uuid.Nil
	}
	return id
}

// unlessDefault returns *v, or "" if v is nil or holds the default. A file that spells out a default must not differ
// from one that omits it.
func unlessDefault(byDefault string, v *string) string {
	if v == nil || *v == byDefault {
		return ""
	}
	return *v
}

// failure joins all problems in file order.
func (d *decoder) failure() error {
	slices.SortStableFunc(d.problems, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	all := lists.Map(d.problems, func(p *Error) error { return p })
	return errors.Join(all...)
}
