package clientcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

func (c *calls) providersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "providers",
		Short: "Manage the account's AI providers",
		Long: "Lists, saves, tests and deletes the AI providers of the account. They propose texts, phrase questions, judge answers and " +
			"answer questions.",
		RunE: cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.providersListCommand(), c.providersShowCommand(), c.providersSaveCommand(), c.providersTestCommand(),
		c.providersDeleteCommand())
	return cmd
}

// errNoProvider means that no provider has the name.
var errNoProvider = errors.New("no AI provider has this name")

// provider returns the id of an AI provider, by name or id. Names are unique within an account, in any letter case.
func provider(ctx context.Context, s *client.Service, text string) (string, error) {
	if id, err := uuid.Parse(text); err == nil {
		return id.String(), nil
	}
	got, err := s.ListAIProvidersWithResponse(ctx)
	if err != nil {
		return "", err
	}
	var names []string
	for _, p := range got.JSON200.Value {
		if strings.EqualFold(p.Name, text) || p.ProviderID == text {
			return p.ProviderID, nil
		}
		names = append(names, cli.Printable(p.Name))
	}
	return "", fmt.Errorf("%w: %s; available: %s", errNoProvider, cli.Printable(text), strings.Join(names, ", "))
}

func (c *calls) providersListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the AI providers, the embedded one first",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			got, err := s.ListAIProvidersWithResponse(ctx)
			if err != nil {
				return err
			}
			return c.answered(got.Body, func(s *sheet.Sheet) {
				s.Rows("AI PROVIDER", "ID", "KIND", "MODEL", "ENABLED", "LAST TEST", "PURPOSES")
				for _, p := range got.JSON200.Value {
					s.Row(p.Name, p.ProviderID, string(p.Kind), optional.Text(p.Model), sheet.Yes(p.Enabled), tested(p.LastTest),
						purposes(p.Purposes))
				}
			})
		}),
	}
}

// tested summarizes the result of a test call.
func tested(t *client.AIProviderTest) string {
	switch {
	case t == nil:
		return ""
	case t.Ok:
		return "answered"
	}
	return optional.Text(t.ErrorCode)
}

func purposes(all client.AIProviderPurposes) string {
	names := lists.Map(all, func(p client.AIProviderPurpose) string { return string(p) })
	return strings.Join(names, ", ")
}

func providerTable(s *sheet.Sheet, p client.AIProvider) {
	s.Rows("AI PROVIDER", p.Name)
	line := s.Lines()
	line("Id", p.ProviderID)
	line("Kind", string(p.Kind))
	line("Model", optional.Text(p.Model))
	line("Address", optional.Text(p.BaseURL))
	line("Version", optional.Text(p.APIVersion))
	if p.DataAgentID != nil {
		line("Data agent", p.DataAgentID.String())
	}
	line("Purposes", purposes(p.Purposes))
	line("Enabled", sheet.Yes(p.Enabled))
	line("Key", map[bool]string{true: "saved, never shown", false: "none"}[p.HasKey])
	if p.DataPolicy != nil {
		line("DAX is sent", sheet.Yes(p.DataPolicy.SendDax))
		line("Rows are sent to judge", sheet.Yes(optional.Value(p.DataPolicy.SendRows)))
	}
	if c := p.Prices; c != nil {
		line("Prices", fmt.Sprintf("%g for a million tokens of input, %g of output", c.Input, c.Output))
	}
	if t := p.LastTest; t != nil {
		line("Last test", fmt.Sprintf("%s, %d ms: %s", sheet.Moment(&t.AtUtc), t.LatencyMs, sheet.Because(t.ErrorCode, &t.Message)))
	}
	line("Used by", fmt.Sprint(p.UsedBy))
}

func (c *calls) providersShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show PROVIDER",
		Short: "Show an AI provider and the result of its last test call",
		Args:  cobra.ExactArgs(1),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			id, err := provider(ctx, s, args[0])
			if err != nil {
				return err
			}
			got, err := s.GetAIProviderWithResponse(ctx, id)
			return shown(c, got, err, providerTable)
		}),
	}
}

// providerFlags holds the flags of providers save.
type providerFlags struct {
	kind, model, baseURL, apiVersion, keyFile string
	workspace, agent                          string
	entraTenant, entraClient, entraCredential string
	purposes                                  []string
	sendDAX, sendRows, enabled, saveAnyway    bool
	priceInput, priceOutput                   float64
}

func (f *providerFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.kind, "kind", "", "kind of provider: openai, anthropic, openai_compatible, azure_openai or data_agent")
	flags.StringVar(&f.model, "model", "", "language model; for azure_openai, the deployment")
	flags.StringVar(&f.baseURL, "base-url", "", "address, if the kind has no fixed one")
	flags.StringVar(&f.apiVersion, "api-version", "", "API version, for azure_openai only")
	flags.StringVar(&f.keyFile, "key-file", "", "file that holds the key; - for stdin")
	flags.StringSliceVar(&f.purposes, "purpose", nil, "purposes that it may be used for: Proposals, Questions, Judge, Agent")
	flags.StringVar(&f.entraTenant, "entra-tenant", "", "tenant of an application whose token azure_openai gets; the key is its secret")
	flags.StringVar(&f.entraClient, "entra-client", "", "id of the application")
	flags.StringVar(&f.entraCredential, "entra-credential", "clientSecret", "what the key is: clientSecret or clientCertificate (PEM)")
	flags.StringVar(&f.workspace, "workspace", "", "workspace of the data agent")
	flags.StringVar(&f.agent, "agent", "", "data agent, for kind data_agent")
	flags.BoolVar(&f.sendDAX, "send-dax", true, "also send the DAX of measures and columns, not only names and descriptions")
	flags.BoolVar(&f.sendRows, "send-rows", false, "also send rows of the expected and the given answer, when it judges")
	flags.BoolVar(&f.saveAnyway, "save-anyway", false, "save it even if it cannot be reached")
	flags.Float64Var(&f.priceInput, "price-input", 0, "price of a million tokens of input, in your own currency; needs --price-output")
	flags.Float64Var(&f.priceOutput, "price-output", 0, "price of a million tokens of output")
	flags.BoolVar(&f.enabled, "enabled", true, "whether the service uses it")
}

// check rejects an unknown kind and flags that cannot be combined.
func (f *providerFlags) check() error {
	switch kinds := []string{"openai", "anthropic", "openai_compatible", "azure_openai", "data_agent"}; {
	case f.kind != "" && !slices.Contains(kinds, f.kind):
		return cli.Usage("--kind must be one of %s, not %q", strings.Join(kinds, ", "), f.kind)
	case (f.agent == "") != (f.workspace == ""):
		return cli.Usage("--agent and --workspace must be given together")
	}
	return nil
}

// request returns the request with what the flags set, except the key.
func (f *providerFlags) request(ctx context.Context, s *client.Service, cmd *cobra.Command, name string) (client.SaveAIProviderRequest,
	error) {
	request := client.SaveAIProviderRequest{
		Name: name, Kind: client.SavedAIProviderKind(f.kind), Model: given(cmd, "model", f.model),
		BaseURL:    given(cmd, "base-url", f.baseURL),
		APIVersion: given(cmd, "api-version", f.apiVersion), Enabled: given(cmd, "enabled", f.enabled),
	}
	if cmd.Flags().Changed("purpose") {
		var all client.AIProviderPurposes
		for _, p := range f.purposes {
			all = append(all, client.AIProviderPurpose(p))
		}
		request.Purposes = &all
	}
	if cmd.Flags().Changed("send-dax") || cmd.Flags().Changed("send-rows") {
		request.DataPolicy = &client.AIProviderDataPolicyRequest{SendDax: given(cmd, "send-dax", f.sendDAX),
			SendRows: given(cmd, "send-rows", f.sendRows)}
	}
	if f.entraTenant != "" || f.entraClient != "" {
		application, err := uuid.Parse(f.entraClient)
		if err != nil {
			return request, cli.Usage("--entra-client must be the id of an application, a UUID, and is given with --entra-tenant")
		}
		request.Entra = &client.AIProviderEntra{Credential: client.AIProviderEntraCredential(f.entraCredential),
			TenantID: f.entraTenant, ClientID: application}
	}
	request.SaveAnyway = given(cmd, "save-anyway", f.saveAnyway)
	if cmd.Flags().Changed("price-input") != cmd.Flags().Changed("price-output") {
		return request, cli.Usage("--price-input and --price-output must be given together")
	}
	if cmd.Flags().Changed("price-input") {
		request.Prices = &client.AIProviderPrices{Input: f.priceInput, Output: f.priceOutput}
	}
	if f.agent != "" {
		workspaceID, err := workspace(ctx, s, f.workspace)
		if err != nil {
			return request, err
		}
		agentID, err := dataAgent(ctx, s, workspaceID, f.agent)
		if err != nil {
			return request, err
		}
		request.WorkspaceID, request.DataAgentID = &workspaceID, &agentID
	}
	return request, nil
}

func (c *calls) providersSaveCommand() *cobra.Command {
	var f providerFlags
	cmd := &cobra.Command{
		Use:   "save NAME --kind KIND",
		Short: "Create an AI provider, or change the one with this name",
		Long: `Creates an AI provider. If one with the name exists, it changes only what the flags set. The service first makes a test
call and reports the result. A provider that the call does not reach is refused, unless --save-anyway is set; one whose call
fails is saved, with exit code 4.

The key is read from --key-file, or from stdin with --key-file -, and never from the command line. It is never shown.`,
		Example: `  readiness client providers save Texts --kind openai --model gpt-5-mini --key-file - < key.txt
  readiness client providers save Ours --kind openai_compatible --base-url https://llm.example.com/v1 --model local --purpose Judge
  readiness client providers save Ours --enabled=false`,
		Args: cobra.ExactArgs(1),
	}
	save := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		return c.saveProvider(ctx, s, cmd, &f, args[0])
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		return save(cmd, args)
	}
	f.add(cmd.Flags())
	cli.OwnEnvironment(cmd, "client-provider") // --base-url is not the service's
	return cmd
}

// saveProvider creates the AI provider, or changes the one with the name.
func (c *calls) saveProvider(ctx context.Context, s *client.Service, cmd *cobra.Command, f *providerFlags, name string) error {
	request, err := f.request(ctx, s, cmd, name)
	if err != nil {
		return err
	}
	id, err := provider(ctx, s, name)
	isNew := errors.Is(err, errNoProvider)
	if err != nil && !isNew {
		return err
	}
	if isNew && f.kind == "" {
		return cli.Usage("%s is a new AI provider and needs --kind", cli.Printable(name))
	}
	if f.keyFile != "" {
		key, err := c.readSecret(cmd.InOrStdin(), f.keyFile, "key")
		if err != nil {
			return err
		}
		request.APIKey = &key
	}
	if isNew {
		got, err := s.SaveAIProviderWithResponse(ctx, request)
		if err != nil {
			return err
		}
		return c.savedProvider(got.Body, *got.JSON200)
	}
	change := client.ChangeAIProviderRequest{
		Model: request.Model, BaseURL: request.BaseURL, APIVersion: request.APIVersion, APIKey: request.APIKey, Enabled: request.Enabled,
		Purposes: request.Purposes, DataPolicy: request.DataPolicy, WorkspaceID: request.WorkspaceID, DataAgentID: request.DataAgentID,
		Kind: given(cmd, "kind", request.Kind), Prices: request.Prices,
	}
	got, err := s.ChangeAIProviderWithResponse(ctx, id, change)
	if err != nil {
		return err
	}
	if change.Kind == nil && change.BaseURL == nil && change.Model == nil && change.APIVersion == nil && change.APIKey == nil &&
		f.agent == "" {
		return c.answered(got.Body, func(s *sheet.Sheet) { providerTable(s, *got.JSON200) }) // no test call was made
	}
	return c.savedProvider(got.Body, *got.JSON200)
}

// savedProvider prints a provider after save. It returns an error if the test call failed, although the provider is
// saved.
func (c *calls) savedProvider(body []byte, p client.AIProvider) error {
	if err := c.answered(body, func(s *sheet.Sheet) { providerTable(s, p) }); err != nil {
		return err
	}
	if t := p.LastTest; t != nil && !t.Ok {
		return cli.Partly("%s is saved, but its last test call failed: %s; correct it with providers save, or repeat the call with "+
			"providers test",
			cli.Printable(p.Name), strings.TrimSuffix(cli.Printable(sheet.Because(t.ErrorCode, &t.Message)), "."))
	}
	return nil
}

func (c *calls) providersTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test PROVIDER",
		Short: "Make a test call to an AI provider",
		Long:  "Makes one test call to an AI provider and prints the result. The exit code is 1 if the call failed.",
		Args:  cobra.ExactArgs(1),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			id, err := provider(ctx, s, args[0])
			if err != nil {
				return err
			}
			got, err := s.TestAIProviderWithResponse(ctx, id)
			if err != nil {
				return err
			}
			if err := c.answered(got.Body, func(s *sheet.Sheet) { providerTable(s, *got.JSON200) }); err != nil {
				return err
			}
			if t := got.JSON200.LastTest; t != nil && !t.Ok {
				return fmt.Errorf("the test call failed: %s", cli.Printable(sheet.Because(t.ErrorCode, &t.Message)))
			}
			return nil
		}),
	}
}

func (c *calls) providersDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete PROVIDER",
		Short: "Delete an AI provider with its key",
		Long:  "Deletes an AI provider with its key. A provider that is in use is not deleted.",
		Args:  cobra.ExactArgs(1),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			id, err := provider(ctx, s, args[0])
			if err != nil {
				return err
			}
			got, err := s.DeleteAIProviderWithResponse(ctx, id)
			return shown(c, got, err, func(s *sheet.Sheet, got client.DeletedAIProvider) {
				s.Say("AI provider %s is deleted", cli.Printable(got.ProviderID))
			})
		}),
	}
}
