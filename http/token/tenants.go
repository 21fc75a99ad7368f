package token

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// tenantPlace is the placeholder of a tenant's id in the URL of a Trusted.
const tenantPlace = "{tid}"

// Trusted is an issuer whose tokens are accepted, or the issuers of several tenants of one provider.
type Trusted struct {
	// URL is the issuer's name, exactly as the iss claim of its tokens, and the base address for discovery. If it contains {tid}, it
	// stands for the issuers of Tenants, with the id of the tenant in that place; a token must have the same tenant in tid.
	URL string
	// Tenants are ids of tenants (UUIDs). They matter only for a URL with {tid}.
	Tenants []string
	// Audiences are the names of this service at the issuer. A token must be for one of them.
	Audiences []string
}

// oneIssuer is the name of an issuer and the tenant that its tokens must name; empty for any.
type oneIssuer struct{ url, tenant string }

// issuers returns the issuers that t stands for.
func (t Trusted) issuers() ([]oneIssuer, error) {
	before, after, several := strings.Cut(t.URL, tenantPlace)
	switch {
	case strings.ContainsAny(before+after, "{}"):
		return nil, fmt.Errorf("token: issuer %s has braces; %s, once, stands for the tenant", t.URL, tenantPlace)
	case strings.Contains(strings.ToLower(t.URL), item.PersonalTenant) || several && slices.Contains(t.Tenants, item.PersonalTenant):
		return nil, errors.New("token: the tenant " + item.PersonalTenant + " is that of personal accounts, whose people are not served")
	case !several:
		return []oneIssuer{{url: t.URL}}, nil
	case len(t.Tenants) == 0:
		return nil, fmt.Errorf("token: issuer %s is for several tenants, and none is configured", t.URL)
	}
	var all []oneIssuer
	for _, tenant := range t.Tenants {
		id, err := uuid.Parse(tenant)
		if err != nil {
			return nil, fmt.Errorf("token: %q is not the id of a tenant (a UUID)", tenant)
		}
		if one := (oneIssuer{before + id.String() + after, id.String()}); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all, nil
}

// stranger refuses a token whose issuer is none of those that are trusted. It says why if the issuer is another tenant of a
// provider of several, or that of personal accounts.
func (v *Verifier) stranger(iss string) error {
	for _, several := range v.several {
		before, after, _ := strings.Cut(several, tenantPlace)
		rest, ok := strings.CutPrefix(iss, before)
		tenant, ok2 := strings.CutSuffix(rest, after)
		if _, err := uuid.Parse(tenant); !ok || !ok2 || err != nil {
			continue
		}
		if strings.EqualFold(tenant, item.PersonalTenant) {
			return personal()
		}
		return domain.Refuse(domain.Unauthorized, "the access token comes from an organization (tenant %s) that this service is not "+
			"configured for; sign in with an account of one that it serves, or ask its operator to add the tenant", tenant)
	}
	return domain.Refuse(domain.Unauthorized, "the access token is from an issuer that this service does not trust")
}

func personal() error {
	return domain.Refuse(domain.Unauthorized, "the access token belongs to a personal account, which this service does not serve; sign in "+
		"with an account of your organization")
}

// ofTenant returns a refusal unless the token's tenant is the one that its issuer is for.
func (c claims) ofTenant(issuer string) error {
	switch {
	case strings.EqualFold(c.Tenant, item.PersonalTenant):
		return personal()
	case issuer != "" && c.Tenant != issuer:
		return domain.Refuse(domain.Unauthorized, "the access token names another tenant in tid than its issuer is for")
	}
	return nil
}
