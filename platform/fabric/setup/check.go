package setup

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/entra"
	"readiness/platform/fabric"
	"readiness/platform/fabric/iq"
)

// Check goes through what the service needs: the configuration, each tenant's sign-in, the exchange of a person's token for
// each permission, and one read. It reports a line for each step that holds and returns what is wrong with the first that
// does not, with what to do. Without a token it ends after the sign-in. It changes nothing and reports no token.
func (a *Application) Check(ctx context.Context, token string, report func(step, outcome string), log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	exchange, err := a.Exchange(log)
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
	as, err := callerIn(token)
	if err != nil {
		return err
	}
	p, err := fabric.New(fabric.Options{URL: a.URL, PowerBIURL: a.PowerBIURL, Tokens: exchange.For, Transport: a.Transport, Log: log})
	if err != nil {
		return err
	}
	if err := checkExchanges(ctx, exchange, as, report); err != nil {
		return err
	}
	workspaces, err := p.Workspaces(ctx, as)
	if err != nil {
		return fmt.Errorf("the workspaces cannot be read: %w", err)
	}
	report("reading", fmt.Sprintf("%d workspace(s)", len(workspaces)))
	return nil
}

// checkExchanges asks for a token for each permission. Only the permission for the platform itself is needed.
func checkExchanges(ctx context.Context, exchange *entra.Exchange, as item.Caller, report func(step, outcome string)) error {
	for _, p := range []item.Permission{item.PermissionPlatform, item.PermissionUsage, item.PermissionAgent, item.PermissionStorage,
		fabric.PermissionCapacity, iq.Permission} {
		_, err := exchange.For(ctx, as, p)
		refusal, refused := domain.Refused(err)
		switch {
		case err == nil:
			report("exchange", fmt.Sprintf("%s: granted", p))
		case refused && refusal.Code == domain.PlatformConsentRequired:
			report("exchange", fmt.Sprintf("%s: not granted; grant the application %s", p, strings.Join(fabric.Scopes[p], " ")))
		default:
			report("exchange", fmt.Sprintf("%s: %s", p, wordsOf(err)))
		}
		if err != nil && p == item.PermissionPlatform {
			return fmt.Errorf("the service cannot act for this person: %s", wordsOf(err))
		}
	}
	return nil
}

// wordsOf returns what a refusal says to people, without its code.
func wordsOf(err error) string {
	if refusal, refused := domain.Refused(err); refused {
		return refusal.Message
	}
	return err.Error()
}

// maxMetadata bounds the metadata of a tenant, in bytes.
const maxMetadata = 1 << 20

// findTenant reads the tenant's sign-in metadata.
func (a *Application) findTenant(ctx context.Context, tenant string) error {
	address := strings.TrimSuffix(a.Authority, "/") + "/" + tenant + "/v2.0/.well-known/openid-configuration"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: a.Transport, Timeout: 20 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the sign-in at %s cannot be reached: %w; check the network and --fabric-authority", a.Authority, err)
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

// callerIn returns the person whom a token is for, without verifying it: the identity provider does.
func callerIn(token string) (item.Caller, error) {
	_, rest, _ := strings.Cut(token, ".")
	payload, _, ok := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	var claims struct{ Iss, Tid, Oid string }
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	if !ok || err != nil || claims.Tid == "" || claims.Oid == "" {
		return item.Caller{}, errors.New("--token-file holds no token of Microsoft Entra ID for a person: it has no claims tid and oid")
	}
	return item.Caller{Person: item.Person{Issuer: claims.Iss, ID: claims.Tid + "/" + claims.Oid}, Token: token}, nil
}
