package model

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/internal/optional"
)

// maxAgents bounds the data agents of the workspace whose sources the page reads.
const maxAgents = 10

// agent is a data agent that has the model among its sources.
type agent struct {
	client.DataAgentAssessment
	// Source is the model as the agent has it.
	Source client.DataAgentSource
}

// Name returns the name of the agent.
func (a agent) Name() string { return optional.Text(a.DataAgentName) }

// agents is what the page says of the workspace's data agents.
type agents struct {
	Reading []agent
	// Unknown are the names of those that were never assessed: what they read is in their assessments.
	Unknown []string
	// Listed is how many there are, or at least are with More.
	Listed int
	More   bool
	// Refused says why they could not be read.
	Refused string
}

// readers reads the newest assessment of each agent of the workspace. If the platform does not show one of them, the others are still
// shown.
func (c *content) readers(ctx context.Context, api *client.Service) error {
	got, err := api.ListDataAgentsWithResponse(ctx, c.Workspace, &client.ListDataAgentsParams{MaxResults: new(maxAgents)})
	if message, ok := refusal(err); ok {
		c.Agents.Refused = message
		return nil
	}
	if err != nil {
		return err
	}
	all := got.JSON200.Value
	c.Agents.Listed, c.Agents.More = len(all), got.JSON200.ContinuationToken != nil
	found := make([]*client.DataAgentAssessment, len(all))
	// A failed call does not cancel the others: the service would log a canceled call as an internal error.
	var together errgroup.Group
	for i, a := range all {
		together.Go(func() (err error) {
			found[i], err = newest(ctx, api, a)
			return err
		})
	}
	if err := together.Wait(); err != nil {
		return err
	}
	for i, a := range found {
		if a == nil {
			c.Agents.Unknown = append(c.Agents.Unknown, all[i].DataAgentName)
			continue
		}
		is := func(s client.DataAgentSource) bool { return s.SourceID == c.Model.String() }
		if at := slices.IndexFunc(a.Sources, is); at >= 0 {
			c.Agents.Reading = append(c.Agents.Reading, agent{*a, a.Sources[at]})
		}
	}
	return nil
}

// newest returns the newest assessment of an agent; nil where there is none that the person can read.
func newest(ctx context.Context, api *client.Service, a client.DataAgent) (*client.DataAgentAssessment, error) {
	list, err := api.ListDataAgentAssessmentsWithResponse(ctx, a.WorkspaceID, a.DataAgentID,
		&client.ListDataAgentAssessmentsParams{MaxResults: new(1)})
	if err == nil && len(list.JSON200.Value) > 0 {
		var got *client.GetDataAgentAssessmentResponse
		got, err = api.GetDataAgentAssessmentWithResponse(ctx, a.WorkspaceID, a.DataAgentID, list.JSON200.Value[0].AssessmentID)
		if err == nil {
			return got.JSON200, nil
		}
	}
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status != http.StatusUnauthorized {
		err = nil
	}
	return nil, err
}

// refusal returns the words of a refusal that concerns only a part of the page.
func refusal(err error) (message string, ok bool) {
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Status == http.StatusUnauthorized || refused.Status == http.StatusNotFound {
		return "", false
	}
	return refused.Message, true
}
