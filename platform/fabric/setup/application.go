// Package setup configures the application as which the service acts for people on Microsoft Fabric and Power BI, and checks it step
// by step. Its errors name the flags of the command line.
package setup

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"
	"github.com/google/uuid"
	"github.com/spf13/pflag"

	"readiness/domain/item"
	"readiness/internal/lists"
	"readiness/platform/entra"
	"readiness/platform/fabric"
	"readiness/platform/fabric/iq"
)

// Application is the service's application at Microsoft Entra ID: ClientID names it, Tenants are the organizations whose
// people it acts for, and it has one credential.
type Application struct {
	ClientID string
	Tenants  []string

	// The credential; one of them is given. It is the path of a file that holds a client secret, a certificate with its key in PEM,
	// or a federated token, which is read for each exchange; or a managed identity by its client id, or "system".
	SecretFile, CertificateFile, FederatedTokenFile, ManagedIdentity string

	// The addresses of Fabric, Power BI, Fabric IQ and Microsoft Entra ID, without a path.
	URL, PowerBIURL, IQURL, Authority string
	// CAFile holds further certificate authorities to trust.
	CAFile string
	// Transport carries the calls; nil for the usual one. Trust sets it.
	Transport http.RoundTripper
}

// Trust reads CAFile and makes Transport trust it.
func (a *Application) Trust() error {
	if a.CAFile == "" {
		return nil
	}
	text, err := os.ReadFile(a.CAFile)
	if err != nil {
		return fmt.Errorf("--ca-file: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return fmt.Errorf("--ca-file: the system's certificate authorities cannot be read: %w", err)
	}
	if !roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("--ca-file: %s holds no certificate in PEM", a.CAFile)
	}
	a.Transport = fabric.NewTransport(roots)
	return nil
}

// AddTo adds the flags that fill the application.
func (a *Application) AddTo(flags *pflag.FlagSet) {
	flags.StringVar(&a.ClientID, "fabric-client-id", "", "client id of the service's application at Microsoft Entra ID")
	flags.StringSliceVar(&a.Tenants, "fabric-tenant", nil, "id of a tenant whose people the service acts for; can be repeated")
	flags.StringVar(&a.SecretFile, "fabric-secret-file", "", "file with the application's client secret")
	flags.StringVar(&a.CertificateFile, "fabric-certificate-file", "", "PEM file with the application's certificate and private key")
	flags.StringVar(&a.FederatedTokenFile, "fabric-federated-token-file", "", "file with a federated token of the application, such as "+
		"that of AZURE_FEDERATED_TOKEN_FILE")
	flags.StringVar(&a.ManagedIdentity, "fabric-managed-identity", "", "managed identity that the application trusts: its client id, or "+
		"system")
	flags.StringVar(&a.URL, "fabric-url", fabric.DefaultURL, "address of Fabric")
	flags.StringVar(&a.PowerBIURL, "fabric-power-bi-url", fabric.DefaultPowerBIURL, "address of Power BI")
	flags.StringVar(&a.IQURL, "fabric-iq-url", iq.DefaultURL, "address of Fabric IQ, which is asked what a model has that its definition "+
		"does not show; empty to ask nothing")
	flags.StringVar(&a.Authority, "fabric-authority", entra.DefaultAuthority, "address of Microsoft Entra ID, without the tenant")
	flags.StringVar(&a.CAFile, "ca-file", "", "PEM file with certificate authorities to trust, besides the system's, when calling Fabric, "+
		"Power BI, Microsoft Entra ID and issuers")
}

// Validate returns an error that names the flag if no exchange can be made as the application. It reads no file.
func (a *Application) Validate() error {
	if a.ClientID == "" {
		return errors.New("--platform fabric needs --fabric-client-id, the client id of the service's application at Microsoft Entra ID")
	}
	if len(a.Tenants) == 0 {
		return errors.New("--platform fabric needs --fabric-tenant, the id of the tenant whose people it acts for")
	}
	for _, t := range a.Tenants {
		if _, err := uuid.Parse(t); err != nil {
			return fmt.Errorf("--fabric-tenant: %q is not the id of a tenant (a UUID)", t)
		}
		if strings.EqualFold(t, item.PersonalTenant) {
			return fmt.Errorf("--fabric-tenant: %s is the tenant of personal accounts, whose people the service cannot act for", t)
		}
	}
	given := lists.Count([]string{a.SecretFile, a.CertificateFile, a.FederatedTokenFile, a.ManagedIdentity}, func(credential string) bool {
		return credential != ""
	})
	if given != 1 {
		return errors.New("--platform fabric needs one credential: --fabric-federated-token-file, --fabric-managed-identity, " +
			"--fabric-certificate-file or --fabric-secret-file")
	}
	return nil
}

// Exchange returns what exchanges tokens as the application. It reads the credential's file and calls nothing.
func (a *Application) Exchange(log *slog.Logger) (*entra.Exchange, error) {
	credential, err := a.credential()
	if err != nil {
		return nil, err
	}
	tenants := slices.Clone(a.Tenants)
	for i, t := range tenants {
		tenants[i] = strings.ToLower(t)
	}
	return entra.New(entra.Options{Scopes: fabric.Scopes, Authority: a.Authority, ClientID: a.ClientID, Credential: credential,
		Tenants: tenants, Transport: a.Transport, Log: log})
}

func (a *Application) credential() (confidential.Credential, error) {
	switch {
	case a.SecretFile != "":
		text, err := os.ReadFile(a.SecretFile)
		if err != nil {
			return confidential.Credential{}, fmt.Errorf("--fabric-secret-file: %w", err)
		}
		return confidential.NewCredFromSecret(strings.TrimSpace(string(text)))
	case a.CertificateFile != "":
		text, err := os.ReadFile(a.CertificateFile)
		if err != nil {
			return confidential.Credential{}, fmt.Errorf("--fabric-certificate-file: %w", err)
		}
		certificates, key, err := confidential.CertFromPEM(text, "")
		if err != nil {
			return confidential.Credential{}, fmt.Errorf("--fabric-certificate-file: %s holds no certificate with its private key in PEM",
				a.CertificateFile)
		}
		return confidential.NewCredFromCert(certificates, key)
	case a.FederatedTokenFile != "":
		return confidential.NewCredFromAssertionCallback(func(context.Context, confidential.AssertionRequestOptions) (string, error) {
			text, err := os.ReadFile(a.FederatedTokenFile) // it is replaced while the service runs
			return strings.TrimSpace(string(text)), err
		}), nil
	}
	return a.managed()
}

// federation is the audience of a managed identity's token that the application accepts as its assertion.
const federation = "api://AzureADTokenExchange/.default"

// identity returns the managed identity.
func (a *Application) identity() (*azidentity.ManagedIdentityCredential, error) {
	o := &azidentity.ManagedIdentityCredentialOptions{}
	if a.ManagedIdentity != "system" {
		o.ID = azidentity.ClientID(a.ManagedIdentity)
	}
	identity, err := azidentity.NewManagedIdentityCredential(o)
	if err != nil {
		return nil, fmt.Errorf("--fabric-managed-identity: %w", err)
	}
	return identity, nil
}

func (a *Application) managed() (confidential.Credential, error) {
	identity, err := a.identity()
	if err != nil {
		return confidential.Credential{}, err
	}
	return confidential.NewCredFromAssertionCallback(func(ctx context.Context, _ confidential.AssertionRequestOptions) (string, error) {
		token, err := identity.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{federation}})
		return token.Token, err
	}), nil
}
