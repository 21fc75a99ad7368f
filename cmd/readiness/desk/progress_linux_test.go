package desk

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"readiness/cmd/cli"
	"readiness/test/testworld"
)

// onTerminal runs a command whose standard error is a terminal, on which progress shows at once, and returns what it wrote there.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	testworld.Check(t, err)
	defer master.Close()
	testworld.Check(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	testworld.Check(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	testworld.Check(t, err)
	testworld.Check(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with an error when nobody has the terminal open
		shown <- string(text)
	}()
	var stdout bytes.Buffer
	p := New(&stdout, terminal)
	p.Patience = 0
	code := p.Run(t.Context(), args)
	testworld.Check(t, terminal.Close())
	text := <-shown
	if code != cli.ExitOK {
		t.Fatalf("readiness %v: exit code %d\n%s%s", args, code, stdout.String(), text)
	}
	return text
}

// What may take more than a second shows its progress on a terminal, and nowhere else.
func TestProgress(t *testing.T) {
	t.Parallel()
	folder := folderOf(t, modelFiles)
	for name, text := range map[string]string{"q.csv": "question,expectedAnswer\nHow many?,5\nHow few?,3\n", "a.csv": "question,answer\nHow many?,5\nHow few?,3\n"} {
		testworld.Check(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	measured := filepath.Join(t.TempDir(), "Inventory.SemanticModel")
	addModel("Inventory.SemanticModel")(t, filepath.Dir(measured))
	in := func(name string) string { return filepath.Join(folder, name) }
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"assess", folder}, []string{"assessing"}},
		{[]string{"preview", folder}, []string{"proposing"}},
		{[]string{"lift", measured, "--count", "2"}, []string{"proposing", "asking"}},
		{[]string{"evaluate", in("M.SemanticModel"), "--questions", in("q.csv"), "--answers", in("a.csv")}, []string{"judging", "(1/2)"}},
		{[]string{"apply", folder, "--root", folder, "--write", "--record", in("record.json")}, []string{"proposing"}},
		{[]string{"revert", in("record.json"), "--root", folder, "--write"}, []string{"comparing", "reverting"}},
	} {
		got := onTerminal(t, c.args...)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("readiness %v does not show %q: %q", c.args, want, got)
			}
		}
	}
	for _, args := range [][]string{
		{"assess", folder}, {"lift", measured, "--count", "2"}, {"evaluate", in("M.SemanticModel"), "--questions", in("q.csv"), "--answers", in("a.csv")},
		{"revert", in("record.json"), "--root", folder},
	} {
		var stdout, stderr bytes.Buffer
		p := New(&stdout, &stderr)
		p.Patience = 0
		if code := p.Run(t.Context(), args); code != cli.ExitOK || strings.ContainsAny(stderr.String(), "\r|") {
			t.Errorf("readiness %v: exit code %d, %q", args, code, stderr.String())
		}
	}
}
