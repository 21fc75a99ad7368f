package setup

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/entra"
	"readiness/platform/fabric"
	"readiness/platform/fabric/iq"
)

// Check goes through what the service needs: the configuration, the addresses, each tenant's sign-in, the exchange of a
// person's token for each permission, and one read. It reports a line for each step that holds and returns what is wrong with
// the first that does not, with what to do. Without a token it ends after the sign-in. It changes nothing and reports no token.
func (a *Application) Check(ctx context.Context, token string, report func(step, outcome string), log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	exchange, err := a.Exchange(log)
	if err == nil {
		err = a.tryCredential(ctx)
	}
	if err != nil {
		return err
	}
	report("configuration", fmt.Sprintf("application %s, %d tenant(s)", a.ClientID, len(a.Tenants)))
	for _, tenant := range a.Tenants {
		if err := a.findTenant(ctx, tenant); err != nil {
			return err
		}
		report("sign-in", fmt.Sprintf("tenant %s is at %s", tenant, a.Authority))
	}
	if token == "" {
		report("exchange", "not tried: give the token that a person sends to the service in --token-file")
		return nil
	}
	as, err := a.callerIn(token)
	if err != nil {
		return err
	}
	p, err := fabric.New(fabric.Options{URL: a.URL, PowerBIURL: a.PowerBIURL, Tokens: exchange.For, Challenged: exchange.Challenged,
		Transport: a.Transport, Log: log})
	if err != nil {
		return err
	}
	if err := a.checkExchanges(ctx, exchange, as, report); err != nil {
		return err
	}
	if err := cmp.Or(a.reach(ctx, "--fabric-url", a.URL), a.reach(ctx, "--fabric-power-bi-url", a.PowerBIURL)); err != nil {
		return err
	}
	workspaces, err := p.Workspaces(ctx, as)
	if err != nil {
		return fmt.Errorf("the workspaces cannot be read: %s", a.explained(err, item.PermissionPlatform))
	}
	report("reading", fmt.Sprintf("%d workspace(s)", len(workspaces)))
	return nil
}

// checkExchanges asks for a token for each permission. Only the permission for the platform itself is needed.
func (a *Application) checkExchanges(ctx context.Context, exchange *entra.Exchange, as item.Caller,
	report func(step, outcome string)) error {
	for _, p := range []item.Permission{item.PermissionPlatform, item.PermissionUsage, item.PermissionAgent, item.PermissionStorage,
		fabric.PermissionCapacity, iq.Permission} {
		_, err := exchange.For(ctx, as, p)
		switch {
		case err == nil:
			report("exchange", fmt.Sprintf("%s: granted", p))
		case p == item.PermissionPlatform:
			return fmt.Errorf("the service cannot act for this person: %s", a.explained(err, p))
		case domain.IsRefused(err, domain.PlatformConsentRequired):
			report("exchange", fmt.Sprintf("%s: not granted; %s", p, a.explained(err, p)))
		default:
			report("exchange", fmt.Sprintf("%s: %s", p, a.explained(err, p)))
		}
	}
	return nil
}

// maxMetadata bounds the metadata of a tenant, in bytes.
const maxMetadata = 1 << 20

// findTenant reads the tenant's sign-in metadata.
func (a *Application) findTenant(ctx context.Context, tenant string) error {
	address := strings.TrimSuffix(a.Authority, "/") + "/" + tenant + "/v2.0/.well-known/openid-configuration"
	res, err := a.visit(ctx, address)
	if err != nil {
		return a.unreachable("the sign-in at "+a.Authority, "--fabric-authority", err)
	}
	defer res.Body.Close()
	var metadata struct {
		Issuer        string
		TokenEndpoint string `json:"token_endpoint"`
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata))
	if err == nil {
		err = json.Unmarshal(text, &metadata)
	}
	if res.StatusCode != http.StatusOK || err != nil || metadata.TokenEndpoint == "" {
		return fmt.Errorf("tenant %s is not known at %s (status %d); check --fabric-tenant", tenant, a.Authority, res.StatusCode)
	}
	return nil
}

// callerIn returns the person of a token without verifying it, which the identity provider does. It refuses a token that
// the provider would refuse without a reason.
func (a *Application) callerIn(token string) (item.Caller, error) {
	_, rest, _ := strings.Cut(token, ".")
	payload, _, ok := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	var claims struct {
		Iss, Tid, Oid, IDTyp string
		Aud                  any
		Scp                  *string
	}
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	audience, single := claims.Aud.(string)
	switch {
	case !ok || err != nil || claims.Tid == "" || claims.Oid == "":
		return item.Caller{}, errors.New("--token-file holds no token of Microsoft Entra ID for a person: it has no claims tid and oid")
	case claims.IDTyp == "app" || claims.Scp == nil:
		return item.Caller{}, errors.New("--token-file holds the token of a program (app-only), and the service acts for people only; " +
			"sign in as a person")
	case single && !strings.EqualFold(strings.TrimPrefix(audience, "api://"), a.ClientID):
		return item.Caller{}, fmt.Errorf("--token-file holds a token for %q, not for the application %s; sign in with a scope of the "+
			"application, or check --fabric-client-id", audience, a.ClientID)
	case !slices.ContainsFunc(a.Tenants, func(t string) bool { return strings.EqualFold(t, claims.Tid) }):
		return item.Caller{}, fmt.Errorf("--token-file holds a token of tenant %s, for which the service is not configured; add it to "+
			"--fabric-tenant, or sign in with an account of another tenant", claims.Tid)
	}
	return item.Caller{Person: item.Person{Issuer: claims.Iss, ID: claims.Tid + "/" + claims.Oid}, Token: token}, nil
}
