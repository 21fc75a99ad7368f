//go:build hard

package fabric_test

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
)

// mostMemory bounds a process that reads the largest definition: what the definition holds, a part while it is decoded, and
// as much again until the garbage is collected.
const mostMemory = 600 << 20

// asked is the environment variable that makes this program the reader; its value is the address of the platform.
const asked = "READINESS_TEST_READS"

// TestHardMemory reads, in a separate process, the largest definition that is accepted and answers that are larger, all
// compressed to a thousandth, and compares the process's peak with the bound.
func TestHardMemory(t *testing.T) {
	if address := os.Getenv(asked); address != "" {
		readsLarge(t, address)
		return
	}
	for _, c := range []struct {
		name string
		part int // bytes
		n    int
		list bool
		most int64
	}{
		{"4 parts of 64 MiB", 64 << 20, 4, false, mostMemory},
		{"4 parts of 70 MiB", 70 << 20, 4, false, 400 << 20},
		{"a part of 8 GiB", 8 << 30, 1, false, 400 << 20},
		{"a list of 8 GiB", 8 << 30, 1, true, 128 << 20},
	} {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
			if err != nil {
				panic(err)
			}
			defer func() { _ = z.Close() }()
			if c.list {
				large(z, `{"value":[{"id":"`, c.part, `"}]}`)
				return
			}
			separator := `{"definition":{"parts":[`
			for i := range c.n {
				if large(z, fmt.Sprintf(`%s{"path":"p%d","payloadType":"InlineBase64","payload":"`, separator, i), c.part/3*4, `"}`) != nil {
					return
				}
				separator = ","
			}
			_, _ = io.WriteString(z, `]}}`)
		}))
		defer s.Close()
		reader := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHardMemory$", "-test.v")
		reader.Env = append(os.Environ(), asked+"="+s.URL)
		out, err := reader.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, out)
		}
		usage, ok := reader.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			t.Fatal("this system does not say how much memory a process used")
		}
		peak := usage.Maxrss
		if runtime.GOOS != "darwin" {
			peak <<= 10
		}
		_, outcome, _ := strings.Cut(string(out), "outcome: ")
		outcome, _, _ = strings.Cut(outcome, "\n")
		t.Logf("%s: peak %d MiB, %s", c.name, peak>>20, outcome)
		if peak > c.most || c.name == "4 parts of 64 MiB" != (outcome == "read") {
			t.Errorf("%s: peak %d MiB, want at most %d", c.name, peak>>20, c.most>>20)
		}
	}
}

// large writes so many letters between two texts.
func large(w io.Writer, before string, n int, after string) error {
	_, err := io.WriteString(w, before)
	block := strings.Repeat("A", 1<<20)
	for ; n > 0 && err == nil; n -= len(block) {
		_, err = io.WriteString(w, block[:min(n, len(block))])
	}
	if err == nil {
		_, err = io.WriteString(w, after)
	}
	return err
}

func readsLarge(t *testing.T, address string) {
	p, err := fabric.New(fabric.Options{URL: address, PowerBIURL: address,
		Tokens:    func(context.Context, item.Caller, item.Permission) (string, error) { return "token", nil },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}) // of the test's own server
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Items(t.Context(), person("ada"), attacked.WorkspaceID, attacked.Type)
	if _, refused := domain.Refused(err); !refused {
		t.Fatalf("the list: %v", err)
	}
	d, err := p.Definition(t.Context(), person("ada"), attacked)
	if _, refused := domain.Refused(err); err != nil && !refused {
		t.Fatal(err)
	}
	if err == nil && len(d.Parts) == 4 {
		t.Log("outcome: read")
		return
	}
	t.Logf("outcome: %v", err)
}
