package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"readiness/domain"
	"readiness/test/testworld"
)

// changeCommands returns the commands about writes to the platform.
func changeCommands() map[string]command {
	return map[string]command{
		"keep": plain(1, keep), "kept": plain(1, kept), "changed": plain(1, changed), "edit": plain(3, edit), "crlf": plain(1, crlf),
		"reads": plain(2, readTimes), "writes": plain(2, writes), "hold-write": plain(1, holdWrite), "held": plain(1, held), "fail-write": plain(2, failWrite),
		"nothing": plain(0, nothing), "quiet": plain(0, quiet), "drive": plain(2, drive), "together": plain(4, together),
		"list": plain(2, list), "like": plain(2, like), "logged": plain(2, logged), "wide": plain(2, wide), "text": plain(2, text), "provider": plain(0, provider), "asked": plain(1, asked),
	}
}

// files returns the bytes of every file of the workspaces, by path.
func (w *Service) files(ts *testscript.TestScript) map[string]string {
	all, err := testworld.Files(w.Root)
	ts.Check(err)
	return all
}

// keep records every file of the workspaces under a name.
func keep(ts *testscript.TestScript, w *Service, args []string) {
	w.keeps[args[0]] = w.files(ts)
}

// kept asserts that every file of the workspaces equals the recorded one, byte for byte.
func kept(ts *testscript.TestScript, w *Service, args []string) {
	if differ := testworld.Difference(w.keeps[args[0]], w.files(ts)); differ != "" {
		ts.Fatalf("the files are not as kept:\n%s", differ)
	}
}

// changed prints the differences from the recorded files: the added and removed lines of each file.
func changed(ts *testscript.TestScript, w *Service, args []string) {
	fmt.Fprint(ts.Stdout(), testworld.Difference(w.keeps[args[0]], w.files(ts)))
}

// edit changes a file of the workspaces as another person would: one text, which must occur once, is replaced. \n, \r
// and \t have their meaning in Go.
func edit(ts *testscript.TestScript, w *Service, args []string) {
	file := w.Path(filepath.FromSlash(args[0]))
	text, err := os.ReadFile(file)
	ts.Check(err)
	unescaped := strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t")
	old, now := unescaped.Replace(args[1]), unescaped.Replace(args[2])
	if n := strings.Count(string(text), old); n != 1 {
		ts.Fatalf("%s contains %q %d times, want once", args[0], old, n)
	}
	ts.Check(os.WriteFile(file, []byte(strings.Replace(string(text), old, now, 1)), 0o644))
}

// crlf changes the line endings of a file of the workspaces to CRLF.
func crlf(ts *testscript.TestScript, w *Service, args []string) {
	file := w.Path(filepath.FromSlash(args[0]))
	text, err := os.ReadFile(file)
	ts.Check(err)
	ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), 0o644))
}

// nothing asserts that the last call started nothing.
func nothing(ts *testscript.TestScript, w *Service, _ []string) { w.didNothing(ts) }

// readTimes asserts how many times the platform was asked for a model's definition; writes, how many times to write one.
func readTimes(ts *testscript.TestScript, w *Service, args []string) {
	w.platform.mu.Lock()
	defer w.platform.mu.Unlock()
	if got := strconv.Itoa(w.platform.reads[args[0]]); got != args[1] {
		ts.Fatalf("%s was read %s times, want %s", args[0], got, args[1])
	}
}

func writes(ts *testscript.TestScript, w *Service, args []string) {
	w.platform.mu.Lock()
	defer w.platform.mu.Unlock()
	if got := strconv.Itoa(w.platform.writes[args[0]]); got != args[1] {
		ts.Fatalf("%s was written %s times, want %s", args[0], got, args[1])
	}
}

func holdWrite(_ *testscript.TestScript, w *Service, args []string) {
	w.platform.hold("write " + args[0])
}

// held waits until a step waits for a held model.
func held(ts *testscript.TestScript, w *Service, args []string) {
	within(ts, "something waits for "+args[0], func() bool {
		w.platform.mu.Lock()
		defer w.platform.mu.Unlock()
		return w.platform.waiting[args[0]] > 0
	})
}

// failWrite makes writing a model fail with a code, or succeed again.
func failWrite(_ *testscript.TestScript, w *Service, args []string) {
	w.platform.fail("write "+args[0], nil)
	if args[1] != "none" {
		w.platform.fail("write "+args[0], domain.Refuse(domain.Code(args[1]), "the platform refused the write"))
	}
}

// within waits until a condition holds.
func within(ts *testscript.TestScript, what string, is func() bool) {
	end := time.Now().Add(patience)
	for pause := firstPause; !is(); pause = longer(pause) {
		if time.Now().After(end) {
			ts.Fatalf("not true after %s: %s", patience, what)
		}
		<-time.After(pause)
	}
}

// quiet waits until no step is left except held ones, so that everything the service does on its own is done.
func quiet(ts *testscript.TestScript, w *Service, _ []string) {
	within(ts, "every step is done", func() bool {
		var left int
		ts.Check(w.Pool.QueryRow(w.T.Context(), `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`).Scan(&left))
		w.platform.mu.Lock()
		defer w.platform.mu.Unlock()
		for _, n := range w.platform.waiting {
			left -= n
		}
		return left == 0
	})
}

// drive reads an operation as the caller until it ends, waiting before each read until the service is quiet.
func drive(ts *testscript.TestScript, w *Service, args []string) {
	for range 40 {
		quiet(ts, w, nil)
		call(ts, w, http.MethodGet, []string{"200", "/v1/operations/" + args[0]})
		switch status, _ := w.Member("status"); status {
		case args[1]:
			return
		case "Succeeded", "Failed", "Cancelled":
			ts.Fatalf("the operation ended %s, want %s\n%s", status, args[1], w.Last.text)
		}
	}
	ts.Fatalf("the operation does not end:\n%s", w.Last.text)
}

// together makes N calls at once: N METHOD PATTERN PATH [FILE]. Each answer must have a status like the pattern; the
// statuses go to stdout.
func together(ts *testscript.TestScript, w *Service, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var body string
	if len(args) > 4 {
		body = os.Expand(ts.ReadFile(args[4]), ts.Getenv)
	}
	bearer := w.token()
	statuses, problems := make([]string, n), make([]error, n)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-begin
			statuses[i], problems[i] = w.one(args[1], args[3], bearer, body)
		})
	}
	close(begin)
	wg.Wait()
	ts.Check(errors.Join(problems...))
	for _, status := range statuses {
		fmt.Fprintln(ts.Stdout(), status)
		if !regexp.MustCompile("^(" + args[2] + ")$").MatchString(status) {
			ts.Fatalf("%s %s answered %s, want %s", args[1], args[3], status, args[2])
		}
	}
}

// one makes a call outside the script's state and returns its status.
func (w *Service) one(method, path, bearer, body string) (status string, err error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(w.T.Context(), method, Base+path, reader)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := w.Client.Do(r)
	if err != nil {
		return "", err
	}
	defer got.Body.Close()
	_, err = io.Copy(io.Discard, got.Body)
	return strconv.Itoa(got.StatusCode), err
}

// list prints a member of each element of arrays of the last answer, sorted: list changes,skipped key.
func list(ts *testscript.TestScript, w *Service, args []string) {
	var all []string
	for path := range strings.SplitSeq(args[0], ",") {
		v, _ := w.Member(path)
		elements, ok := v.([]any)
		if !ok {
			ts.Fatalf("%s is no array in\n%s", path, w.Last.text)
		}
		for _, e := range elements {
			all = append(all, w.stable(Bare(e.(map[string]any)[args[1]])))
		}
	}
	slices.Sort(all)
	out := ts.Stdout() // even if there is nothing to print
	for _, line := range all {
		fmt.Fprintln(out, line)
	}
}

// like asserts that a member of the last answer matches a pattern.
func like(ts *testscript.TestScript, w *Service, args []string) {
	got, there := w.Member(args[0])
	if !there || !regexp.MustCompile(args[1]).MatchString(Bare(got)) {
		ts.Fatalf("%s is %s, want it like %s in\n%s", args[0], Bare(got), args[1], w.Last.text)
	}
}

// logged asserts how many stored events match a pattern, each written as its stream, its name and its data as JSON, with the texts opened.
func logged(ts *testscript.TestScript, w *Service, args []string) {
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	rows, err := w.Pool.Query(w.T.Context(), `SELECT account_id, stream, type, data::text, (SELECT key FROM account_keys k WHERE k.account_id = e.account_id) FROM events e`)
	ts.Check(err)
	n := 0
	var account, stream, name, data string
	var key []byte
	_, err = pgx.ForEachRow(rows, []any{&account, &stream, &name, &data, &key}, func() error {
		opened, err := w.Store.OpenTexts(account, name, json.RawMessage(data), key)
		if pattern.MatchString(stream + " " + name + " " + string(opened)) {
			n++
		}
		return err
	})
	ts.Check(err)
	if strconv.Itoa(n) != args[0] {
		ts.Fatalf("%d events match %s, want %s", n, args[1], args[0])
	}
}

// wide writes a file with a table of many columns, and a measure of each after them, without descriptions.
func wide(ts *testscript.TestScript, _ *Service, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b strings.Builder
	b.WriteString("table Readings\n")
	for i := range n {
		fmt.Fprintf(&b, "\n\tcolumn 'Sensor %d'\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\t\tsourceColumn: s%d\n", i+1, i+1)
	}
	for i := range n {
		fmt.Fprintf(&b, "\n\tmeasure 'Total %d' = CALCULATE(SUM(Readings[Sensor %d]), Readings[Sensor %d] > %d)\n\t\tformatString: #,0\n", i+1, i+1, i+1, 1000+i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}

// text replaces the @ of a file with N characters.
func text(ts *testscript.TestScript, _ *Service, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(ts.ReadFile(args[0]), "@", strings.Repeat("x", n), 1)), 0o644))
}

// provider starts an AI provider that answers every question with an empty answer; $provider is its address.
func provider(ts *testscript.TestScript, w *Service, _ []string) {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		w.questions.Add(1)
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"id": "c", "object": "chat.completion", "model": "small", "created": 1,
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": "{}"}}},
		})
	}))
	w.T.Cleanup(server.Close)
	ts.Setenv("provider", server.URL)
}

// asked asserts whether that provider was asked, yes or no.
func asked(ts *testscript.TestScript, w *Service, args []string) {
	if n := w.questions.Load(); n > 0 != (args[0] == "yes") {
		ts.Fatalf("the provider was asked %d times, want %s", n, args[0])
	}
}
