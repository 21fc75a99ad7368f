package http

import (
	"readiness/domain/account"
	"readiness/domain/item"
)

// The platform vendor's names of the permissions.
var (
	platformPermission = account.VendorName(item.PermissionPlatform)
	usagePermission    = account.VendorName(item.PermissionUsage)
	agentPermission    = account.VendorName(item.PermissionAgent)
)

// consentURL returns the address of the web portal's page that grants a permission.
func (s *Server) consentURL(permission string) string {
	return account.ConsentURL(*s.portal, permission)
}
