package clientcmd

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
)

func (c *calls) membersCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "members",
		Short: "List the members of the account by name; --json has their ids in the account too",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			var names []string
			return listed(c, s.ListMembersPages(ctx, client.ListMembersParams{}), func(s *sheet.Sheet, p client.AccountMemberList) {
				for _, m := range p.Value {
					names = append(names, called(m))
				}
				if p.ContinuationToken == nil {
					slices.Sort(names)
					for _, name := range names {
						s.Row(name)
					}
				}
			}, "PERSON")
		}),
	}
}

// called returns what people call a member.
func called(m client.AccountMember) string {
	name := optional.Or(m.Person, "a person who was erased")
	if m.You {
		name += " (you)"
	}
	return name
}

func (c *calls) ownerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "owner",
		Short: "Say who looks after a semantic model",
		Long: `Says who looks after a semantic model: a member of the account, or nobody. Every member can set it; an owner has no further right.
portfolio --owner me lists the models that you look after.`,
		RunE: cli.NeedsSubcommand,
	}
	show := func(s *sheet.Sheet, got client.ModelOwner) {
		if got.Owner == nil {
			s.Say("Nobody looks after it")
			return
		}
		s.Say("%s looks after it", cli.Printable(called(*got.Owner)))
	}
	get := &cobra.Command{
		Use:   "show WORKSPACE MODEL",
		Short: "Show who looks after a semantic model",
		Args:  cobra.ExactArgs(2),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.GetOwnerWithResponse(ctx, workspaceID, modelID)
			return shown(c, got, err, show)
		}),
	}
	set := &cobra.Command{
		Use:   "set WORKSPACE MODEL [PERSON]",
		Short: "Set who looks after a semantic model: a member of the account, or you",
		Long:  "Sets who looks after a semantic model: the member whom members lists as PERSON, or you without PERSON.",
		Example: `  readiness client owner set "Retail Analytics" Inventory
  readiness client owner set "Retail Analytics" Inventory grace`,
		Args: cobra.RangeArgs(2, 3),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			request := client.SetOwnerRequest{}
			if len(args) == 3 {
				request.Person = &args[2]
			}
			got, err := s.SetOwnerWithResponse(ctx, workspaceID, modelID, request)
			return shown(c, got, err, show)
		}),
	}
	remove := &cobra.Command{
		Use:   "remove WORKSPACE MODEL",
		Short: "Let nobody look after a semantic model",
		Args:  cobra.ExactArgs(2),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.RemoveOwnerWithResponse(ctx, workspaceID, modelID)
			return shown(c, got, err, show)
		}),
	}
	cmd.AddCommand(get, set, remove)
	return cmd
}

func (c *calls) notesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notes",
		Short: "Write notes on a semantic model",
		Long: `Writes notes on a semantic model, for everyone in the account who sees it. A note has at most 2,000 characters, a model at most 100
notes. You change your own notes, and remove your own or, as an administrator, any.`,
		RunE: cli.NeedsSubcommand,
	}
	table := func(s *sheet.Sheet, all ...client.Note) {
		for _, n := range all {
			s.Row(n.NoteID.String(), sheet.Moment(&n.AddedAtUtc), called(n.Author), n.Text)
		}
	}
	head := []string{"NOTE", "ADDED", "AUTHOR", "TEXT"}
	one := func(s *sheet.Sheet, n client.Note) {
		s.Rows(head...)
		table(s, n)
	}
	list := &cobra.Command{
		Use:   "list WORKSPACE MODEL",
		Short: "List the notes on a semantic model, newest first",
		Args:  cobra.ExactArgs(2),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			return listed(c, s.ListNotesPages(ctx, workspaceID, modelID, client.ListNotesParams{}),
				func(s *sheet.Sheet, p client.NoteList) { table(s, p.Value...) }, head...)
		}),
	}
	add := &cobra.Command{
		Use:     "add WORKSPACE MODEL TEXT",
		Short:   "Add a note to a semantic model",
		Example: `  readiness client notes add "Retail Analytics" Inventory "The shops decide what a unit is."`,
		Args:    cobra.ExactArgs(3),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.AddNoteWithResponse(ctx, workspaceID, modelID, client.NoteRequest{Text: args[2]})
			return shown(c, got, err, one)
		}),
	}
	change := &cobra.Command{
		Use:   "change WORKSPACE MODEL NOTE_ID TEXT",
		Short: "Change the text of a note of yours",
		Args:  aNote(4),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.ChangeNoteWithResponse(ctx, workspaceID, modelID, uuid.MustParse(args[2]), client.NoteRequest{Text: args[3]})
			return shown(c, got, err, one)
		}),
	}
	remove := &cobra.Command{
		Use:   "remove WORKSPACE MODEL NOTE_ID",
		Short: "Remove a note",
		Args:  aNote(3),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.RemoveNoteWithResponse(ctx, workspaceID, modelID, uuid.MustParse(args[2]))
			return shown(c, got, err, func(s *sheet.Sheet, got client.RemovedNote) { s.Say("Note %s is removed", got.NoteID) })
		}),
	}
	cmd.AddCommand(list, add, change, remove)
	return cmd
}

// aNote accepts n arguments, the third of which is the id of a note.
func aNote(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(n)(cmd, args); err != nil {
			return err
		}
		return areIDs(args[2:3], "a note", "readiness client notes list")
	}
}
