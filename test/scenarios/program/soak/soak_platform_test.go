//go:build hard

package soak_test

import (
	"fmt"
	"time"

	"readiness/domain/item"
	"readiness/http/token"
	"readiness/platform/fabric/emulator"
	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// choosePlatform leaves the program on the folder, or puts it on the emulator, whose operations end soon.
func (s *soak) choosePlatform() {
	s.T.Helper()
	const lasts = 24 * time.Hour
	own, err := token.OpenIssuer(s.Data)
	testworld.Check(s.T, err)
	s.as = func(name string) item.Person { return item.Person{ID: name} }
	s.mints = func(account, name string) (string, error) {
		return own.Mint(account, name, []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), lasts)
	}
	switch *soakOver {
	case "folder":
	case "emulator":
		var all []string
		for i, plan := range soakPlans {
			all = append(all, soakNames(i, plan)...)
		}
		_, issuer := s.Emulate(all, func(o *emulator.Options) {
			o.Lasts, o.RetryAfter, o.Layout = 50*time.Millisecond, time.Second, emulator.Layout{Exact: true}
		})
		s.WritesToFabric()
		s.Args = append(s.Args, "--fabric-share", "10000", "--workers", "8") // most steps wait for an operation of the platform
		s.as = func(name string) item.Person {
			return item.Person{Issuer: issuer, ID: program.Tenant + "/" + emulator.User{Name: name}.ID()}
		}
		s.mints = func(_, name string) (string, error) {
			return s.Entra.SignIn(program.Tenant, emulator.User{Name: name}.ID(), lasts)
		}
	default:
		s.T.Fatalf("-soak.platform must be folder or emulator, not %q", *soakOver)
	}
}

// soakNames returns the names of the people of an account.
func soakNames(i int, plan string) []string {
	names := []string{fmt.Sprintf("ada-%d", i), fmt.Sprintf("bob-%d", i)}
	if plan == "Free" {
		return names[:1]
	}
	return names
}
