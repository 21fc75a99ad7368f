package setup

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/entra"
	"readiness/platform/fabric"
)

// visitTimeout bounds one call of Check that needs no token.
const visitTimeout = 20 * time.Second

// visit makes a GET without a token. It follows no redirect.
func (a *Application) visit(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: a.Transport, Timeout: visitTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Do(req)
}

// reach returns an error unless something answers at the address; any answer will do.
func (a *Application) reach(ctx context.Context, flag, address string) error {
	res, err := a.visit(ctx, address)
	if err != nil {
		return a.unreachable(address, flag, err)
	}
	return res.Body.Close()
}

// unreachable returns the error that nothing answered, with what to do.
func (*Application) unreachable(what, flag string, err error) error {
	advice := "the network and " + flag
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		advice = "--ca-file, and whether a proxy replaces certificates"
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return fmt.Errorf("%s cannot be reached: %w; check %s", what, err, advice)
}

// tryCredential reads the token that each exchange needs: the federated token, or the managed identity's.
func (a *Application) tryCredential(ctx context.Context) error {
	if a.FederatedTokenFile != "" {
		text, err := os.ReadFile(a.FederatedTokenFile)
		if err == nil && strings.TrimSpace(string(text)) == "" {
			err = errors.New("the file is empty")
		}
		if err != nil {
			return fmt.Errorf("--fabric-federated-token-file: %w", err)
		}
	}
	if a.ManagedIdentity == "" {
		return nil
	}
	identity, err := a.identity()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	if _, err := identity.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{federation}}); err != nil {
		return errors.New("--fabric-managed-identity: no token is given here; check that this machine has the identity, and its client id")
	}
	return nil
}

// explained explains err to the operator of the service, with what to do. A refusal's own message is written for callers.
func (a *Application) explained(err error, p item.Permission) string {
	refusal, refused := domain.Refused(err)
	if !refused {
		return err.Error()
	}
	if provider, ok := errors.AsType[*entra.Refused](err); ok {
		for _, number := range provider.Codes {
			if advice := a.advice(number); advice != "" {
				return fmt.Sprintf("%s (AADSTS%d)", advice, number)
			}
		}
	}
	switch refusal.Code {
	case domain.PlatformConsentRequired:
		return fmt.Sprintf("grant the application %s (API permissions, Grant admin consent)", strings.Join(fabric.Scopes[p], " "))
	case domain.Unauthorized:
		for _, about := range refusal.Params {
			if about.Name == "claims" {
				return "the tenant asks for a stronger sign-in (conditional access); sign in with: readiness client login --claims " +
					about.Value + ", and put that token into --token-file"
			}
		}
		return "the tenant asks for a new sign-in; put a new token into --token-file"
	case domain.TokenExpired:
		return "the token of --token-file has expired or was revoked; sign in again and put the new one there"
	case domain.PlatformAccessDenied:
		return refusal.Message + "; check that Fabric is on for the tenant, and that the person may use it and has a license"
	}
	return refusal.Message
}

// advice explains the number of a provider's error (AADSTS…) if there is more to say than the refusal does; "" for others.
func (a *Application) advice(number int) string {
	switch number {
	case 700016:
		return fmt.Sprintf("the tenant knows no application %s; check --fabric-client-id and --fabric-tenant", a.ClientID)
	case 7000215:
		return "the client secret is wrong; --fabric-secret-file must hold the secret's value, not its id"
	case 7000222:
		return "the client secret has expired; add one to the application and put its value into --fabric-secret-file"
	case 700027:
		return "the certificate of --fabric-certificate-file is not one of the application's, or has expired; add it to the application"
	case 70021, 700211, 700212, 700213:
		return "no federated credential of the application matches the token; compare their issuer, subject and audience"
	case 500011:
		return "the tenant does not have the service that the permission is for; an administrator can turn it on"
	case 650056:
		return "the application's registration names no permissions; add those of docs/fabric.md under API permissions"
	case 50105:
		return "the application is open to assigned people only; assign the person or a group to it (Enterprise applications)"
	case 53003, 530035, 53011, 50131:
		return "a conditional access policy of the tenant does not let the service act for this person; its administrator finds which " +
			"one in Entra's sign-in logs"
	case 50020, 51004, 50034:
		return "the person of the token is not one of the tenant; sign in with an account of the tenant, or invite the person as a guest"
	}
	return ""
}
