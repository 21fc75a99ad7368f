package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/testscript"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/testworld"
)

type worldKey struct{}

// command is a command of scripts. Only commands that accept neg can be negated.
type command func(ts *testscript.TestScript, w *Service, neg bool, args []string)

func commandsOfScripts() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]command{
		"json": holdsMember, "header": holdsHeader, // these may be negated
		"workspace": plain(1, addWorkspace), "model": plain(2, addModel), "models": plain(2, addModels),
		"accounts": plain(1, applyAccounts), "as": plain(1, as), "bearer": plain(1, bearer), "token-of": plain(1, tokenOf), "with": plain(2, with),
		"repeat": plain(4, repeat), "let": plain(2, let), "wait-for": plain(2, waitFor), "wait-for-percent": plain(2, waitForPercent), "events": plain(0, listEvents),
		"spent": plain(2, spent), "clock": plain(1, clock), "workers": plain(1, workers), "hold": plain(1, hold), "release": plain(1, release), "fail": plain(2, fail),
		"questions": plain(1, questions), "pad": plain(2, pad), "rebuild": plain(0, rebuild), "moments": plain(1, moments), "restart": plain(0, restart),
	}
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"} {
		all[method] = plain(2, func(ts *testscript.TestScript, w *Service, args []string) { call(ts, w, method, args) })
	}
	maps.Copy(all, changeCommands())
	maps.Copy(all, reportCommands())
	maps.Copy(all, askCommands())
	maps.Copy(all, scheduleCommands())
	maps.Copy(all, aiProviderCommands())
	cmds := map[string]func(*testscript.TestScript, bool, []string){}
	for name, c := range all {
		cmds[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			c(ts, ts.Value(worldKey{}).(*Service), neg, args)
		}
	}
	return cmds
}

// plain returns a command that cannot be negated and takes at least that many arguments.
func plain(least int, do func(*testscript.TestScript, *Service, []string)) command {
	return func(ts *testscript.TestScript, w *Service, neg bool, args []string) {
		if neg || len(args) < least {
			ts.Fatalf("the command cannot be negated and takes at least %d arguments", least)
		}
		do(ts, w, args)
	}
}

func holdsMember(ts *testscript.TestScript, w *Service, neg bool, args []string) {
	if len(args) == 0 || neg != (len(args) == 1) {
		ts.Fatalf("usage: json PATH VALUE, or ! json PATH")
	}
	got, there := w.Member(args[0])
	switch {
	case neg && there:
		ts.Fatalf("%s is %s, want none in\n%s", args[0], Bare(got), w.Last.text)
	case !neg && (!there || Bare(got) != args[1]):
		ts.Fatalf("%s is %s, want %s in\n%s", args[0], Bare(got), args[1], w.Last.text)
	}
}

func holdsHeader(ts *testscript.TestScript, w *Service, neg bool, args []string) {
	values := w.Last.header.Values(args[0])
	switch {
	case neg && len(values) > 0:
		ts.Fatalf("the header %s is %q, want none", args[0], values)
	case !neg && len(values) != 1:
		ts.Fatalf("the header %s is there %d times, want once", args[0], len(values))
	case !neg && len(args) > 1 && !regexp.MustCompile(args[1]).MatchString(values[0]):
		ts.Fatalf("the header %s is %q, want %s", args[0], values[0], args[1])
	}
}

// named gives an id a name, in the script and in the output that the script sees.
func (w *Service) named(ts *testscript.TestScript, name string, id uuid.UUID) {
	w.names[id] = name
	ts.Setenv(name, id.String())
	ts.Setenv(strings.ToUpper(name), strings.ToUpper(id.String()))
}

// idOf returns the id of a named object: the same in every run.
func idOf(kind, name string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://readiness.test/"+kind+"/"+name))
}

func addWorkspace(ts *testscript.TestScript, w *Service, args []string) {
	members := args[1:]
	paused := len(members) > 0 && members[0] == "paused"
	if paused {
		members = members[1:]
	}
	w.Workspace(w.T, testworld.Workspace{ID: idOf("workspace", args[0]), Name: args[0], Members: members, Paused: paused})
	w.named(ts, args[0], idOf("workspace", args[0]))
}

// goodTable is the table of a model unless the script has another.
const goodTable = "/// One row for each invoice line.\ntable Sales\n\n\t/// The invoiced amount in euro.\n\tcolumn Amount\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\t\tsourceColumn: Amount\n"

func addModel(ts *testscript.TestScript, w *Service, args []string) {
	table := goodTable
	if len(args) > 2 {
		table = ts.ReadFile(args[2])
	}
	w.Model(w.T, args[0], args[1], idOf("model", args[1]), table)
	name := strings.ReplaceAll(args[1], " ", "_")
	w.named(ts, name, idOf("model", args[1]))
}

func addModels(ts *testscript.TestScript, w *Service, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ids := make([]uuid.UUID, n)
	for i := range ids {
		name := fmt.Sprintf("Model %03d", i+1)
		w.Model(w.T, args[0], name, idOf("model", name), goodTable)
		ids[i] = idOf("model", name)
		w.named(ts, fmt.Sprintf("m%d", i+1), ids[i])
	}
	text, err := json.Marshal(map[string]any{"semanticModelIds": ids})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("models.json"), text, 0o644))
}

func applyAccounts(ts *testscript.TestScript, w *Service, args []string) {
	w.Apply(args[0], []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), os.DirFS(ts.MkAbs(".")))
}

func bearer(_ *testscript.TestScript, w *Service, args []string) {
	w.caller.bearer = args[0]
}

// tokenOf makes later calls with a single token of a person, however long they take.
func tokenOf(ts *testscript.TestScript, w *Service, args []string) {
	as(ts, w, args)
	w.caller.bearer = w.token()
}

func with(_ *testscript.TestScript, w *Service, args []string) {
	w.headers.Add(args[0], args[1])
}

func repeat(ts *testscript.TestScript, w *Service, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for range n {
		call(ts, w, args[1], args[2:])
	}
}

func let(ts *testscript.TestScript, w *Service, args []string) {
	v, there := w.Member(args[1])
	if !there {
		ts.Fatalf("there is no %s in\n%s", args[1], w.Last.text)
	}
	ts.Setenv(args[0], Bare(v))
	if id, err := uuid.Parse(Bare(v)); err == nil {
		w.names[id] = args[0]
	}
}

// patience is the longest wait for any one condition. It detects that something never happens, not that it is slow, so
// it is longer than the slowest machine needs.
const patience = 5 * time.Minute

// firstPause is the first pause between two checks of a condition; later pauses are longer.
const firstPause = 3 * time.Millisecond

func longer(pause time.Duration) time.Duration { return min(pause*3/2, 50*time.Millisecond) }

// await waits until the operation is in the wanted state.
func await(ts *testscript.TestScript, w *Service, op, want string, is func(status operation.Status, percent *int) bool) {
	id, err := uuid.Parse(op)
	ts.Check(err)
	ctx, cancel := context.WithTimeout(w.T.Context(), patience)
	defer cancel()
	for pause := firstPause; ; pause = longer(pause) {
		o, found, err := w.Views.Operation(ctx, w.caller.account.AccountID, id)
		ts.Check(err)
		switch {
		case !found:
			ts.Fatalf("%s has no operation %s", w.caller.account.AccountID, id)
		case is(o.Status, o.Percent):
			return
		case o.Status.Ended():
			ts.Fatalf("the operation ended %s (%+v), want %s", o.Status, o.Failure, want)
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("the operation is still %s after %s, want %s", o.Status, patience, want)
		case <-time.After(pause):
		}
	}
}

func waitFor(ts *testscript.TestScript, w *Service, args []string) {
	await(ts, w, args[0], args[1], func(status operation.Status, _ *int) bool { return string(status) == args[1] })
}

func waitForPercent(ts *testscript.TestScript, w *Service, args []string) {
	await(ts, w, args[0], args[1]+" %", func(_ operation.Status, percent *int) bool {
		return percent != nil && strconv.Itoa(*percent) == args[1]
	})
}

// listEvents prints the stored events. Those that create accounts and people are left out unless requested.
func listEvents(ts *testscript.TestScript, w *Service, args []string) {
	streams := map[string][]eventstore.Recorded{}
	var order []string
	// A commit is visible a moment before it lets go of its place, up to which the log would be read.
	last, _, err := w.Store.Positions(w.T.Context())
	ts.Check(err)
	for r, err := range w.Store.ReadAll(w.T.Context(), 0, last) {
		ts.Check(err)
		if len(args) == 0 && strings.HasPrefix(r.Stream, "account-") || len(args) > 0 && !strings.HasPrefix(r.Stream, args[0]) {
			continue
		}
		if streams[r.Stream] == nil {
			order = append(order, r.Stream)
		}
		streams[r.Stream] = append(streams[r.Stream], r)
	}
	if order == nil {
		fmt.Fprintln(ts.Stdout(), "none")
	}
	slices.SortFunc(order, func(a, b string) int { return strings.Compare(w.stable(a), w.stable(b)) })
	for _, name := range order {
		sent := 0 // a folder takes no writes that it makes later, so these events depend on the platform
		for _, r := range streams[name] {
			if strings.HasSuffix(r.Type, "-sent") {
				sent++
				continue
			}
			fmt.Fprintf(ts.Stdout(), "%s %d %s\n", w.stable(r.Stream), int(r.Version)-sent, r.Type)
		}
	}
}

func spent(ts *testscript.TestScript, w *Service, args []string) {
	kind, limits := account.Kind(args[0]), account.DefaultPlans()[w.caller.account.Plan]
	period := map[account.Kind]account.Period{account.Assessments: limits.Assessments.Period, account.FirstLooks: limits.FirstLooks.Period, account.OptimizationApplies: limits.OptimizationApplies.Period, account.BenchmarkBuilds: limits.BenchmarkBuilds.Period, account.BenchmarkRuns: limits.BenchmarkRuns.Period}[kind]
	if got := strconv.Itoa(w.Used(w.T, w.caller.account.AccountID, kind, period)); got != args[1] {
		ts.Fatalf("%s of %s %s are spent, want %s", got, w.caller.account.AccountID, kind, args[1])
	}
}

func clock(ts *testscript.TestScript, w *Service, args []string) {
	if args[0] == "stop" {
		w.Clock.Stop()
		return
	}
	d, err := time.ParseDuration(strings.TrimPrefix(args[0], "+"))
	ts.Check(err)
	w.Clock.Advance(d)
}

func workers(ts *testscript.TestScript, w *Service, args []string) {
	switch args[0] {
	case "stop":
		w.StopWorkers()
	case "start":
		w.StartWorkers()
	case "kill":
		w.killWorkers()
	default:
		ts.Fatalf("usage: workers stop|start|kill")
	}
}

func hold(_ *testscript.TestScript, w *Service, args []string) { w.platform.hold(args[0]) }
func release(_ *testscript.TestScript, w *Service, args []string) {
	w.platform.release(args[0])
	w.platform.release("write " + args[0])
}

// fail makes reading a model fail with a code or as if the step had timed out, or succeed again.
func fail(_ *testscript.TestScript, w *Service, args []string) {
	switch args[1] {
	case string(domain.AssessmentTimedOut):
		w.platform.fail(args[0], context.DeadlineExceeded)
	case "none":
		w.platform.fail(args[0], nil)
	default:
		w.platform.fail(args[0], domain.Refuse(domain.Code(args[1]), "the platform says so"))
	}
}

// pad lengthens a JSON file with white space before its last byte.
func pad(ts *testscript.TestScript, _ *Service, args []string) {
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := bytes.TrimSpace([]byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)))
	end := len(text) - 1
	padded := slices.Concat(text[:end], bytes.Repeat([]byte{' '}, size-len(text)), text[end:])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), padded, 0o644))
}

func rebuild(ts *testscript.TestScript, w *Service, _ []string) {
	for _, v := range projections.All() {
		report, err := w.Engine.Rebuild(w.T.Context(), w.Store, v.Name, projections.RebuildOptions{Diff: true})
		ts.Check(err)
		if report.Diff == nil || !report.Diff.None() {
			ts.Fatalf("view %s differs from the log: %+v", v.Name, report.Diff)
		}
	}
}

func restart(_ *testscript.TestScript, w *Service, _ []string) {
	w.down()
	w.Up()
}
