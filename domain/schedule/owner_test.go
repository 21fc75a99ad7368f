package schedule_test

import (
	"testing"

	"readiness/domain"
	domainaccount "readiness/domain/account"
	"readiness/domain/schedule"
)

func TestCheckOwner(t *testing.T) {
	t.Parallel()
	may, mayNot := domainaccount.Limits{ScheduledAssessments: true}, domainaccount.Limits{}
	member := domainaccount.Membership{AccountID: "contoso", Status: domainaccount.Active,
		Settings: domainaccount.Settings{AIFeatures: true}}
	stopped, turnedOff := member, member
	stopped.Status, turnedOff.Settings.AIFeatures = "Suspended", false
	for name, c := range map[string]struct {
		m      domainaccount.Membership
		known  bool
		limits domainaccount.Limits
		code   domain.Code
	}{
		"a member":                        {member, true, may, ""},
		"no longer a member":              {domainaccount.Membership{}, false, mayNot, domain.UserNotRegistered},
		"of an account that is stopped":   {stopped, true, mayNot, domain.AccountNotActive},
		"of a plan without schedules":     {turnedOff, true, mayNot, domain.FeatureNotInPlan},
		"with the AI features turned off": {turnedOff, true, may, domain.FeatureTurnedOff},
	} {
		err := schedule.CheckOwner("contoso", c.m, c.known, c.limits)
		r, refused := domain.Refused(err)
		if c.code == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !refused || r.Code != c.code {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
			continue
		}
		if _, pauses := schedule.ReasonOf(r); !pauses {
			t.Errorf("%s: the refusal does not pause the schedule", name)
		}
	}
	if err := schedule.NoToken(); !domain.IsRefused(err, schedule.CredentialExpired) {
		t.Errorf("without a token: %v", err)
	}
}
