package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// packed is what a release has of readiness for this system; the archive for Windows has no program.
func packed(t *testing.T) string {
	t.Helper()
	r := &release{source: "../..", out: t.TempDir(), version: "v1.2.3", owner: "You", home: "https://git.test/you/readiness", maintainer: "You",
		date: time.Unix(1<<30, 0).UTC()}
	here := target{"linux", runtime.GOARCH}
	windows := binary{programs[0], target{"windows", "amd64"}, filepath.Join(t.TempDir(), "readiness.exe")}
	err := errors.Join(r.publish(t.Context(), binary{programs[0], here, filepath.Join(t.TempDir(), "readiness")}),
		os.WriteFile(windows.file, nil, 0o600), r.archive(windows), r.npmProgram(programs[0], targets),
		r.manifests(programs[0], []target{here, windows.target}), r.checksums(""))
	if err != nil {
		t.Fatal(err)
	}
	return r.out
}

// Each package installs from its file, without network, and its program assesses a model.
func TestInstalled(t *testing.T) {
	dist := packed(t)
	model := t.TempDir()
	if err := os.WriteFile(filepath.Join(model, "model.bim"), []byte(`{"name":"M","compatibilityLevel":1567,"model":{"tables":[{"name":"T","columns":[{"name":"A","dataType":"string"}]}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	assesses := func(t *testing.T, program string) {
		t.Helper()
		for _, args := range [][]string{{"--version"}, {"assess", model}} {
			out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "1.2.3") && args[0] == "--version" {
				t.Errorf("%s %v: %v\n%s", program, args, err, out)
			}
		}
	}
	does := func(t *testing.T, name string, args ...string) string {
		t.Helper()
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatalf("%s is missing; on Debian, install the package that has it", name)
		}
		out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	file := func(ending string) string { return filepath.Join(dist, "readiness_1.2.3_"+ending) }
	here := "linux_" + runtime.GOARCH
	t.Run("npm", func(t *testing.T) {
		prefix := t.TempDir()
		does(t, "npm", "install", "--offline", "--omit=optional", "--no-audit", "--no-fund", "--no-save", "--prefix", prefix, file("npm.tgz"),
			file("npm_linux_"+npmCPU[runtime.GOARCH]+".tgz"))
		assesses(t, filepath.Join(prefix, "node_modules", ".bin", "readiness"))
		if err := os.RemoveAll(filepath.Join(prefix, "node_modules", "@you", "readiness-linux-"+npmCPU[runtime.GOARCH])); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), filepath.Join(prefix, "node_modules", ".bin", "readiness")).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "install again without --omit=optional") {
			t.Errorf("without its binary: %v\n%s", err, out)
		}
	})
	t.Run("deb", func(t *testing.T) {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"status", "available"} {
			if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755); err != nil {
			t.Fatal(err)
		}
		does(t, "dpkg", "--root", root, "--force-not-root", "--force-script-chrootless", "--log", filepath.Join(root, "log"), "-i", file(here+".deb"))
		assesses(t, filepath.Join(root, "usr/bin/readiness"))
	})
	t.Run("rpm", func(t *testing.T) {
		root := t.TempDir()
		does(t, "rpm", "--root", root, "--dbpath", "/db", "--nodeps", "--ignorearch", "--noscripts", "-i", file(here+".rpm"))
		assesses(t, filepath.Join(root, "usr/bin/readiness"))
	})
	t.Run("page", func(t *testing.T) {
		page, err := os.ReadFile("../../docs/install.md")
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile("readiness_VERSION_[a-z0-9_.]+").FindAllString(string(page), -1)
		for _, name := range named {
			of := strings.NewReplacer("VERSION", "1.2.3", "linux_amd64", here, "linux_x64", "linux_"+npmCPU[runtime.GOARCH], "darwin_arm64", here).Replace(name)
			if _, err := os.Stat(filepath.Join(dist, of)); err != nil {
				t.Errorf("the page names %s: %v", name, err)
			}
		}
		command := regexp.MustCompile("`(sha256sum [^`]+)`").FindStringSubmatch(string(page))
		if len(named) < 7 || command == nil {
			t.Fatalf("the page names %q, and checks them by %q", named, command)
		}
		if out := does(t, "sh", "-c", "cd '"+dist+"' && "+command[1]); strings.Count(out, ": OK") < 5 {
			t.Errorf("%s says\n%s", command[1], out)
		}
	})
	t.Run("manifests", func(t *testing.T) {
		list, err := os.ReadFile(filepath.Join(dist, sums))
		if err != nil {
			t.Fatal(err)
		}
		for name, archive := range map[string]string{"winget/You.readiness.installer.yaml": "windows_amd64.zip", "scoop/readiness.json": "windows_amd64.zip",
			"homebrew/readiness.rb": here + ".tar.gz"} {
			text, err := os.ReadFile(filepath.Join(dist, "manifests", name))
			if err != nil {
				t.Fatal(err)
			}
			address := "https://git.test/you/readiness/releases/download/v1.2.3/readiness_1.2.3_" + archive
			before, _, listed := strings.Cut(string(list), "  readiness_1.2.3_"+archive+"\n")
			sum := before[strings.LastIndexByte(before, '\n')+1:]
			if !listed || !strings.Contains(string(text), address) || !strings.Contains(strings.ToLower(string(text)), sum) {
				t.Errorf("%s lacks %s or %s:\n%s", name, address, sum, text)
			}
		}
		if ruby, err := exec.LookPath("ruby"); err == nil {
			does(t, ruby, "-c", filepath.Join(dist, "manifests/homebrew/readiness.rb"))
		}
	})
}
