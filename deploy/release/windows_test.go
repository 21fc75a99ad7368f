package main

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// windows is a Windows of its own under wine, with the program from the archive of a release in a folder of PATH.
type windows struct {
	t      *testing.T
	prefix string
}

func newWindows(t *testing.T) *windows {
	t.Helper()
	r := &release{source: "../..", out: t.TempDir(), version: "v1.2.3", date: time.Unix(1<<30, 0).UTC()}
	b := binary{programs[0], target{"windows", "amd64"}, filepath.Join(t.TempDir(), "readiness.exe")}
	if err := errors.Join(r.build(t.Context(), b), r.archive(b)); err != nil {
		t.Fatal(err)
	}
	w := &windows{t, t.TempDir()}
	w.writes(`C:\My models\readme.txt`, nil)
	t.Setenv("WINEPREFIX", w.prefix)
	t.Setenv("WINEDEBUG", "-all")
	t.Setenv("WINEPATH", `C:\Program Files\Readiness`)
	t.Setenv("WINEDLLOVERRIDES", "bcryptprimitives=n;mscoree=;mshtml=") // the last two would ask to be installed
	t.Cleanup(func() {                                                  // before the folder is removed, and while it is named
		if err := errors.Join(exec.Command("wineserver", "-k").Run(), exec.Command("wineserver", "-w").Run()); err != nil {
			t.Error(err)
		}
	})
	if err := exec.Command("wineserver", "-p").Run(); err != nil { // it stays until it is killed
		t.Fatalf("%v; on Debian, install wine, wine64 and binutils-mingw-w64-x86-64", err)
	}
	if code, out := w.starts("wineboot", "-i"); code != 0 {
		t.Fatalf("wineboot: %d\n%s", code, out)
	}
	// Go's programs need ProcessPrng, which Windows has since 7 and wine since 9: this library forwards it to the function of old.
	stub := filepath.Join(t.TempDir(), "bcryptprimitives.def")
	if err := os.WriteFile(stub, []byte("LIBRARY bcryptprimitives\nEXPORTS\nProcessPrng = ADVAPI32.SystemFunction036\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dll := w.at(`C:\windows\system32\bcryptprimitives.dll`)
	if out, err := exec.Command("x86_64-w64-mingw32-ld", "--shared", "-o", dll, stub).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log("A stub of ProcessPrng stands in for the one of Windows.")
	archive, err := zip.OpenReader(filepath.Join(r.out, r.name(b)+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	program, err := archive.Open(r.name(b) + "/readiness.exe")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(program)
	if err != nil {
		t.Fatal(err)
	}
	w.writes(`C:\Program Files\Readiness\readiness.exe`, data)
	return w
}

// at returns where a Windows path is on this system.
func (w *windows) at(path string) string {
	return filepath.Join(w.prefix, "drive_c", filepath.FromSlash(strings.ReplaceAll(strings.TrimPrefix(path, `C:\`), `\`, "/")))
}

func (w *windows) writes(path string, data []byte) {
	w.t.Helper()
	file := w.at(path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o600)); err != nil {
		w.t.Fatal(err)
	}
}

// starts runs a program of this system in C:\My models, and returns its exit code and what it prints.
func (w *windows) starts(name string, args ...string) (int, string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), name, args...)
	cmd.Dir = w.at(`C:\My models`)
	file, err := os.Create(filepath.Join(w.t.TempDir(), "printed")) // no pipe, which Windows' own processes would hold open
	if err != nil {
		w.t.Fatal(err)
	}
	defer file.Close()
	cmd.Stdout, cmd.Stderr = file, file
	_ = cmd.Run() // the exit code says it
	out, err := os.ReadFile(file.Name())
	if err != nil {
		w.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// readiness runs the program, and expects an exit code and a text.
func (w *windows) readiness(code int, want string, args ...string) string {
	w.t.Helper()
	got, out := w.starts("wine", append([]string{"readiness.exe"}, args...)...)
	if got != code || !strings.Contains(out, want) {
		w.t.Errorf("readiness %q: got %d, want %d and %q\n%s", args, got, code, want, out)
	}
	return out
}

// files returns the files of a folder.
func (w *windows) files(folder string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	root := os.DirFS(w.at(folder))
	if err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		all[name] = string(data)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return all
}

// The archive for Windows holds a program that assesses, applies and reverts there, with the paths and line ends of Windows.
func TestWindows(t *testing.T) {
	w := newWindows(t)
	w.readiness(0, "readiness v1.2.3", "--version")
	for name, c := range map[string]struct{ folder, lines string }{
		"long path": {`C:\` + strings.Repeat(`A folder of forty characters, more or so\`, 8), "\n"}, "line ends of Windows": {`C:\My models\`, "\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &windows{t, w.prefix}
			model := c.folder + "Inventory.SemanticModel"
			sample := os.DirFS("../../samples/workspaces/Retail Analytics/Supply Chain/Inventory.SemanticModel")
			if err := fs.WalkDir(sample, ".", func(name string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				data, err := fs.ReadFile(sample, name)
				w.writes(model+`\`+name, []byte(strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n", c.lines)))
				return err
			}); err != nil {
				t.Fatal(err)
			}
			before := w.files(model)
			w.readiness(0, "Score 68 of 100", "assess", model)
			w.readiness(3, "", "assess", model, "--fail-under", "90")
			w.readiness(0, "+++ b/Inventory.SemanticModel/definition/tables/Stock Levels.tmdl", "preview", model, "--root", c.folder)
			if !maps.Equal(before, w.files(model)) {
				t.Error("assess or preview changed the model")
			}
			out := w.readiness(0, "1 model written", "apply", model, "--root", c.folder, "--write", "--record", c.folder+"my record.json")
			after, changed := w.files(model), 0
			for file, text := range after {
				if was, kept := before[file]; kept && was != text {
					changed++
				}
				if _, kept := before[file]; kept && strings.Count(text, "\n") != strings.Count(text, c.lines) || strings.Contains(file, ".readiness/") {
					t.Errorf("apply left %s with %q", file, text)
				}
			}
			if changed < 2 || len(after) < len(before)+2 {
				t.Errorf("apply changed %d files, and made %d of %d", changed, len(after), len(before))
			}
			_, undo, _ := strings.Cut(out, "To undo: ")
			undo, _, _ = strings.Cut(undo, "\n")
			w.writes(`C:\My models\undo.bat`, []byte(undo+"\r\n"))
			if code, out := w.starts("wine", "cmd", "/c", "undo.bat"); code != 0 || !strings.Contains(out, "1 model reverted") {
				t.Errorf("%s: %d\n%s", undo, code, out)
			}
			if !maps.Equal(before, w.files(model)) {
				t.Error("revert does not restore every byte")
			}
			missing := c.folder + `none.SemanticModel`
			w.readiness(1, "readiness: "+missing+": it does not exist; check its spelling", "assess", missing)
		})
	}
	w.readiness(2, "unknown flag: --none", "assess", "--none")
}
