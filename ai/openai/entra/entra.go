// Package entra gets tokens of Microsoft Entra for Azure OpenAI, by the libraries of Azure.
package entra

import (
	"context"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"readiness/ai/openai"
	"readiness/domain/aiprovider"
)

// scope is the audience of the tokens that Azure OpenAI takes.
const scope = "https://cognitiveservices.azure.com/.default"

// Tokens returns what opens credentials. authority is the host that issues tokens, "" for Microsoft's public one.
func Tokens(authority string) openai.Tokens {
	return func(s openai.Settings, calls *http.Client) (func(context.Context) (string, error), error) {
		credential, err := credentialOf(s, calls, authority)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (string, error) {
			token, err := credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{scope}})
			return token.Token, err
		}, nil
	}
}

func credentialOf(s openai.Settings, calls *http.Client, authority string) (azcore.TokenCredential, error) {
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
	return nil, errors.New("entra: a credential of another kind")
}
