package aiprovider_test

import (
	"testing"

	"readiness/domain"
	"readiness/domain/aiprovider"
)

func TestEntraProblem(t *testing.T) {
	t.Parallel()
	const id = "0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90"
	for name, row := range map[string]struct {
		of              aiprovider.Entra
		saved, operated string // the member with a problem
	}{
		"a secret":                    {aiprovider.Entra{Credential: aiprovider.ClientSecret, TenantID: "contoso.com", ClientID: id}, "", ""},
		"a certificate":               {aiprovider.Entra{Credential: aiprovider.ClientCertificate, TenantID: id, ClientID: id}, "", ""},
		"a workload":                  {aiprovider.Entra{Credential: aiprovider.WorkloadIdentity, TenantID: id, ClientID: id}, "credential", ""},
		"the machine's own":           {aiprovider.Entra{Credential: aiprovider.ManagedIdentity}, "credential", ""},
		"an assigned one":             {aiprovider.Entra{Credential: aiprovider.ManagedIdentity, ClientID: id}, "credential", ""},
		"the machine's with a tenant": {aiprovider.Entra{Credential: aiprovider.ManagedIdentity, TenantID: id}, "credential", "tenantId"},
		"an unknown credential":       {aiprovider.Entra{Credential: "password", TenantID: id, ClientID: id}, "credential", "credential"},
		"no tenant":                   {aiprovider.Entra{Credential: aiprovider.ClientSecret, ClientID: id}, "tenantId", "tenantId"},
		"a tenant with a path":        {aiprovider.Entra{Credential: aiprovider.ClientSecret, TenantID: "a/../b", ClientID: id}, "tenantId", "tenantId"},
		"no application":              {aiprovider.Entra{Credential: aiprovider.ClientSecret, TenantID: id}, "clientId", "clientId"},
		"an application by name":      {aiprovider.Entra{Credential: aiprovider.ClientSecret, TenantID: id, ClientID: "app"}, "clientId", "clientId"},
	} {
		if got, _ := row.of.Problem(false); got != row.saved {
			t.Errorf("%s, saved: %q, want %q", name, got, row.saved)
		}
		if got, _ := row.of.Problem(true); got != row.operated {
			t.Errorf("%s, declared: %q, want %q", name, got, row.operated)
		}
	}
}

// Entra is for Azure OpenAI alone, and another application needs its own secret.
func TestEntraOfASavedProvider(t *testing.T) {
	t.Parallel()
	const id, other = "0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90", "6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90"
	entra := func(client string) *aiprovider.Entra {
		return &aiprovider.Entra{Credential: aiprovider.ClientSecret, TenantID: id, ClientID: client}
	}
	c := local()
	c.Entra = entra(id)
	refused(t, aiprovider.Providers{}, aiprovider.Save{Configuration: c, HasKey: true, At: noon}, domain.InvalidRequest, "member", "entra")
	c.Kind, c.BaseURL = aiprovider.AzureOpenAI, "https://x.openai.azure.com"
	saved := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: c, HasKey: true, At: noon})
	of := saved.All[0]
	moved := entra(other)
	refused(t, saved, aiprovider.Change{ProviderID: of.ProviderID, Patch: aiprovider.Patch{Entra: &moved}, At: noon}, domain.InvalidRequest, "member", "apiKey")
	if s := of.Settings(aiprovider.Key{}); s.Entra != *entra(id) || of.Connection().Entra != s.Entra {
		t.Errorf("got the settings %+v", s)
	}
}
