package account

import (
	"net/url"

	"readiness/domain/item"
)

// Permission is the caller's access to one permission on the platform, as the
// permissions list shows it.
type Permission struct {
	Name item.Permission
	// Permission is the platform vendor's name for it.
	Permission string
	Access     item.Access
	// Required is true for the permission that every call to the platform needs.
	Required  bool
	NeededFor string // a sentence
	// Message says why the permission is not available; empty when it is granted.
	Message string
	// ConsentURL is the page that grants it; empty unless consent is missing.
	ConsentURL string
}

// permissions holds what is the same for everyone, in display order.
var permissions = []Permission{
	{
		Name: item.PermissionPlatform, Permission: "Item.ReadWrite.All", Required: true,
		NeededFor: "Every call that reads or changes workspaces, reports and semantic models needs it.",
	},
	{
		Name: item.PermissionUsage, Permission: "Dataset.Read.All",
		NeededFor: "Assessments and previews need it to weigh findings by how often people view the fields; without it they are " +
			"unweighted.",
	},
	{
		Name: item.PermissionStorage, Permission: "user_impersonation",
		NeededFor: "The service needs it to store results in your organization's own storage and to read them from there.",
	},
	{
		Name: item.PermissionAgent, Permission: "DataAgent.Execute.All",
		NeededFor: "The service needs it to ask data agents, as the account's AI provider or as the AI that answers a benchmark or " +
			"an A/B test.",
	},
}

// VendorName returns the platform vendor's name for a permission; empty for a
// permission that is none of the four.
func VendorName(name item.Permission) string {
	for _, p := range permissions {
		if p.Name == name {
			return p.Permission
		}
	}
	return ""
}

// Permissions returns the permissions list of a caller with the given access: always
// all four, in the same order. A permission missing from access could not be looked up
// and is Unavailable. portal is the web portal's page on which permissions are granted
// (see ConsentURL).
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
			p.Message = p.Permission +
				" cannot be used now: the platform did not answer, or your organization's sign-in policy did not allow it. Try again later."
		}
		all[i] = p
	}
	return all
}

// ConsentURL returns the address of the portal's page that grants a permission, given
// by its vendor's name. It adds the query parameter grant and keeps the page's other
// parameters.
func ConsentURL(portal url.URL, permission string) string {
	q := portal.Query()
	q.Set("grant", permission)
	portal.RawQuery = q.Encode()
	return portal.String()
}
