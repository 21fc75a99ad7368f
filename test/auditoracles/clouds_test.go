package auditoracles_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob"
	"google.golang.org/api/iterator"

	"readiness/eventstore/audit"
	"readiness/eventstore/audit/publish"
)

// TestClouds has the program publish its heads to third-party servers for the protocols of S3 and Google Cloud Storage, and compares the log
// with the bucket and with a head that was fetched from it. An existing head is not overwritten.
func TestClouds(t *testing.T) {
	for name, start := range map[string]func(*testing.T) string{"s3": startS3, "gs": startGCS} {
		t.Run(name, func(t *testing.T) { publishesTo(t, start) })
	}
}

// publishesTo does so with one server.
func publishesTo(t *testing.T, start func(*testing.T) string) {
	t.Helper()
	p := published{T: t, program: built(t), database: []string{"--database-url", fresh(t), "--data", t.TempDir()}, bucket: start(t)}
	p.serveUntilPublished()
	p.readBack()
}

// built builds readinessd, and returns its path.
func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "readinessd")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/readinessd")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// freeAddress returns a free address, for a server that must know its address before it listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, free.Close())
	return free.Addr().String()
}

// TestMain sets what every server for S3 accepts: tests that run at the same time cannot set it themselves.
func TestMain(m *testing.M) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		if err := os.Setenv(name, "of-these-tests"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// startS3 starts a server with a bucket, and returns its address for --checkpoint-to.
func startS3(t *testing.T) string {
	t.Helper()
	memory := s3mem.New()
	must(t, memory.CreateBucket("heads"))
	server := httptest.NewServer(gofakes3.New(memory).Server())
	t.Cleanup(server.Close)
	return "s3://heads?" + url.Values{"endpoint": {server.URL}, "region": {"eu-central-1"}, "use_path_style": {"true"}, "prefix": {"readiness/"}}.Encode()
}

// startGCS starts a server with a bucket, and returns its address for --checkpoint-to.
func startGCS(t *testing.T) string {
	t.Helper()
	host := freeAddress(t)
	_, text, err := net.SplitHostPort(host)
	must(t, err)
	port, err := strconv.ParseUint(text, 10, 16)
	must(t, err)
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{Scheme: "http", Host: "127.0.0.1", Port: uint16(port), PublicHost: host})
	must(t, err)
	t.Cleanup(server.Stop)
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "heads"})
	t.Setenv("STORAGE_EMULATOR_HOST", host)
	return "gs://heads?prefix=readiness/"
}

// googleObject is an object as Google's own library reads it.
type googleObject struct {
	body        []byte
	contentType string
	updated     time.Time
}

// google returns what Google's own library finds in the bucket of startGCS.
func google(t *testing.T) map[string]googleObject {
	t.Helper()
	client, err := storage.NewClient(t.Context(), storage.WithJSONReads())
	must(t, err)
	defer client.Close()
	found := map[string]googleObject{}
	for list := client.Bucket("heads").Objects(t.Context(), nil); ; {
		o, err := list.Next()
		if errors.Is(err, iterator.Done) {
			return found
		}
		must(t, err)
		r, err := client.Bucket("heads").Object(o.Name).NewReader(t.Context())
		must(t, err)
		body, err := io.ReadAll(r)
		must(t, errors.Join(err, r.Close()))
		found[o.Name] = googleObject{body, o.ContentType, o.Updated}
	}
}

// published is a program that publishes heads to a bucket.
type published struct {
	*testing.T
	program  string
	database []string
	bucket   string
}

// run runs a command of the program that must succeed, and returns what it printed.
func (p *published) run(args ...string) string {
	p.Helper()
	out, err := exec.CommandContext(p.Context(), p.program, append(args, p.database...)...).CombinedOutput()
	if err != nil {
		p.Fatalf("%s: %v\n%s", args, err, out)
	}
	return string(out)
}

// heads returns the names and the notes of the heads in the bucket, read by clients that are not ours.
func (p *published) heads() map[string][]byte {
	p.Helper()
	if strings.HasPrefix(p.bucket, "gs:") {
		found := map[string][]byte{}
		for key, o := range google(p.T) {
			found[strings.TrimPrefix(key, "readiness/")] = o.body
		}
		return found
	}
	b, err := blob.OpenBucket(p.Context(), p.bucket)
	must(p, err)
	defer b.Close()
	found := map[string][]byte{}
	for list := b.List(nil); ; {
		o, err := list.Next(p.Context())
		if err == io.EOF {
			return found
		}
		must(p, err)
		found[o.Key], err = b.ReadAll(p.Context(), o.Key)
		must(p, err)
	}
}

// serveUntilPublished runs the service until it has published a head of all events and one of an account.
func (p *published) serveUntilPublished() {
	p.Helper()
	ctx, stop := context.WithCancel(p.Context())
	defer stop()
	cmd := exec.CommandContext(ctx, p.program, append([]string{"serve", "--listen", "127.0.0.1:0", "--base-url", "https://readiness.example.com",
		"--platform", "folder:../../samples/workspaces", "--accounts", "../../samples/accounts.yaml", "--no-console", "--checkpoint-to", p.bucket}, p.database...)...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	must(p, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	defer func() { stop(); <-ended }()
	for began := time.Now(); ; {
		found := p.heads()
		all, accounts := 0, 0
		for name := range found {
			if strings.Contains(name, "/accounts/contoso/checkpoint/") {
				accounts++
			} else if strings.HasPrefix(name, origin+"/checkpoint/") {
				all++
			}
		}
		if all > 0 && accounts > 0 {
			return
		}
		select {
		case <-ended:
			p.Fatalf("the service ended:\n%s", output.String())
		case <-time.After(200 * time.Millisecond):
		}
		if time.Since(began) > 2*time.Minute {
			p.Fatalf("it published %d heads of all events and %d of an account:\n%s", all, accounts, output.String())
		}
	}
}

// readBack compares the log with the bucket and with heads that were fetched from it, and finds a log that was changed.
func (p *published) readBack() {
	p.Helper()
	if out := p.run("audit", "verify", "--checkpoint-to", p.bucket); !strings.Contains(out, ": 0 mismatches") {
		p.Errorf("by the bucket: %s", out)
	}
	found := p.heads()
	args := []string{"audit", "verify"}
	for name, note := range found {
		path := filepath.Join(p.TempDir(), "head")
		must(p, os.WriteFile(path, note, 0o600))
		args = append(args, "--checkpoint", path)
		if !strings.HasPrefix(string(note), name[:strings.Index(name, "/checkpoint/")]+"\n") {
			p.Errorf("%s has\n%s", name, note)
		}
	}
	if out := p.run(args...); !strings.Contains(out, ": 0 mismatches") {
		p.Errorf("by the heads: %s", out)
	}
	b, err := publish.Open(p.Context(), p.bucket)
	must(p, err)
	defer b.Close()
	for name, note := range found {
		if err := b.Put(p.Context(), note); err != nil {
			p.Errorf("%s again: %v", name, err)
		}
		named, head, err := audit.ParseBody(note)
		must(p, err)
		head.Root[0]++
		var contradicted *publish.Contradicted
		if err := b.Put(p.Context(), []byte(audit.Body(named, head))); !errors.As(err, &contradicted) {
			p.Errorf("a different head under the name %s: %v", name, err)
		}
	}
	if after := p.heads(); fmt.Sprint(after) != fmt.Sprint(found) {
		p.Errorf("the bucket has %d heads, and had %d", len(after), len(found))
	}
}
