package aiprovider

import (
	"regexp"

	"github.com/google/uuid"

	"readiness/domain"
)

// EntraCredential is what proves to Microsoft Entra that an application asks.
type EntraCredential string

// The credentials. Saved providers have one of the first two, whose secret is the provider's key; the other two are
// identities of the machine that the service runs on, which only its operator may use.
const (
	ClientSecret      EntraCredential = "clientSecret"
	ClientCertificate EntraCredential = "clientCertificate" // the key is a certificate with its private key, as PEM
	WorkloadIdentity  EntraCredential = "workloadIdentity"
	ManagedIdentity   EntraCredential = "managedIdentity"
)

// Entra says which application's token Azure OpenAI gets instead of a key.
type Entra struct {
	// Credential says how the service signs in.
	Credential EntraCredential `json:"credential"`
	// TenantID is an id or a domain; not of a managed identity.
	TenantID string `json:"tenantId,omitempty"`
	// ClientID is the application's; of a managed identity that of an assigned one, "" for the machine's own.
	ClientID string `json:"clientId,omitempty"`
}

// Keyless reports whether the credential needs no secret.
func (e Entra) Keyless() bool {
	return e.Credential == WorkloadIdentity || e.Credential == ManagedIdentity
}

var tenantPattern = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.-]{0,98}[0-9A-Za-z]$`)

// Problem returns what is wrong with the member, and "" if nothing is. operated is true for a provider that the operator
// declares.
func (e Entra) Problem(operated bool) (member, problem string) {
	id, ok := domain.ParseID(e.ClientID)
	switch {
	case e.Credential != ClientSecret && e.Credential != ClientCertificate && !(operated && e.Keyless()):
		if operated {
			return "credential", "must be clientSecret, clientCertificate, workloadIdentity or managedIdentity"
		}
		return "credential", "must be clientSecret or clientCertificate: the identities of the service's machine are for the " +
			"provider in its accounts file"
	case e.Credential == ManagedIdentity && e.TenantID != "":
		return "tenantId", "is not for a managed identity: leave it out"
	case e.Credential != ManagedIdentity && !tenantPattern.MatchString(e.TenantID):
		return "tenantId", "must be the id or a domain of a tenant"
	case (!ok || id == uuid.Nil) && !(e.Credential == ManagedIdentity && e.ClientID == ""):
		return "clientId", "must be the id of an application, a UUID"
	}
	return "", ""
}
