package clientcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/pflag"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/internal/optional"
)

// answeredByFlags select the answerer.
type answeredByFlags struct{ kind, agent, agentWorkspace, provider string }

func (f *answeredByFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.kind, "answered-by", "", "who answers: PlatformAssistant (the default), DataAgent (with --agent), "+
		"ServiceTestAgent or GenericAgent (with --provider)")
	flags.StringVar(&f.agent, "agent", "", "data agent that answers, by name or id")
	flags.StringVar(&f.agentWorkspace, "agent-workspace", "", "workspace of the data agent; the model's by default")
	flags.StringVar(&f.provider, "provider", "", "AI provider that answers, by name or id")
}

// check rejects flags that cannot be combined.
func (f *answeredByFlags) check() error {
	switch {
	case f.agent != "" && f.provider != "":
		return cli.Usage("--agent and --provider cannot be combined")
	case f.agentWorkspace != "" && f.agent == "":
		return cli.Usage("--agent-workspace needs --agent")
	}
	return nil
}

// request returns the answerer for the request; workspaceID is the model's workspace.
func (f *answeredByFlags) request(ctx context.Context, s *client.Service, workspaceID uuid.UUID) (client.AnsweredByRequest, error) {
	by := client.AnsweredByRequest{Kind: f.kind}
	switch {
	case f.kind != "":
	case f.agent != "":
		by.Kind = "DataAgent"
	case f.provider != "":
		by.Kind = "GenericAgent"
	default:
		by.Kind = "PlatformAssistant"
	}
	var err error
	if f.agentWorkspace != "" {
		if workspaceID, err = workspace(ctx, s, f.agentWorkspace); err != nil {
			return by, err
		}
		by.WorkspaceID = &workspaceID
	}
	if f.agent != "" {
		agentID, err := dataAgent(ctx, s, workspaceID, f.agent)
		if err != nil {
			return by, err
		}
		by.DataAgentID = &agentID
	}
	if f.provider != "" {
		providerID, err := provider(ctx, s, f.provider)
		if err != nil {
			return by, err
		}
		by.ProviderID = &providerID
	}
	return by, nil
}

// dataAgent returns the id of a data agent in a workspace, by name or id.
func dataAgent(ctx context.Context, s *client.Service, workspaceID uuid.UUID, text string) (uuid.UUID, error) {
	pages := s.ListDataAgentsPages(ctx, workspaceID, client.ListDataAgentsParams{})
	return find("data agent", text, entries(pages, func(p client.DataAgentList) (all []named) {
		for _, a := range p.Value {
			all = append(all, named{a.DataAgentID, a.DataAgentName})
		}
		return all
	}))
}

// answerer describes an answerer for people.
func answerer(by client.AnsweredBy) string {
	if by.Who != nil {
		return *by.Who
	}
	if name := optional.Text(by.DataAgentName) + optional.Text(by.ProviderName); name != "" {
		return fmt.Sprintf("%s %s", optional.Text(by.Kind), name)
	}
	return strings.TrimSpace(optional.Text(by.Kind) + " " + optional.Text(by.DataAgentID) + optional.Text(by.ProviderID))
}
