//go:build npm

package auditoracles_test

import (
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	_ "gocloud.dev/blob/azureblob"
)

// TestNPMAzure does what TestClouds does with Azurite, Microsoft's emulator of Azure Blob Storage, which npm installs.
func TestNPMAzure(t *testing.T) {
	publishesTo(t, startAzure)
}

// startAzure starts a server with a container, and returns its address for --checkpoint-to.
func startAzure(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, "azurite@3").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	host := freeAddress(t)
	_, port, err := net.SplitHostPort(host)
	must(t, err)
	server := exec.CommandContext(t.Context(), filepath.Join(folder, "node_modules", ".bin", "azurite-blob"), "--blobHost", "127.0.0.1", "--blobPort", port,
		"--location", t.TempDir(), "--silent", "--skipApiVersionCheck")
	must(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	const account, key = "devstoreaccount1", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==" // published by Microsoft
	t.Setenv("AZURE_STORAGE_ACCOUNT", account)
	t.Setenv("AZURE_STORAGE_KEY", key)
	credential, err := azblob.NewSharedKeyCredential(account, key)
	must(t, err)
	client, err := azblob.NewClientWithSharedKeyCredential("http://"+host+"/"+account, credential, nil)
	must(t, err)
	for began := time.Now(); ; {
		if _, err = client.CreateContainer(t.Context(), "heads", nil); err == nil {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal(err)
		}
	}
	return "azblob://heads?" + url.Values{"domain": {host}, "protocol": {"http"}, "localemu": {"true"}, "prefix": {"readiness/"}}.Encode()
}

// TestNPMAzureDocuments does what TestDocumentsInClouds does with it.
func TestNPMAzureDocuments(t *testing.T) {
	documentsIn(t, startAzure(t))
}
