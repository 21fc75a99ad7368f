package clientcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
)

func (c *calls) webhooksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhooks",
		Short: "Send messages about the account's events to other programs",
		Long: `Manages the webhooks of the account: https addresses that get a signed message when a score fell or fails a gate, an
assessment failed, an operation ended or an allowance is nearly used. For administrators.`,
		RunE: cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.webhooksListCommand(), c.webhooksCreateCommand(), c.webhooksChangeCommand(), c.webhooksDeleteCommand(),
		c.webhooksRotateCommand(), c.webhooksTestCommand(), c.webhooksDeliveriesCommand(), c.webhooksRedeliverCommand())
	return cmd
}

const listsWebhooks = "readiness client webhooks list"

// aWebhook accepts the id of one webhook.
var aWebhook = ids(0, 1, "a webhook", listsWebhooks)

func (c *calls) webhooksListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the webhooks, oldest first",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			got, err := s.ListWebhooksWithResponse(ctx)
			return shown(c, got, err, func(s *sheet.Sheet, got client.WebhookList) {
				s.Rows("WEBHOOK", "HOST", "FORMAT", "ENABLED", "EVENTS")
				for _, w := range got.Value {
					s.Row(w.WebhookID.String(), w.Host, w.Format, sheet.Yes(w.Enabled), wanted(w.Events))
				}
			})
		}),
	}
}

func wanted(all []client.WebhookEvent) string {
	return strings.Join(all, ", ")
}

func webhookTable(s *sheet.Sheet, w client.Webhook) {
	s.Rows("WEBHOOK", w.WebhookID.String())
	line := s.Lines()
	line("Host", w.Host)
	line("Events", wanted(w.Events))
	line("Gate", gateOf(w))
	line("Format", w.Format)
	line("Enabled", sheet.Yes(w.Enabled))
	line("Gone since", sheet.Moment(w.StoppedAtUtc))
	line("Previous secret", until(w.PreviousSecretEndsAtUtc))
}

// gateOf returns what the gate of a webhook demands; "" for none.
func gateOf(w client.Webhook) string {
	if w.FailUnder == nil {
		return ""
	}
	return fmt.Sprintf("fails under %d", *w.FailUnder)
}

// until says how long something is valid; "" for nothing.
func until(at *time.Time) string {
	if at == nil {
		return ""
	}
	return "signs too until " + sheet.Moment(at)
}

// createdTable shows a webhook with a secret that is shown once.
func createdTable(s *sheet.Sheet, w client.Webhook, secret string) {
	webhookTable(s, w)
	s.Lines()("Secret", secret)
	s.Say("Keep the secret: it is not shown again")
}

// webhookFlags are what create and change set.
type webhookFlags struct {
	addressFile, format string
	events              []string
	failUnder           int
	enabled             bool
}

func (f *webhookFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.addressFile, "address-file", "", "file that holds the https address, which may be a password; - for stdin")
	flags.StringSliceVar(&f.events, "event", nil,
		"events: assessment.score-fell, gate.failed, assessment.linguistic-found, assessment.failed, operation.ended, allowance.low")
	flags.IntVar(&f.failUnder, "fail-under", 0, "gate of gate.failed: the lowest score that passes (1 to 100)")
	flags.StringVar(&f.format, "format", "cloudevents", "form of the messages: cloudevents, slack or teams")
	flags.BoolVar(&f.enabled, "enabled", true, "whether messages are sent")
}

// request returns what the flags set.
func (f *webhookFlags) request(c *calls, cmd *cobra.Command) (r client.ChangeWebhookRequest, err error) {
	for _, e := range f.events {
		r.Events = append(r.Events, client.WantedWebhookEvent(e))
	}
	r.FailUnder = given(cmd, "fail-under", f.failUnder)
	r.Format, r.Enabled = given(cmd, "format", client.WantedWebhookFormat(f.format)), given(cmd, "enabled", f.enabled)
	if f.addressFile != "" {
		address, err := c.readSecret(cmd.InOrStdin(), f.addressFile, "address")
		if err != nil {
			return r, err
		}
		r.Address = &address
	}
	return r, nil
}

func (c *calls) webhooksCreateCommand() *cobra.Command {
	var f webhookFlags
	cmd := &cobra.Command{
		Use:   "create --address-file FILE --event EVENT",
		Short: "Create a webhook",
		Long:  "Creates a webhook and prints the secret that signs its messages. The service shows address and secret never again.",
		Example: `  readiness client webhooks create --address-file - --event assessment.score-fell,assessment.failed < address.txt
  readiness client webhooks create --address-file slack.txt --format slack --event gate.failed --fail-under 70`,
		Args: cobra.NoArgs,
	}
	call := c.run(func(ctx context.Context, s *client.Service, _ []string) error {
		r, err := f.request(c, cmd)
		if err != nil {
			return err
		}
		got, err := s.CreateWebhookWithResponse(ctx, client.CreateWebhookRequest(r))
		return shown(c, got, err, func(s *sheet.Sheet, got client.CreatedWebhook) {
			createdTable(s, got.Webhook, got.Secret)
		})
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.addressFile == "" || len(f.events) == 0 {
			return cli.Usage("create needs --address-file and --event")
		}
		return call(cmd, args)
	}
	f.add(cmd.Flags())
	cli.OwnEnvironment(cmd, "client-webhook") // other commands have a --format
	return cmd
}

func (c *calls) webhooksChangeCommand() *cobra.Command {
	var f webhookFlags
	cmd := &cobra.Command{
		Use:   "change WEBHOOK_ID",
		Short: "Change, disable or enable a webhook",
		Long:  "Changes only what the flags set. Messages that wait are sent at once. A new address keeps the secret.",
		Example: `  readiness client webhooks change 01a1fe19-b4e6-73d6-a5f4-307239dadc95 --enabled=false
  readiness client webhooks change 01a1fe19-b4e6-73d6-a5f4-307239dadc95 --address-file - < address.txt`,
		Args: aWebhook,
	}
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		r, err := f.request(c, cmd)
		if err != nil {
			return err
		}
		got, err := s.ChangeWebhookWithResponse(ctx, uuid.MustParse(args[0]), r)
		return shown(c, got, err, webhookTable)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.addressFile == "" && !slices.ContainsFunc([]string{"event", "fail-under", "format", "enabled"}, cmd.Flags().Changed) {
			return cli.Usage("change needs one of --address-file, --event, --fail-under, --format and --enabled")
		}
		return call(cmd, args)
	}
	f.add(cmd.Flags())
	cli.OwnEnvironment(cmd, "client-webhook") // other commands have a --format
	return cmd
}

func (c *calls) webhooksRotateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate WEBHOOK_ID",
		Short: "Give a webhook a new secret",
		Long: `Gives a webhook a new secret and prints it. The service shows it never again. For 24 hours messages are signed with the secret before
it too, so that the receiver can be changed meanwhile; one before that signs no more. To end a secret that leaked at once, rotate twice.`,
		Args: aWebhook,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.RotateWebhookSecretWithResponse(ctx, uuid.MustParse(args[0]))
			return shown(c, got, err, func(s *sheet.Sheet, got client.RotatedWebhookSecret) { createdTable(s, got.Webhook, got.Secret) })
		}),
	}
}

func (c *calls) webhooksDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete WEBHOOK_ID",
		Short: "Delete a webhook with its secret and its deliveries",
		Args:  aWebhook,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.DeleteWebhookWithResponse(ctx, uuid.MustParse(args[0]))
			return shown(c, got, err, func(s *sheet.Sheet, got client.DeletedWebhook) { s.Say("Webhook %s is deleted", got.WebhookID) })
		}),
	}
}

func (c *calls) webhooksTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test WEBHOOK_ID",
		Short: "Send a test message to a webhook; webhooks deliveries shows what became of it",
		Args:  aWebhook,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.TestWebhookWithResponse(ctx, uuid.MustParse(args[0]))
			return shown(c, got, err, deliveryTable)
		}),
	}
}

func deliveryTable(s *sheet.Sheet, d client.WebhookDelivery) {
	s.Rows("DELIVERY", d.DeliveryID.String())
	line := s.Lines()
	line("Event", d.Event)
	line("Message", d.Text)
	line("State", d.State)
}

// answer says what the last attempt of a delivery came to.
func answer(d client.WebhookDelivery) string {
	text := optional.Value(d.LastReason)
	if d.LastStatus != nil {
		text = strings.TrimSpace(fmt.Sprintf("%d %s", *d.LastStatus, text))
	}
	return text
}

func (c *calls) webhooksDeliveriesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "deliveries WEBHOOK_ID",
		Short: "List the messages of a webhook, newest first, and what became of them",
		Args:  aWebhook,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			pages := s.ListWebhookDeliveriesPages(ctx, uuid.MustParse(args[0]), client.ListWebhookDeliveriesParams{})
			return listed(c, pages, func(s *sheet.Sheet, p client.WebhookDeliveryList) {
				for _, d := range p.Value {
					s.Row(d.DeliveryID.String(), d.Event, d.State, fmt.Sprint(d.Attempts), answer(d), sheet.Moment(d.LastAttemptAtUtc),
						sheet.Moment(d.NextAttemptAtUtc))
				}
			}, "DELIVERY", "EVENT", "STATE", "ATTEMPTS", "ANSWER", "LAST", "NEXT")
		}),
	}
}

func (c *calls) webhooksRedeliverCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "redeliver WEBHOOK_ID DELIVERY_ID",
		Short: "Send a message again that was delivered or parked, with the same id",
		Args:  ids(0, 2, "a webhook or of a delivery", listsWebhooks+" and deliveries"),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.RedeliverWebhookDeliveryWithResponse(ctx, uuid.MustParse(args[0]), uuid.MustParse(args[1]))
			return shown(c, got, err, deliveryTable)
		}),
	}
}
