package http

import (
	"readiness/domain/account"
	"readiness/domain/item"
)

// The names that the platform's vendor has for the permissions (spec 2.4, 5.4).
var (
	platformPermission = account.VendorName(item.PermissionPlatform)
	usagePermission    = account.VendorName(item.PermissionUsage)
	agentPermission    = account.VendorName(item.PermissionAgent)
)

// consentURL is the page of the web portal that grants a permission.
func (s *Server) consentURL(permission string) string {
	return account.ConsentURL(*s.portal, permission)
}
