package account

import (
	"net/url"

	"readiness/domain/item"
)

// Permission is how the caller stands to one permission on the platform, as the
// permissions list shows it (spec 2.4).
type Permission struct {
	Name item.Permission
	// Permission is the name it has at the platform's vendor.
	Permission string
	Access     item.Access
	// Required is true for the one that every call reading the platform needs.
	Required  bool
	NeededFor string // a sentence
	// Message says why it is not available; empty when it is granted.
	Message string
	// ConsentURL is the page that grants it; empty unless consent is what lacks.
	ConsentURL string
}

// permissions are what is the same for everyone, in the order they are shown.
var permissions = []Permission{
	{
		Name: item.PermissionPlatform, Permission: "Item.ReadWrite.All", Required: true,
		NeededFor: "Every call that reads or changes workspaces, reports and semantic models needs it.",
	},
	{
		Name: item.PermissionUsage, Permission: "Dataset.Read.All",
		NeededFor: "It lets assessments and previews weigh what they find by what people look at; without it they run unweighted.",
	},
	{
		Name: item.PermissionStorage, Permission: "user_impersonation",
		NeededFor: "It lets results be kept in, and read from, storage that is your organization's own.",
	},
	{
		Name: item.PermissionAgent, Permission: "DataAgent.Execute.All",
		NeededFor: "It lets a data agent be asked: as the account's AI provider, and as what answers a benchmark or an A/B test.",
	},
}

// VendorName is the name a permission has at the platform's vendor; empty for a
// permission that is none of the four.
func VendorName(name item.Permission) string {
	for _, p := range permissions {
		if p.Name == name {
			return p.Permission
		}
	}
	return ""
}

// Permissions is the permissions list of a caller who stands to the permissions
// as access says: always the four, in one order. What access does not say could
// not be found out, so it is Unavailable. portal is the web portal's page on
// which permissions are granted (see ConsentURL).
func Permissions(access map[item.Permission]item.Access, portal url.URL) []Permission {
	all := make([]Permission, len(permissions))
	for i, p := range permissions {
		switch p.Access = access[p.Name]; p.Access {
		case item.Granted:
		case item.ConsentRequired:
			p.Message = "You have not granted " + p.Permission + "; grant it on the page of consentUrl."
			p.ConsentURL = ConsentURL(portal, p.Permission)
		default:
			p.Access = item.Unavailable
			p.Message = p.Permission + " could not be used just now: the platform did not answer, or your organization's sign-in policy did not allow it. Try again later."
		}
		all[i] = p
	}
	return all
}

// ConsentURL is the page of the web portal that grants a permission, given by
// its vendor's name: the portal's page with the query parameter grant, and
// whatever query it has already.
func ConsentURL(portal url.URL, permission string) string {
	q := portal.Query()
	q.Set("grant", permission)
	portal.RawQuery = q.Encode()
	return portal.String()
}
