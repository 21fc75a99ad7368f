package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/cmd/declared"
	"readiness/domain/account"
	"readiness/http/console/signin"
	"readiness/http/rate"
	"readiness/http/token"
	"readiness/platform/fabric/setup"
	"readiness/platform/quota"
	"readiness/work"
)

// serviceFlags are the flags of processes that serve or work.
type serviceFlags struct {
	databaseFlags
	read string // the address of a standby
	// baseURL is the public address of the service, consoleURL that of the console in messages; "" where they are not known.
	baseURL, consoleURL string
	platforms           []string
	fabric              setup.Application
	writes              setup.Writes
	// buildViews builds views of this version that are missing.
	buildViews bool
	share      int // of Fabric's quota, in percent
	plans      string
	rules      string
	// workers is how many steps read and write definitions at once; asks is how many steps ask AI providers at once.
	workers, asks int
	// metricsListen is the address for metrics and health; "" for that of the calls.
	metricsListen string
	// aiPrivate allows AI providers saved by accounts to be in private networks.
	aiPrivate bool
	// webhookPrivate allows webhooks in private networks.
	webhookPrivate bool
	// generateQuery lets Generate Query of Power BI write the queries of the platform's assistant.
	generateQuery bool
	anchors       anchorFlags
	forward       streamFlags
	collect       streamFlags
	documents     documentFlags
}

func (f *serviceFlags) add(flags *pflag.FlagSet) {
	f.databaseFlags.add(flags)
	standbyFlag(flags, &f.read, "which answers what it has of the history (audit events, tiles, views as of a position); what it "+
		"lacks comes from the primary")
	flags.BoolVar(&f.buildViews, "build-views", false, "at the start, build the views of this version that are missing, next to those that serve")
	plansFlag(flags, &f.plans)
	declared.RulesFlag(flags, &f.rules)
	flags.StringArrayVar(&f.platforms, "platform", nil, "analytics platform: folder:DIR, a directory of workspaces, or fabric, Microsoft "+
		"Fabric as the person who calls; can be given once each")
	f.fabric.AddTo(flags)
	f.writes.AddTo(flags)
	flags.IntVar(&f.share, "fabric-share", quota.DefaultShare, "percentage of Fabric's published quota for a person that all processes "+
		"together use; the rest is for the person's other tools. More than 100 is for emulators")
	flags.BoolVar(&f.generateQuery, "experimental-generate-query", false, "let Generate Query of Power BI's MCP server, a preview whose "+
		"answers have no published form, write the queries of the platform's assistant; results name it as experimental")
	flags.IntVar(&f.workers, "workers", 8, "how many steps of work read and write definitions at once; an account or person gets at most "+
		"half of them")
	flags.IntVar(&f.asks, "ai-workers", work.DefaultAsks,
		"how many steps of work ask AI providers at once; an account, person or provider gets at most a quarter of them")
	flags.StringVar(&f.baseURL, "base-url", "", "public address of the service, to which messages to webhooks link; serve uses that of its "+
		"listener by default, without such links")
	flags.StringVar(&f.metricsListen, "metrics-listen", metricsListen, metricsUsage)
	flags.BoolVar(&f.webhookPrivate, "webhook-private-addresses", false, "allow webhooks on this machine and in private networks")
	flags.BoolVar(&f.aiPrivate, "ai-private-addresses", false,
		"allow AI providers saved by accounts on this machine and in private networks")
	f.anchors.add(flags)
	f.forward.addForward(flags)
	f.collect.addCollected(flags)
	f.documents.add(flags)
	f.documents.addPuts(flags)
}

// serveFlags are the flags of serve.
type serveFlags struct {
	serviceFlags
	listen, portalURL, accounts string
	roles, issuers, audiences   []string
	embedded                    bool
	countTimeout                time.Duration
	console                     consoleFlags
}

// The roles of a process.
const (
	roleAPI    = "api"
	roleWorker = "worker"
)

func (r *root) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP interface and process the work",
		Long: `Serves the HTTP interface and, unless --roles excludes it, processes accepted work. Without --database-url it runs its own
PostgreSQL in the data directory. It first migrates the database. The first interrupt stops it gracefully: it accepts no
new calls, finishes running calls and steps, then closes the database. A second interrupt stops it at once.

It trusts tokens of the embedded issuer (see readinessd token) or, instead, those of each --issuer.`,
		Example: `  readinessd serve --platform folder:samples/workspaces --accounts samples/accounts.yaml
  readinessd serve --database-url postgres://readiness@db.example.com/readiness --platform folder:/srv/workspaces \
      --listen 0.0.0.0:8080 --base-url https://readiness.example.com \
      --issuer https://login.example.com/tenant/v2.0 --audience api://readiness`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return r.serve(c.Context(), f)
		},
	}
	flags := c.Flags()
	f.serviceFlags.add(flags)
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", "address to listen on; port 0 selects a free one")
	flags.StringVar(&f.portalURL, "portal-url", "", "web portal where permissions are granted; by default the base address")
	flags.StringVar(&f.accounts, "accounts", "", "accounts file to apply at startup")
	flags.StringSliceVar(&f.roles, "roles", []string{roleAPI, roleWorker}, "roles of this process: api, worker")
	flags.StringSliceVar(&f.issuers, "issuer", nil, "trusted token issuer, by the address in its tokens, in which {tid} stands for each "+
		"--fabric-tenant; can be repeated")
	flags.StringSliceVar(&f.audiences, "audience", nil, "name of this service at the issuers; can be repeated")
	flags.DurationVar(&f.countTimeout, "count-timeout", rate.DefaultTimeout,
		"how long counting a call in the database may take; after that, a call that starts work is refused")
	flags.BoolVar(&f.embedded, "embedded-issuer", false, "also trust the embedded issuer when --issuer is set")
	f.console.add(flags)
	return c
}

func (f *serveFlags) check() error {
	for _, role := range f.roles {
		if role != roleAPI && role != roleWorker {
			return cli.Usage("--roles: %q is neither %s nor %s", role, roleAPI, roleWorker)
		}
	}
	if len(f.roles) == 0 {
		return cli.Usage("--roles must name %s, %s or both", roleAPI, roleWorker)
	}
	if err := checkAddress("portal-url", f.portalURL); err != nil {
		return err
	}
	if len(f.issuers) > 0 && len(f.audiences) == 0 {
		return cli.Usage("--issuer needs --audience, the name of this service at the issuer")
	}
	if len(f.issuers) == 0 && len(f.audiences) > 0 {
		return cli.Usage("--audience needs --issuer")
	}
	if f.countTimeout < time.Millisecond {
		return cli.Usage("--count-timeout must be at least 1ms, not %s", f.countTimeout)
	}
	if err := f.console.check(f.issuers); err != nil {
		return err
	}
	return f.serviceFlags.check()
}

// checkAddress refuses what is no public address of a service; "" is none.
func checkAddress(name, address string) error {
	u, err := url.Parse(address)
	if address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "") {
		return cli.Usage("--%s must be an absolute http or https address without query, not %q", name, address)
	}
	return nil
}

func (f *serviceFlags) check() error {
	if err := checkAddress("base-url", f.baseURL); err != nil {
		return err
	}
	_, remote, err := f.chosen()
	if err != nil {
		return err
	}
	if remote {
		if err := f.fabric.Validate(); err != nil {
			return cli.Usage("%w", err)
		}
	}
	if f.generateQuery && !remote {
		return cli.Usage("--experimental-generate-query needs --platform fabric")
	}
	if f.share < 1 || f.share > quota.MaxShare {
		return cli.Usage("--fabric-share must be 1 to %d", quota.MaxShare)
	}
	if f.workers < 1 {
		return cli.Usage("--workers must be at least 1")
	}
	if f.asks < 1 {
		return cli.Usage("--ai-workers must be at least 1")
	}
	if err := cmp.Or(f.forward.check(false), f.collect.check(false)); err != nil {
		return err
	}
	_, _, err = f.anchors.parsed()
	return err
}

// serve runs until ctx ends or the listener fails.
func (r *root) serve(ctx context.Context, f serveFlags) (err error) {
	life := &lifetime{log: r.Log}
	defer func() { err = errors.Join(err, life.end()) }()

	if err := f.fabric.Trust(); err != nil {
		return err
	}
	plans, err := readPlans(f.plans)
	if err != nil {
		return err
	}
	declared := []account.Declaration(nil)
	if f.accounts != "" {
		if declared, err = readAccounts(f.accounts, plans); err != nil {
			return err
		}
	}
	listener, err := listen(ctx, life, f.listen)
	if err != nil {
		return err
	}
	if !f.console.off {
		f.consoleURL = f.baseURL
	}
	if f.baseURL == "" {
		f.baseURL = r.ownAddress(listener.Addr())
	}
	s, err := r.openWatched(ctx, life, f.serviceFlags, plans, false)
	if err != nil {
		return err
	}
	if f.accounts != "" {
		if err := r.applyAtStart(ctx, s, declared); err != nil {
			return err
		}
	}
	if slices.Contains(f.roles, roleWorker) {
		if err := s.work(ctx, life); err != nil {
			return err
		}
	}
	if !slices.Contains(f.roles, roleAPI) {
		<-ctx.Done()
		return nil
	}
	issuer, verifier, err := r.issuers(f)
	if err != nil {
		return err
	}
	console, err := s.consoleOptions(f, issuer, declared, listener.Addr())
	if err != nil {
		return err
	}
	ended, err := s.api(ctx, life, f, verifier, listener, console)
	if err != nil {
		return err
	}
	var trial *signin.Trial
	if console != nil {
		trial = console.Trial
	}
	r.greet(f, listener.Addr(), issuer, declared, trial)
	select {
	case <-ctx.Done():
		r.Log.Info("stopping", "reason", context.Cause(ctx).Error())
	case <-ended:
	}
	return nil
}

// listen listens on the address until the end of life.
func listen(ctx context.Context, life *lifetime, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	life.then("listener", func(context.Context) error {
		if err := listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	return listener, nil
}

// applyAtStart applies the declarations of --accounts and logs the accounts that they change.
func (r *root) applyAtStart(ctx context.Context, s *service, declared []account.Declaration) error {
	changes, err := s.commands.Accounts.Apply(ctx, declared)
	for _, c := range changes {
		r.Log.Info("accounts file applied", "account", c.AccountID, "changes", len(c.Events))
	}
	return err
}

// issuers returns the verifier of trusted tokens, and the embedded issuer if it is trusted.
func (r *root) issuers(f serveFlags) (*token.Issuer, *token.Verifier, error) {
	o := token.Options{Now: time.Now, Log: r.Log, Transport: f.fabric.Transport}
	for _, address := range f.issuers {
		o.Issuers = append(o.Issuers, token.Trusted{URL: address, Tenants: f.fabric.Tenants, Audiences: f.audiences})
	}
	if len(f.issuers) == 0 || f.embedded {
		var err error
		if o.Embedded, err = token.OpenIssuer(f.data); err != nil {
			return nil, nil, err
		}
	}
	v, err := token.NewVerifier(o)
	return o.Embedded, v, err
}

// greetingLife is the life of the token in the greeting.
const greetingLife = 8 * time.Hour

// greet prints the service's address and how to make the first call. It prints a token only to a terminal and only if
// the listener is reachable from this machine alone. Otherwise the output may end up in a file, so it prints the
// command that creates a token.
func (r *root) greet(f serveFlags, at net.Addr, issuer *token.Issuer, declared []account.Declaration, trial *signin.Trial) {
	fmt.Fprintf(r.Stdout, "Listening on %s, described at %s/docs\n", f.baseURL, f.baseURL)
	if !f.console.off {
		fmt.Fprintf(r.Stdout, "Console at %s\n", r.consoleAddress(f, trial))
	}
	address, ok := at.(*net.TCPAddr)
	if issuer == nil || !ok || !address.IP.IsLoopback() {
		return
	}
	accountID, person, known := firstPerson(declared)
	if known && cli.OnTerminal(r.Stdout) {
		signed, err := issuer.Mint(accountID, person, []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), greetingLife)
		if err == nil {
			fmt.Fprintf(r.Stdout, "\n# %s of account %s, for %s\nTOKEN=%s\ncurl -H \"Authorization: Bearer $TOKEN\" %s/v1/workspaces\n",
				person, accountID, greetingLife, signed, f.baseURL)
			return
		}
		r.Log.Warn("could not create a token for the greeting", "error", err)
	}
	where := "--data " + f.data
	if f.url != "" { // the address may contain a password
		where += " --database-url URL"
	}
	fmt.Fprintf(r.Stdout, "\nTOKEN=$(readinessd token %s --account %s --person %s)\ncurl -H \"Authorization: Bearer $TOKEN\" "+
		"%s/v1/workspaces\n", where, accountID, person, f.baseURL)
}

// consoleAddress returns where the console is, with a code for the first browser if the console is a trial and stdout a terminal.
func (r *root) consoleAddress(f serveFlags, trial *signin.Trial) string {
	switch {
	case trial == nil:
		return f.baseURL + "/"
	case cli.OnTerminal(r.Stdout):
		return signin.Address(f.baseURL, trial.Key, time.Now())
	}
	return fmt.Sprintf("%s/ (to sign in, open what readinessd token --data %s --console %s prints)", f.baseURL, f.data, f.baseURL)
}

// firstPerson returns the first person of the embedded issuer in an active account. If there is none, it returns
// placeholders and known is false.
func firstPerson(declared []account.Declaration) (accountID, person string, known bool) {
	for _, d := range declared {
		for _, p := range d.People {
			if p.Person.Issuer == "" && d.Status == account.Active {
				return d.AccountID, p.Person.ID, true
			}
		}
	}
	return "ID", "NAME", false
}

// ownAddress returns the listener's address for callers on this machine. A listener on every address has none that
// other machines could use, and Pixies would carry it into reports, so ownAddress logs a warning.
func (r *root) ownAddress(at net.Addr) string {
	host, port, err := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		r.Log.Warn("the service listens on every address and does not know its public one; set --base-url, which callers and Pixies use",
			"assumed", "http://localhost:"+port)
		return "http://localhost:" + port
	}
	return "http://" + at.String()
}
