package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/domain/item"
	"readiness/offline/show"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
)

// The tenant and the service's application of the emulator.
const (
	emulatedTenant = "11111111-1111-4111-8111-111111111111"
	emulatedClient = "33333333-3333-4333-8333-333333333333"
)

// emulatorFlags are the flags of emulator.
type emulatorFlags struct {
	platform, address, data    string
	people, viewers, noCapable []string
	faults, noConsent          []string
	protected                  []string
	requires, generates        string
	tokenLife                  time.Duration
	options                    emulator.Options
}

func (r *root) emulatorCommand() *cobra.Command {
	var f emulatorFlags
	c := &cobra.Command{
		Use:   "emulator",
		Short: "Emulate Microsoft Fabric, Power BI and Entra over a folder of workspaces",
		Long: `Serves what the service uses of Microsoft Fabric, Power BI and Microsoft Entra ID over the workspaces of a folder, by HTTPS
on this machine, so that anyone can try serve --platform fabric, readiness client login, or another client. It is an
emulator: people sign in without a password, and it loses its state when it ends. It prints how to
start the service with it.

Its certificate, the application's secret and an accounts file are in --data. Flags select behaviors of the platform:
the layout of definitions, quotas, rights, missing consent, claims challenges and faults. It logs calls that it answers with
429, and all calls with --log-level debug.

A fault is METHOD:PATH:WHAT or METHOD:PATH:WHAT:TIMES. PATH is a part of the path. WHAT is lost (no answer), failed (the
long-running operation fails), challenge (401 with claims), 429 (for 20 seconds), 429=SECONDS, or another status from 400
to 599.`,
		Example: `  readinessd emulator --platform folder:samples/workspaces
  readinessd emulator --platform folder:samples/workspaces --drop-copilot --quota-calls 20 --viewer linus
  readinessd emulator --platform folder:samples/workspaces --fault POST:getDefinition:503:2 --fault GET:/v1/workspaces:lost`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return r.emulate(c.Context(), f) },
	}
	f.add(c.Flags())
	cli.OwnEnvironment(c, "emulator", "person", "platform")
	return c
}

func (f *emulatorFlags) add(flags *pflag.FlagSet) {
	o := &f.options
	flags.StringVar(&f.platform, "platform", "", "the workspaces: folder:DIR")
	flags.StringVar(&f.address, "listen", "127.0.0.1:8443", "loopback address to listen on; port 0 selects a free one")
	flags.StringVar(&f.data, "data", ".readiness-emulator", "directory for the certificate, the secret and the accounts file")
	flags.StringSliceVar(&f.people, "person", []string{"ada", "grace", "linus"}, "a person who can sign in, by their id in the folder; "+
		"can be repeated")
	flags.StringSliceVar(&f.viewers, "viewer", nil, "a person who may only view, and so reads no definition; can be repeated")
	flags.StringSliceVar(&f.noCapable, "no-capacities", nil, "a person who may not see states of capacities; can be repeated")
	flags.StringSliceVar(&f.noConsent, "no-consent", nil, "a delegated permission without consent, such as "+
		"Dataset.Read.All; can be repeated")
	flags.StringVar(&f.requires, "require-context", "", "authentication context, such as c1, without which Entra answers with a claims "+
		"challenge")
	flags.DurationVar(&f.tokenLife, "token-life", time.Hour, "how long tokens are valid")
	flags.IntVar(&o.PageSize, "page-size", 100, "how many elements a page of a list holds")
	flags.DurationVar(&o.Lasts, "operations-last", 400*time.Millisecond, "how long a long-running operation takes")
	flags.DurationVar(&o.RetryAfter, "retry-after", 20*time.Second, "when to ask for a long-running operation again")
	flags.BoolVar(&o.AtOnce, "at-once", false, "answer definitions without a long-running operation")
	flags.IntVar(&o.Quotas.Calls, "quota-calls", 0, "calls of a person in a window; 0 for no limit")
	flags.IntVar(&o.Quotas.Operations, "quota-operations", 0, "calls about long-running operations of a person in a window; 0 for no limit")
	flags.DurationVar(&o.Quotas.Window, "quota-window", time.Minute, "how long the window of quotas is")
	flags.BoolVar(&o.Layout.Exact, "exact", false, "give definitions as they are in the folder")
	flags.BoolVar(&o.Layout.DropCopilot, "drop-copilot", false, "leave out the parts below Copilot/")
	flags.BoolVar(&o.Layout.CRLF, "crlf", false, "end lines with CR LF")
	flags.BoolVar(&o.Layout.CompactJSON, "compact-json", false, "write JSON without white space")
	flags.BoolVar(&o.Layout.TrimMarkdown, "trim-markdown", false, "write Markdown without white space at its end")
	flags.BoolVar(&o.Layout.KeepsHidden, "keep-hidden", false, "keep the parts that --drop-copilot omits when a definition is updated")
	flags.BoolVar(&o.Layout.LosesCopilot, "lose-copilot", false, "drop the parts below Copilot/ of definitions that are written")
	flags.BoolVar(&o.Layout.Forgetful, "forget-updates", false, "discard updates, although they succeed")
	flags.BoolVar(&o.Unknown.BlocksEarlyPolls, "block-early-polls", false, "answer 429 to polls before Retry-After")
	flags.StringVar(&o.Unknown.ReportsRefused, "refuse-reports", "", "code with which Power BI refuses its lists of reports, such as "+
		"PowerBINotAuthorizedException")
	flags.StringVar(&o.Unknown.MCPVersion, "mcp-version", "", "the only version of MCP that data agents, Fabric IQ and Generate Query know, "+
		"such as 2025-03-26; empty for every version")
	flags.StringVar(&o.Unknown.QueriesRefused, "refuse-queries", "", "code with which queries are refused, such as TenantSwitchDisabled")
	flags.StringVar(&o.Unknown.ArrowRefused, "refuse-arrow", "", "code with which queries in the form of Apache Arrow are refused, such "+
		"as DatasetNotOnCapacity")
	flags.IntVar(&o.Unknown.LargestUpdate, "largest-update", 0, "bytes that an update may have; 0 for 64 MiB")
	flags.StringVar(&o.Unknown.PausedCode, "paused-code", "CapacityNotActive", "code of calls about a paused capacity")
	flags.StringVar(&f.generates, "generate-query", "", "text with which Generate Query answers every question, such as a query; the form "+
		"of its real answers is not known. Without it, the tool is not listed")
	flags.BoolVar(&o.Unknown.NoIQ, "no-fabric-iq", false, "turn Fabric IQ off")
	flags.StringSliceVar(&f.protected, "protected", nil, "name of an item whose sensitivity label protects it; can be repeated")
	flags.StringArrayVar(&f.faults, "fault", nil, "a fault to simulate: METHOD:PATH:WHAT or METHOD:PATH:WHAT:TIMES; can be repeated")
}

// emulate runs until ctx ends.
func (r *root) emulate(ctx context.Context, f emulatorFlags) error {
	dir, isFolder := strings.CutPrefix(f.platform, "folder:")
	if !isFolder || dir == "" {
		return cli.Usage("--platform must be folder:DIR, the directory that holds the workspaces, not %q", f.platform)
	}
	f.options.Log = r.Log
	service, entra, err := f.open(dir)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.address)
	if err != nil {
		return err
	}
	if at, ok := listener.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return errors.Join(cli.Usage("--listen must be a loopback address: people sign in without a password"), listener.Close())
	}
	url := "https://" + listener.Addr().String()
	entra.SetAddress(url)
	entra.SetTenants(emulatedTenant)
	certificate, err := f.prepare(url)
	if err == nil {
		var secret string
		secret, err = f.secret()
		entra.Expect(secret)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	f.greet(r, url, entra)
	return emulator.Serve(ctx, listener, emulator.Handler(service, entra), certificate,
		slog.NewLogLogger(r.Log.Handler(), slog.LevelDebug))
}

// open makes the emulator over the folder.
func (f *emulatorFlags) open(dir string) (*emulator.Service, *emulator.Entra, error) {
	behind, err := folder.Open(dir, folder.Options{})
	if err != nil {
		return nil, nil, err
	}
	entra, err := emulator.NewEntra(emulatedClient, time.Now)
	if err != nil {
		return nil, nil, err
	}
	var people []emulator.User
	for _, p := range f.people {
		people = append(people, emulator.User{Name: p})
	}
	entra.SetPeople(people...)
	entra.Require(f.requires)
	entra.SetTokenLife(f.tokenLife)
	entra.Withhold(f.noConsent...)
	o := f.options
	o.Folder, o.Person = behind, entra.Person
	o.Role = func(person string, _ uuid.UUID) emulator.Role {
		if slices.Contains(f.viewers, person) {
			return emulator.Viewer
		}
		return emulator.Contributor
	}
	o.Unknown.Label = func(it item.Item) (label, refused string) {
		if slices.Contains(f.protected, it.DisplayName) {
			return emulatedClient, "ItemHasProtectedLabel" // any id
		}
		return "", ""
	}
	if f.generates != "" {
		o.Unknown.GeneratedQuery = func(item.Item, string) (any, string, error) { return nil, f.generates, nil }
	}
	o.CapacityReader = func(person string) bool { return !slices.Contains(f.noCapable, person) }
	if o.PageSize < 1 || o.Lasts <= 0 || o.RetryAfter <= 0 || f.tokenLife <= 0 || o.Quotas.Window <= 0 || o.Quotas.Calls < 0 ||
		o.Quotas.Operations < 0 {
		return nil, nil, cli.Usage("--page-size, --operations-last, --retry-after, --token-life and --quota-window must be more than 0, " +
			"and quotas not less than 0")
	}
	service := emulator.New(o)
	for _, text := range f.faults {
		fault, err := faultOf(service, text)
		if err != nil {
			return nil, nil, err
		}
		service.Script(fault)
	}
	return service, entra, nil
}

// faultOf reads a --fault.
func faultOf(s *emulator.Service, text string) (emulator.Fault, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 && len(parts) != 4 {
		return emulator.Fault{}, cli.Usage("--fault must be METHOD:PATH:WHAT or METHOD:PATH:WHAT:TIMES, not %q", text)
	}
	f := emulator.Fault{Method: parts[0], Path: parts[1]}
	if len(parts) == 4 {
		times, err := strconv.Atoi(parts[3])
		if err != nil || times < 1 {
			return f, cli.Usage("--fault: %q is not how often the fault occurs", parts[3])
		}
		f.Times = times
	}
	status, err := strconv.Atoi(parts[2])
	wait, blocks := strings.CutPrefix(parts[2], "429=")
	switch {
	case blocks:
		seconds, err := strconv.Atoi(wait)
		if err != nil || seconds < 1 {
			return f, cli.Usage("--fault: %q is not how many seconds a 429 lasts", wait)
		}
		f.Answer = s.Throttled(time.Duration(seconds) * time.Second)
	case parts[2] == "lost":
		f.Answer = emulator.Lost
	case parts[2] == "challenge":
		f.Answer = emulator.Challenge(emulator.ClaimsFor("c1"))
	case parts[2] == "failed":
		f.Operation = map[string]any{"errorCode": "UnknownError", "message": "An error occurred while processing the operation",
			"moreDetails": []any{map[string]any{"errorCode": "Emulated", "message": "The fault was asked for"}}}
	case parts[2] == "429":
		f.Answer = s.Throttled(20 * time.Second)
	case err == nil && status >= 400 && status < 600:
		f.Answer = emulator.Error(status, "UnknownError", "An error occurred while processing the operation")
	default:
		return f, cli.Usage("--fault: %q is neither lost, failed, challenge nor a status from 400 to 599", parts[2])
	}
	return f, nil
}

// The files in --data.
const (
	caFile        = "ca.pem"
	serverKeyFile = "key.pem"
	secretFile    = "secret.txt"
	accountsFile  = "accounts.yaml"
)

// prepare writes the files that a service needs into --data, and returns the certificate. A valid one is kept.
func (f *emulatorFlags) prepare(url string) (emulator.Certificate, error) {
	var c emulator.Certificate
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		return c, err
	}
	var err error
	c.Cert, err = os.ReadFile(filepath.Join(f.data, caFile))
	if err == nil {
		c.Key, err = os.ReadFile(filepath.Join(f.data, serverKeyFile))
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && c.Valid(time.Now()) != nil {
		if c, err = emulator.NewCertificate(time.Now()); err == nil {
			err = f.write(serverKeyFile, c.Key)
		}
		if err == nil {
			err = f.write(caFile, c.Cert)
		}
	}
	if err != nil {
		return c, err
	}
	var accounts strings.Builder
	accounts.WriteString("accounts:\n  - accountId: contoso\n    plan: Business\n    region: westeurope\n" +
		"    settings:\n      fabricWrites: true\n    people:\n")
	for _, p := range f.people {
		fmt.Fprintf(&accounts, "      - issuer: %s\n        person: %s/%s # %s\n        role: admin\n", issuerAt(url), emulatedTenant,
			emulator.User{Name: p}.ID(), strings.Join(strings.Fields(p), " "))
	}
	return c, f.write(accountsFile, []byte(accounts.String()))
}

// secret returns the application's secret, which it writes into --data unless there is one.
func (f *emulatorFlags) secret() (string, error) {
	text, err := os.ReadFile(filepath.Join(f.data, secretFile))
	secret := strings.TrimSpace(string(text))
	if err == nil && secret != "" {
		return secret, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	secret = rand.Text()
	return secret, f.write(secretFile, []byte(secret+"\n"))
}

func (f *emulatorFlags) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(f.data, name), text, 0o600)
}

func issuerAt(url string) string { return url + "/" + emulatedTenant + "/v2.0" }

// greet prints where the emulator is and how to start the service with it.
func (f *emulatorFlags) greet(r *root, url string, entra *emulator.Entra) {
	in := func(name string) string { return show.ShellWord(filepath.Join(f.data, name)) }
	fmt.Fprintf(r.Stdout, "Emulating Fabric, Power BI and Entra at %s\n", url)
	for _, line := range [][2]string{{"certificate", in(caFile)}, {"tenant", emulatedTenant}, {"client id", emulatedClient},
		{"public client", entra.PublicClient()}, {"issuer", issuerAt(url)}, {"people", strings.Join(f.people, ", ")}} {
		fmt.Fprintf(r.Stdout, "  %-14s %s\n", line[0], line[1])
	}
	fmt.Fprintf(r.Stdout, `
readinessd serve --platform fabric --fabric-url %[1]s --fabric-power-bi-url %[1]s --fabric-iq-url %[1]s --fabric-authority %[1]s \
    --fabric-client-id %[2]s --fabric-tenant %[3]s --fabric-secret-file %[4]s \
    --issuer %[5]s --audience %[2]s --ca-file %[6]s --accounts %[7]s \
    --console-client-id %[8]s --console-scope %[2]s/.default --console-scope offline_access
readiness client login --base-url http://127.0.0.1:8080 --issuer %[5]s \
    --client-id %[8]s --scope %[2]s/.default --ca-file %[6]s
`, url, emulatedClient, emulatedTenant, in(secretFile), issuerAt(url), in(caFile), in(accountsFile), entra.PublicClient())
}
