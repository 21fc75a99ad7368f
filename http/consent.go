package http

// The names that the platform's vendor has for the permissions (spec 2.4, 5.4).
const (
	platformPermission = "Item.ReadWrite.All"
	usagePermission    = "Dataset.Read.All"
)

// consentURL is the page of the web portal that grants a permission; its grant query parameter names it.
func (s *Server) consentURL(permission string) string {
	u := *s.portal
	q := u.Query()
	q.Set("grant", permission)
	u.RawQuery = q.Encode()
	return u.String()
}
