package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The container image holds the program of the archive, which starts from nothing else, as a user without rights.
func TestImage(t *testing.T) {
	if _, err := exec.LookPath("buildah"); err != nil {
		t.Fatal("buildah is missing; on Debian, install the package buildah")
	}
	r := &release{source: "../..", out: t.TempDir(), version: "v1.2.3", date: time.Unix(1<<30, 0).UTC()}
	b := binary{programs[1], target{"linux", runtime.GOARCH}, filepath.Join(t.TempDir(), "readinessd")}
	if err := errors.Join(r.build(t.Context(), b), r.archive(b)); err != nil {
		t.Fatal(err)
	}
	does := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	unpacked, image := t.TempDir(), filepath.Join(t.TempDir(), "image.oci.tar")
	does("tar", "-xzf", filepath.Join(r.out, r.name(b)+".tar.gz"), "-C", unpacked, "--strip-components", "1")
	does("bash", "../container/build.sh", filepath.Join(unpacked, "readinessd"), "v1.2.3", "1073741824", image)
	store := func(args ...string) string {
		t.Helper()
		return does("buildah", append([]string{"--storage-driver", "vfs"}, args...)...)
	}
	container := store("from", "--quiet", "oci-archive:"+image)
	t.Cleanup(func() {
		for _, args := range [][]string{{"rm", container}, {"rmi", "localhost/readiness:1.2.3"}} {
			if out, err := exec.Command("buildah", append([]string{"--storage-driver", "vfs"}, args...)...).CombinedOutput(); err != nil {
				t.Errorf("buildah %v: %v\n%s", args, err, out)
			}
		}
	})
	format := `{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} {{index .OCIv1.Config.Labels "org.opencontainers.image.version"}}`
	if got, want := store("inspect", "--format", format, container), "65532:65532 [/usr/bin/readinessd] [serve] v1.2.3"; got != want {
		t.Errorf("the image is %q, want %q", got, want)
	}
	root := store("mount", container)
	if got := does("chroot", "--userspec", "65532:65532", root, "/usr/bin/readinessd", "version"); !strings.HasPrefix(got, "readinessd v1.2.3 ") {
		t.Errorf("the program of the image is %q", got)
	}
}
