package clientcmd

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
)

func (c *calls) schedulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedules",
		Short: "Assess semantic models daily or weekly",
		Long: `Assesses semantic models daily or weekly, in the name of the person who created the schedule. The service stores that
person's token, encrypted, until it expires. When the owner runs show, the service stores the newer token.`,
		RunE: cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.schedulesListCommand(), c.schedulesShowCommand(), c.schedulesAddCommand(), c.schedulesChangeCommand(),
		c.schedulesDeleteCommand())
	return cmd
}

// aSchedule accepts the id of one schedule.
var aSchedule = ids(0, 1, "a schedule", "readiness client schedules list")

func (c *calls) schedulesListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the schedules of the account, oldest first",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			return listed(c, s.ListSchedulesPages(ctx, client.ListSchedulesParams{}), func(s *sheet.Sheet, p client.ScheduleList) {
				for _, one := range p.Value {
					s.Row(one.ScheduleID.String(), sheet.OrID(one.WorkspaceName, one.WorkspaceID.String()),
						sheet.OrID(one.SemanticModelName, one.SemanticModelID.String()),
						slot(one), string(one.Status), optional.Text(one.Owner.PersonID), sheet.Moment(one.NextRunAtUtc))
				}
			}, "SCHEDULE", "WORKSPACE", "SEMANTIC MODEL", "WHEN, UTC", "STATUS", "OWNER", "NEXT")
		}),
	}
}

// slot describes when a schedule's assessments start.
func slot(one client.Schedule) string {
	if one.DayOfWeek != nil {
		return *one.DayOfWeek + " " + one.TimeUtc
	}
	return string(one.Frequency) + " " + one.TimeUtc
}

func (c *calls) schedulesShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show SCHEDULE_ID",
		Short: "Show a schedule and the outcome of its last slot",
		Args:  aSchedule,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.GetScheduleWithResponse(ctx, uuid.MustParse(args[0]))
			return shown(c, got, err, scheduleTable)
		}),
	}
}

func scheduleTable(s *sheet.Sheet, one client.Schedule) {
	s.Rows("SCHEDULE", one.ScheduleID.String())
	line := s.Lines()
	line("Semantic model", sheet.OrID(one.SemanticModelName, one.SemanticModelID.String()))
	line("Workspace", sheet.OrID(one.WorkspaceName, one.WorkspaceID.String()))
	line("When, UTC", slot(one))
	line("Status", string(one.Status))
	line("Owner", optional.Text(one.Owner.PersonID))
	line("Next", sheet.Moment(one.NextRunAtUtc))
	line("Paused", sheet.Moment(one.PausedAtUtc))
	if p := one.PausedReason; p != nil {
		line("Why", sheet.Because(&p.Code, &p.Message))
	}
	if last := one.LastRun; last != nil {
		line("Last slot", sheet.Moment(&last.SlotUtc))
		line("Outcome", strings.TrimSpace(string(last.Outcome)+" "+sheet.Because(last.ErrorCode, last.Message)))
		if last.OperationID != nil {
			line("Operation", last.OperationID.String())
		}
	}
}

// slotFlags define when a schedule's assessments start.
type slotFlags struct {
	at, weekly string
	daily      bool
}

func (f *slotFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.at, "at", "", "time of day in UTC, for example 06:30")
	flags.BoolVar(&f.daily, "daily", false, "every day")
	flags.StringVar(&f.weekly, "weekly", "", "every week on this day, for example Monday")
}

// frequency returns the frequency, "" if no flag set it, and the capitalized day of the week.
func (f *slotFlags) frequency() (often client.ScheduleFrequency, day string, err error) {
	switch {
	case f.daily && f.weekly != "":
		return "", "", cli.Usage("--daily and --weekly cannot be combined")
	case f.daily:
		return "Daily", "", nil
	case f.weekly != "":
		return "Weekly", strings.ToUpper(f.weekly[:1]) + strings.ToLower(f.weekly[1:]), nil
	}
	return "", "", nil
}

func (c *calls) schedulesAddCommand() *cobra.Command {
	var when slotFlags
	var disabled bool
	cmd := &cobra.Command{
		Use:   "add WORKSPACE MODEL --at HH:MM (--daily | --weekly DAY)",
		Short: "Create the schedule of a semantic model",
		Long:  "Creates the schedule of a semantic model. A model has at most one. Each slot counts as an assessment that you start.",
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
		return shown(c, got, err, scheduleTable)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if often, _, err := when.frequency(); err != nil || often == "" || when.at == "" {
			if err == nil {
				err = cli.Usage("add needs --at HH:MM, and --daily or --weekly DAY")
			}
			return err
		}
		return call(cmd, args)
	}
	when.add(cmd.Flags())
	cmd.Flags().BoolVar(&disabled, "disabled", false, "create it disabled; schedules change --enabled enables it")
	return cmd
}

func (c *calls) schedulesChangeCommand() *cobra.Command {
	var when slotFlags
	var enabled bool
	cmd := &cobra.Command{
		Use:   "change SCHEDULE_ID",
		Short: "Change, disable or enable a schedule",
		Long: `Changes only what the flags set. --enabled makes you the owner: from then on assessments start as yours, and a slot missed
while the schedule was paused starts at once. --enabled=false disables the schedule and deletes the stored token.`,
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
		return shown(c, got, err, scheduleTable)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		often, _, err := when.frequency()
		if err != nil {
			return err
		}
		if often == "" && !cmd.Flags().Changed("at") && !cmd.Flags().Changed("enabled") {
			return cli.Usage("change needs one of --at, --daily, --weekly and --enabled")
		}
		return call(cmd, args)
	}
	when.add(cmd.Flags())
	cmd.Flags().BoolVar(&enabled, "enabled", false, "whether it starts assessments")
	return cmd
}

func (c *calls) schedulesDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete SCHEDULE_ID",
		Short: "Delete a schedule and its stored token; assessments that it started continue",
		Args:  aSchedule,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.DeleteScheduleWithResponse(ctx, uuid.MustParse(args[0]))
			return shown(c, got, err, func(s *sheet.Sheet, got client.DeletedSchedule) { s.Say("Schedule %s is deleted", got.ScheduleID) })
		}),
	}
}
