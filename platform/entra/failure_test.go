package entra_test

import (
	"fmt"
	"net/http"
	"testing"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// Each number that the identity provider can refuse an exchange with means the same by whatever name the error goes. Claims and
// missing consent decide before the number does.
func TestEveryNumber(t *testing.T) {
	t.Parallel()
	const (
		consent = domain.PlatformConsentRequired
		denied  = domain.PlatformAccessDenied
		again   = domain.Unauthorized
		away    = domain.PlatformUnavailable
	)
	w := newWorld(t)
	refuses := func(status, number int, name, sub, claims string, want domain.Code, words string) {
		t.Helper()
		w.provider.Refuse(emulator.Refusal{Status: status, Body: map[string]any{"error": name, "suberror": sub, "claims": claims,
			"error_codes": []int{1, number}, "error_description": fmt.Sprintf("AADSTS%d", number)}})
		_, err := w.For(t.Context(), w.ada(t), item.PermissionPlatform)
		refused(t, fmt.Sprintf("%d %d %s %s %s", status, number, name, sub, claims), err, want, words)
	}
	for _, c := range []struct {
		want    domain.Code
		words   string
		numbers []int
	}{
		{consent, "consentUrl", []int{65001, 65004, 90094, 90008, 650052, 650057}},
		{denied, "sign-in policy", []int{53003, 530035, 53011, 50105, 50131}},
		{domain.TokenExpired, "sign in again", []int{50013, 500133, 50173, 50132, 50133}},
		{denied, "not one of the organization's", []int{50020, 51004, 50034}},
		{away, "readinessd fabric check", []int{7000215, 7000222, 700016, 650056, 500011, 700027, 70021}},
		{away, "failed; try again", []int{50033, 50087, 90033}},
	} {
		for _, number := range c.numbers {
			for _, name := range []string{"invalid_grant", "interaction_required", "odd"} {
				refuses(http.StatusBadRequest, number, name, "", "", c.want, c.words)
			}
			refuses(http.StatusBadRequest, number, "invalid_grant", "consent_required", "", consent, "consentUrl")
			if c.want != consent {
				refuses(http.StatusBadRequest, number, "invalid_grant", "", `{"access_token":{}}`, again, "with the claims")
			}
		}
	}
	for _, number := range []int{50076, 50079, 50072, 50074, 50078, 50158, 53000, 53001, 53002, 50097} {
		for _, name := range []string{"invalid_grant", "interaction_required"} {
			refuses(http.StatusBadRequest, number, name, "", `{"access_token":{}}`, again, "with the claims")
		}
		refuses(http.StatusUnauthorized, number, "interaction_required", "", "", again, "sign in again")
	}
	refuses(http.StatusTooManyRequests, 90033, "invalid_grant", "", "", away, "failed; try again")
	refuses(http.StatusTooManyRequests, 5, "invalid_grant", "", "", away, "failed; try again")
	if _, err := w.For(t.Context(), w.ada(t), item.PermissionPlatform); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
