package item

import (
	"time"

	"readiness/domain"
)

// Permitted refuses to act on the platform for a person unless access grants the
// platform permission. The refusal is PlatformConsentRequired, or PlatformUnavailable
// when the access is unknown.
func Permitted(access map[Permission]Access) error {
	switch access[PermissionPlatform] {
	case Granted:
		return nil
	case ConsentRequired:
		return domain.Refuse(domain.PlatformConsentRequired,
			"you have not granted the service the permission to act on the platform for you; grant it on the page of the parameter "+
				"consentUrl, then call again")
	case Unavailable:
	}
	return domain.Refuse(domain.PlatformUnavailable, "the platform could not be reached for you just now, or your organization's sign-in "+
		"policy did not allow it; try again later").After(5 * time.Second)
}
