package clientcmd

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/domain/optimization"
)

// longestAnswer is how long a shell waits for names of a service.
const longestAnswer = time.Second

// complete makes shells complete the arguments of cmd and its subcommands that are workspaces, models, reports and kinds by their usage.
func (c *calls) complete(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		c.complete(child)
	}
	var usage []string // the words of the form with a workspace, without brackets
	for form := range strings.SplitSeq(cmd.Use, " | ") {
		if strings.Contains(form, "WORKSPACE") && usage == nil {
			usage = strings.FieldsFunc(form, func(r rune) bool { return strings.ContainsRune(" []{}", r) })[1:]
		}
	}
	in := slices.Index(usage, "WORKSPACE")
	if in < 0 {
		return
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		what := usage[min(len(args), len(usage)-1)]
		if len(args) >= len(usage) && !strings.HasSuffix(what, "…") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.candidates(cmd, strings.TrimRight(what, ".…"), args, in)
	}
}

// candidates returns the names that an argument can have, of the workspace that args have at in. Without an answer in time there are none.
func (c *calls) candidates(cmd *cobra.Command, what string, args []string, in int) ([]string, cobra.ShellCompDirective) {
	var list func(context.Context, *client.Service) ([]named, error)
	within := func(of func(context.Context, *client.Service, uuid.UUID) func() ([]named, error)) func(context.Context, *client.Service) ([]named, error) {
		return func(ctx context.Context, s *client.Service) ([]named, error) {
			id, err := workspace(ctx, s, args[in])
			if err != nil {
				return nil, err
			}
			return of(ctx, s, id)()
		}
	}
	switch what {
	case "WORKSPACE":
		list = func(ctx context.Context, s *client.Service) ([]named, error) { return workspaces(ctx, s)() }
	case "MODEL":
		list = within(modelsOf)
	case "REPORT":
		list = within(reportsOf)
	case "KIND":
		var kinds []string
		for _, k := range optimization.Kinds() {
			kinds = append(kinds, string(k))
		}
		return kinds, cobra.ShellCompDirectiveNoFileComp
	case "FILE":
		return nil, cobra.ShellCompDirectiveDefault
	default:
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), longestAnswer)
	defer cancel()
	s, err := c.quietly(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, err := list(ctx, s)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, n := range all {
		if n.name != "" && !slices.Contains(args, n.name) {
			names = append(names, n.name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// quietly returns the service of the profile. It never signs in again, which may open a browser.
func (c *calls) quietly(cmd *cobra.Command) (*client.Service, error) {
	if err := c.program.Command.PersistentPreRunE(cmd, nil); err != nil { // the variables of --profile and --config
		return nil, err
	}
	to, err := c.login()
	if err != nil {
		return nil, err
	}
	var transport http.RoundTripper
	if to.SignedIn != nil {
		if transport, err = to.SignedIn.transport(); err != nil {
			return nil, err
		}
	}
	return c.open(to, transport)
}
