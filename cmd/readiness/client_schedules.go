package main

import (
	"context"
	"iter"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/client"
)

func (c *clientCalls) schedulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedules",
		Short: "Have semantic models assessed by the day or the week",
		Long: `Has semantic models assessed at a time of the day or the week, as the person who made the schedule. Their token is kept
for it, encrypted, until it expires; show, by its owner, keeps a newer one.`,
		Args: cobra.NoArgs,
		RunE: needsSubcommand,
	}
	cmd.AddCommand(c.schedulesListCommand(), c.schedulesShowCommand(), c.schedulesAddCommand(), c.schedulesChangeCommand(), c.schedulesDeleteCommand())
	return cmd
}

// aSchedule takes the id of one schedule.
var aSchedule = ids(0, 1, "a schedule", "readiness client schedules list")

func schedulePages(ctx context.Context, s *client.Service) iter.Seq2[*client.ListSchedulesResponse, error] {
	return client.Pages(func(token *string) (*client.ListSchedulesResponse, *string, error) {
		page, err := s.ListSchedulesWithResponse(ctx, &client.ListSchedulesParams{MaxResults: new(pageSize), ContinuationToken: token})
		if err != nil {
			return nil, nil, err
		}
		return page, page.JSON200.ContinuationToken, nil
	})
}

func (c *clientCalls) schedulesListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the schedules of the account, the oldest first",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			return listed(c, schedulePages(ctx, s), func(p *client.ListSchedulesResponse) []byte { return p.Body }, func(s *sheet, p *client.ListSchedulesResponse) {
				for _, one := range p.JSON200.Value {
					s.row(one.ScheduleID.String(), orID(one.WorkspaceName, one.WorkspaceID.String()), orID(one.SemanticModelName, one.SemanticModelID.String()),
						slot(one), string(one.Status), text(one.Owner.PersonID), moment(one.NextRunAtUtc))
				}
			}, "SCHEDULE", "WORKSPACE", "SEMANTIC MODEL", "WHEN, UTC", "STATUS", "OWNER", "NEXT")
		}),
	}
}

// slot is when a schedule's assessments start.
func slot(one client.Schedule) string {
	if one.DayOfWeek != nil {
		return *one.DayOfWeek + " " + one.TimeUtc
	}
	return string(one.Frequency) + " " + one.TimeUtc
}

func (c *clientCalls) schedulesShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show SCHEDULE_ID",
		Short: "Show a schedule and what became of its last slot",
		Args:  aSchedule,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.GetScheduleWithResponse(ctx, uuid.MustParse(args[0]))
			if err != nil {
				return err
			}
			return c.answered(got.Body, func(s *sheet) { scheduleTable(s, *got.JSON200) })
		}),
	}
}

func scheduleTable(s *sheet, one client.Schedule) {
	s.rows("SCHEDULE", one.ScheduleID.String())
	line := s.lines()
	line("Semantic model", orID(one.SemanticModelName, one.SemanticModelID.String()))
	line("Workspace", orID(one.WorkspaceName, one.WorkspaceID.String()))
	line("When, UTC", slot(one))
	line("Status", string(one.Status))
	line("Owner", text(one.Owner.PersonID))
	line("Next", moment(one.NextRunAtUtc))
	line("Paused", moment(one.PausedAtUtc))
	if p := one.PausedReason; p != nil {
		line("Why", because(&p.Code, &p.Message))
	}
	if last := one.LastRun; last != nil {
		line("Last slot", moment(&last.SlotUtc))
		line("Came to", strings.TrimSpace(string(last.Outcome)+" "+because(last.ErrorCode, last.Message)))
		if last.OperationID != nil {
			line("Operation", last.OperationID.String())
		}
	}
}

// slotFlags say when a schedule's assessments start.
type slotFlags struct {
	at, weekly string
	daily      bool
}

func (f *slotFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.at, "at", "", "time of the day in UTC, as 06:30")
	flags.BoolVar(&f.daily, "daily", false, "every day")
	flags.StringVar(&f.weekly, "weekly", "", "every week on this day, as Monday")
}

// frequency is how often, "" when it is not said; day is that of the week, with a capital.
func (f *slotFlags) frequency() (often client.ScheduleFrequency, day string, err error) {
	switch {
	case f.daily && f.weekly != "":
		return "", "", usage("--daily and --weekly are two schedules; name one")
	case f.daily:
		return "Daily", "", nil
	case f.weekly != "":
		return "Weekly", strings.ToUpper(f.weekly[:1]) + strings.ToLower(f.weekly[1:]), nil
	}
	return "", "", nil
}

func (c *clientCalls) schedulesAddCommand() *cobra.Command {
	var when slotFlags
	var disabled bool
	cmd := &cobra.Command{
		Use:   "add WORKSPACE MODEL --at HH:MM (--daily | --weekly DAY)",
		Short: "Make the schedule of a semantic model",
		Long:  "Makes the schedule of a semantic model, which has one at most. Each slot counts as an assessment that you start.",
		Example: `  readiness client schedules add "Retail Analytics" Inventory --at 05:30 --daily
  readiness client schedules add "Retail Analytics" Inventory --at 05:30 --weekly Monday`,
		Args: cobra.ExactArgs(2),
	}
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		often, day, _ := when.frequency()
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		request := client.CreateScheduleRequest{Frequency: often, TimeUtc: when.at, Enabled: new(!disabled)}
		if day != "" {
			request.DayOfWeek = new(client.CreateScheduleRequestDayOfWeek(day))
		}
		got, err := s.CreateScheduleWithResponse(ctx, workspaceID, modelID, request)
		if err != nil {
			return err
		}
		return c.answered(got.Body, func(s *sheet) { scheduleTable(s, *got.JSON200) })
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if often, _, err := when.frequency(); err != nil || often == "" || when.at == "" {
			if err == nil {
				err = usage("add needs --at HH:MM, and --daily or --weekly DAY")
			}
			return err
		}
		return call(cmd, args)
	}
	when.add(cmd.Flags())
	cmd.Flags().BoolVar(&disabled, "disabled", false, "make it, and start nothing until it is changed to --enabled")
	return cmd
}

func (c *clientCalls) schedulesChangeCommand() *cobra.Command {
	var when slotFlags
	var enabled bool
	cmd := &cobra.Command{
		Use:   "change SCHEDULE_ID",
		Short: "Change a schedule, turn it off, or take it up",
		Long: `Changes what is named and nothing else. --enabled takes the schedule up: its assessments start as yours from then on,
and a slot that it missed while it was paused starts at once. --enabled=false turns it off and deletes the kept token.`,
		Example: `  readiness client schedules change 01a1fe19-b4e6-73d6-a5f4-307239dadc95 --weekly Friday
  readiness client schedules change 01a1fe19-b4e6-73d6-a5f4-307239dadc95 --enabled`,
		Args: aSchedule,
	}
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		request := client.ChangeScheduleRequest{TimeUtc: given(cmd, "at", when.at), Enabled: given(cmd, "enabled", enabled)}
		if often, day, _ := when.frequency(); often != "" {
			request.Frequency = &often
			if day != "" {
				request.DayOfWeek = new(client.ChangeScheduleRequestDayOfWeek(day))
			}
		}
		got, err := s.ChangeScheduleWithResponse(ctx, uuid.MustParse(args[0]), request)
		if err != nil {
			return err
		}
		return c.answered(got.Body, func(s *sheet) { scheduleTable(s, *got.JSON200) })
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		often, _, err := when.frequency()
		if err != nil {
			return err
		}
		if often == "" && !cmd.Flags().Changed("at") && !cmd.Flags().Changed("enabled") {
			return usage("change needs one of --at, --daily, --weekly and --enabled")
		}
		return call(cmd, args)
	}
	when.add(cmd.Flags())
	cmd.Flags().BoolVar(&enabled, "enabled", false, "whether it starts assessments")
	return cmd
}

func (c *clientCalls) schedulesDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete SCHEDULE_ID",
		Short: "Delete a schedule and the token kept for it; what it has started goes on",
		Args:  aSchedule,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.DeleteScheduleWithResponse(ctx, uuid.MustParse(args[0]))
			if err != nil {
				return err
			}
			return c.answered(got.Body, func(s *sheet) { s.say("Schedule %s is deleted", got.JSON200.ScheduleID) })
		}),
	}
}
