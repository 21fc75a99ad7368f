package oracles_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/microsoft/fabric-sdk-go/fabric"
	"github.com/microsoft/fabric-sdk-go/fabric/core"
	"github.com/microsoft/fabric-sdk-go/fabric/semanticmodel"

	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

func (w *world) azure() azcore.ClientOptions {
	return azcore.ClientOptions{Transport: w.client, Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: w.server.URL}}
}

func (w *world) onBehalfOf(assertion string) azcore.TokenCredential {
	c, err := azidentity.NewOnBehalfOfCredentialWithSecret(tenant, service, assertion, "s", &azidentity.OnBehalfOfCredentialOptions{
		ClientOptions: w.azure(), DisableInstanceDiscovery: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) sdk(c azcore.TokenCredential) *fabric.Client {
	endpoint := "https://api.fabric.microsoft.com" // where Location and continuationUri lead; RoundTrip redirects it
	client, err := fabric.NewClient(c, &endpoint, &fabric.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: w.client}})
	if err != nil {
		w.t.Fatal(err)
	}
	return client
}

// Microsoft's SDK lists two pages and more, survives a 429, and reads a definition through an operation whose Location is on
// another host, as ada by azidentity's on-behalf-of.
func TestSDK(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client := w.sdk(w.onBehalfOf(w.assertion()))
	w.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: w.service.Throttled(time.Second)})
	pages, listed := 0, 0
	for pager := core.NewClientFactoryWithClient(*client).NewWorkspacesClient().NewListWorkspacesPager(nil); pager.More(); pages++ {
		page, err := pager.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		listed += len(page.Value)
	}
	if want, err := w.folder.Workspaces(t.Context(), item.Caller{Person: item.Person{ID: "ada"}}); err != nil || listed != len(want)+1 || pages != 2 {
		t.Errorf("%d workspaces on %d pages, want %d and her own; %v", listed, pages, len(want), err)
	}
	models := semanticmodel.NewClientFactoryWithClient(*client).NewItemsClient()
	all, err := models.ListSemanticModels(t.Context(), retail, nil)
	if err != nil || len(all) < 2 || all[0].DisplayName == nil || *all[0].Type != semanticmodel.ItemTypeSemanticModel {
		t.Fatalf("models: %v, %v", all, err)
	}
	one, err := models.GetSemanticModel(t.Context(), retail, *all[0].ID, nil)
	if err != nil || *one.DisplayName != *all[0].DisplayName || *one.WorkspaceID != retail {
		t.Errorf("model: %+v, %v", one, err)
	}
	poller, err := models.BeginGetSemanticModelDefinition(t.Context(), retail, *all[0].ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	for !poller.Done() { // without the pause of Retry-After
		if _, err := poller.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	read, err := poller.Result(t.Context())
	if err != nil || read.Definition == nil {
		t.Fatalf("definition: %v", err)
	}
	found := map[string]bool{}
	for _, p := range read.Definition.Parts {
		if _, err := base64.StdEncoding.DecodeString(*p.Payload); err != nil || *p.PayloadType != semanticmodel.PayloadTypeInlineBase64 {
			t.Errorf("%s: %v", *p.Path, err)
		}
		found[*p.Path] = true
	}
	if !found["definition/model.tmdl"] || !found["definition.pbism"] || !found[".platform"] {
		t.Errorf("the definition has %v", found)
	}
}

// The SDK sees the error codes of refusals, and an operation that failed.
func TestSDKRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client := w.sdk(w.onBehalfOf(w.assertion()))
	fails := func(what, code string, err error) {
		t.Helper()
		refused, ok := errors.AsType[*core.ResponseError](err)
		if !ok || refused.ErrorCode != code {
			t.Errorf("%s: got %v, want %s", what, err, code)
		}
	}
	_, err := core.NewClientFactoryWithClient(*client).NewWorkspacesClient().GetWorkspace(t.Context(), ada, nil)
	fails("unknown workspace", "WorkspaceNotFound", err)
	models := semanticmodel.NewClientFactoryWithClient(*client).NewItemsClient()
	_, err = models.GetSemanticModel(t.Context(), retail, ada, nil)
	fails("unknown model", "ItemNotFound", err)

	all, err := models.ListSemanticModels(t.Context(), retail, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.service.Script(emulator.Fault{Path: "getDefinition", Operation: map[string]any{"errorCode": "CorruptedPayload", "message": "no",
		"moreDetails": []any{map[string]any{"errorCode": "Detail", "message": "why"}}}})
	poller, err := models.BeginGetSemanticModelDefinition(t.Context(), retail, *all[0].ID, nil)
	for err == nil && !poller.Done() {
		_, err = poller.Poll(t.Context())
	}
	if err == nil {
		_, err = poller.Result(t.Context())
	}
	failed, ok := errors.AsType[*azcore.ResponseError](err) // which loses the code of an operation
	if !ok {
		t.Fatalf("failed operation: got %v", err)
	}
	if body, err := io.ReadAll(failed.RawResponse.Body); err != nil || !strings.Contains(string(body), "CorruptedPayload") {
		t.Errorf("failed operation: got %s, %v", body, err)
	}
}

// azidentity signs in with a device code, sees refusals of an exchange with their bodies, and, with an empty assertion, gets
// a token of the application. The service refuses an empty assertion itself, before it calls a library.
func TestAzidentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	device, err := azidentity.NewDeviceCodeCredential(&azidentity.DeviceCodeCredentialOptions{ClientOptions: w.azure(),
		ClientID: w.entra.PublicClient(), TenantID: tenant, DisableInstanceDiscovery: true,
		UserPrompt: func(ctx context.Context, m azidentity.DeviceCodeMessage) error {
			w.enters(ctx, m.VerificationURL, m.UserCode)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	platform := policy.TokenRequestOptions{Scopes: []string{"https://api.fabric.microsoft.com/.default"}}
	token, err := device.GetToken(t.Context(), platform)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := w.entra.Person(token.Token); err != nil || who.ID != "ada" {
		t.Errorf("the token is for %+v, %v", who, err)
	}

	w.entra.Require("c1")
	_, err = w.onBehalfOf(w.assertion()).GetToken(t.Context(), platform)
	refused, ok := errors.AsType[*azidentity.AuthenticationFailedError](err)
	if !ok || refused.RawResponse == nil || refused.RawResponse.StatusCode != http.StatusBadRequest || !strings.Contains(err.Error(), "acrs") {
		t.Errorf("a challenge: got %v", err)
	}
	w.entra.Require("")
	for _, number := range []int{65001, 53003, 500133} {
		w.entra.Refuse(emulator.Refusal{Scope: ".default", Status: http.StatusBadRequest,
			Body: map[string]any{"error": "invalid_grant", "error_codes": []int{number}, "trace_id": "of-the-body"}})
		_, err := w.onBehalfOf(w.assertion()).GetToken(t.Context(), platform)
		refused, ok := errors.AsType[*azidentity.AuthenticationFailedError](err)
		if !ok || refused.RawResponse == nil {
			t.Errorf("%d: got %v", number, err)
			continue
		}
		if text, err := io.ReadAll(refused.RawResponse.Body); err != nil || !strings.Contains(string(text), "of-the-body") {
			t.Errorf("%d: the body is %q, %v", number, text, err)
		}
	}

	app, err := w.onBehalfOf("").GetToken(t.Context(), platform)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := w.entra.Person(app.Token); err != nil || !who.AppOnly {
		t.Errorf("an empty assertion gives %+v, %v", who, err)
	}
}
