package openai

import (
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/openai/openai-go/v3/option"

	"readiness/domain"
	"readiness/domain/aiprovider"
)

// entraScope is the audience of the tokens that Azure OpenAI takes.
const entraScope = "https://cognitiveservices.azure.com/.default"

// entra returns middleware that sends a token of Microsoft Entra instead of the key. The credential caches tokens until
// they expire. authority is the host that issues them, "" for Microsoft's public one.
func entra(s Settings, calls *http.Client, authority string) (option.Middleware, error) {
	credential, err := credentialOf(s, calls, authority)
	if err != nil {
		return nil, domain.Refuse(domain.OptimizationFailed, "The AI provider %s has no usable credential of Microsoft Entra.", s.Name)
	}
	return func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		token, err := credential.GetToken(r.Context(), policy.TokenRequestOptions{Scopes: []string{entraScope}})
		if err != nil {
			if r.Context().Err() != nil {
				return nil, network(r.Context().Err())
			}
			return nil, &failure{class: unreachable, status: http.StatusUnauthorized, what: "Microsoft Entra gives no token for it"}
		}
		r.Header.Set("Authorization", "Bearer "+token.Token)
		return next(r)
	}, nil
}

func credentialOf(s Settings, calls *http.Client, authority string) (azcore.TokenCredential, error) {
	o := azcore.ClientOptions{Transport: calls}
	// One attempt: the request that needs the token is repeated.
	o.Retry.MaxRetries = -1
	unknown := authority != ""
	if unknown {
		o.Cloud = cloud.Configuration{ActiveDirectoryAuthorityHost: authority}
	}
	e := s.Entra
	switch e.Credential {
	case aiprovider.ClientSecret:
		return azidentity.NewClientSecretCredential(e.TenantID, e.ClientID, s.Key,
			&azidentity.ClientSecretCredentialOptions{ClientOptions: o, DisableInstanceDiscovery: unknown})
	case aiprovider.ClientCertificate:
		certificates, key, err := azidentity.ParseCertificates([]byte(s.Key), nil)
		if err != nil {
			return nil, err
		}
		return azidentity.NewClientCertificateCredential(e.TenantID, e.ClientID, certificates, key,
			&azidentity.ClientCertificateCredentialOptions{ClientOptions: o, DisableInstanceDiscovery: unknown})
	case aiprovider.WorkloadIdentity:
		return azidentity.NewWorkloadIdentityCredential(&azidentity.WorkloadIdentityCredentialOptions{ClientOptions: o, ClientID: e.ClientID,
			TenantID: e.TenantID, DisableInstanceDiscovery: unknown})
	case aiprovider.ManagedIdentity:
		options := &azidentity.ManagedIdentityCredentialOptions{ClientOptions: o}
		if e.ClientID != "" {
			options.ID = azidentity.ClientID(e.ClientID)
		}
		return azidentity.NewManagedIdentityCredential(options)
	}
	return nil, errors.New("openai: a credential of another kind")
}
