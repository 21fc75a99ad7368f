package clientcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/internal/jsonerror"
	"readiness/internal/optional"
)

// applyFlags select what to write of a preview.
type applyFlags struct {
	approval    string
	keys, kinds []string
	values      string
}

func (c *calls) applyCommand() *cobra.Command {
	var f applyFlags
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "apply PREVIEW_ID | apply WORKSPACE MODEL [KIND] --approval none",
		Short: "Write an optimization to a semantic model",
		Long: `Writes the changes of a preview, or only those that --key names; --values replaces proposed texts. For a preview of several
kinds it writes all kinds, or only those that --kind names. With --approval none it proposes and writes in one operation.
It never overwrites what has changed in the model since the preview. The exit code is 4 if a kind fails or is refused.`,
		Example: `  readiness client apply 01a1fe19-b4e6-73d6-a5f4-307239dadc95 --key 'Stock|Quantity'
  readiness client apply "Retail Analytics" Inventory descriptions --approval none`,
		Args: cobra.RangeArgs(1, 3),
	})
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		if f.approval == "" {
			return c.applyPreview(ctx, s, uuid.MustParse(args[0]), f)
		}
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		if len(args) == 3 {
			answer, err := s.ApplyOptimizationWithResponse(ctx, workspaceID, modelID, args[2], nil, client.ApplyRequest{Approval: &f.approval})
			return c.started(ctx, s, answer, err)
		}
		answer, err := s.OptimizeWithResponse(ctx, workspaceID, modelID, nil, client.OptimizeRequest{Approval: f.approval, Kinds: f.kinds})
		return c.started(ctx, s, answer, err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(args); err != nil {
			return err
		}
		return call(cmd, args)
	}
	flags := cmd.Flags()
	flags.StringVar(&f.approval, "approval", "", "none: propose and write in one operation")
	flags.StringArrayVar(&f.keys, "key", nil, "key of a change of the preview to write; can be repeated")
	flags.StringArrayVar(&f.kinds, "kind", nil, "kind to write, if there are several; can be repeated")
	flags.StringVar(&f.values, "values", "", "JSON file of your texts, by key")
	return cmd
}

// check validates the flags together with the arguments.
func (f applyFlags) check(args []string) error {
	switch {
	case f.approval != "" && f.approval != "none":
		return cli.Usage("--approval must be none, not %q", f.approval)
	case f.approval == "" && len(args) != 1:
		return cli.Usage("apply needs the id of a preview, or --approval none with WORKSPACE and MODEL")
	case f.approval == "":
		if _, err := uuid.Parse(args[0]); err != nil {
			return cli.Usage("%q is not the id of a preview; readiness client preview prints it", args[0])
		}
		return nil
	case len(args) < 2:
		return cli.Usage("--approval none needs WORKSPACE and MODEL, because there is no preview")
	case len(f.keys) > 0 || f.values != "":
		return cli.Usage("--key and --values need a preview and cannot be combined with --approval none")
	case len(args) == 3 && len(f.kinds) > 0:
		return cli.Usage("--kind cannot be combined with KIND")
	}
	return nil
}

// applyPreview writes a preview of one kind or of several; the preview's operation type determines which.
func (c *calls) applyPreview(ctx context.Context, s *client.Service, previewID uuid.UUID, f applyFlags) error {
	of, err := workOf(ctx, s, previewID)
	if err != nil {
		return err
	}
	switch of.operationType {
	case "PreviewOptimization":
		if len(f.kinds) > 0 {
			return cli.Usage("--kind is for a preview of several kinds; %s has only one", previewID)
		}
		p, err := client.Result[client.Preview](ctx, s, previewID)
		if err != nil {
			return err
		}
		request := client.ApplyRequest{PreviewID: new(previewID.String()), Keys: f.keys}
		if request.Values, err = readValues(f.values); err != nil {
			return err
		}
		answer, err := s.ApplyOptimizationWithResponse(ctx, of.workspaceID, of.itemID, string(p.Kind), nil, request)
		return c.started(ctx, s, answer, err)
	case "PreviewOptimizations":
		if len(f.keys) > 0 || f.values != "" {
			return cli.Usage("--key and --values are for a preview of one kind; readiness client operations show --result %s shows the "+
				"preview of each kind", previewID)
		}
		answer, err := s.ApplyOptimizationsWithResponse(ctx, of.workspaceID, of.itemID, nil,
			client.OptimizeApplyRequest{PreviewID: previewID.String(), Kinds: f.kinds})
		return c.started(ctx, s, answer, err)
	}
	return fmt.Errorf("operation %s is not a preview; its type is %s", previewID, cli.Printable(of.operationType))
}

// readValues reads a JSON file of texts by key.
func readValues(file string) (map[string]string, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file) //nolint:gosec // the user's own file
	if err != nil {
		return nil, err
	}
	var values map[string]string
	if err := json.Unmarshal(b, &values); err != nil {
		return nil, fmt.Errorf("%s must be a JSON object of texts by key: %w", file, jsonerror.Explain(err))
	}
	return values, nil
}

// workDone is the type and item of an operation.
type workDone struct {
	operationType       string
	workspaceID, itemID uuid.UUID
}

// workOf looks up the type and item of an operation. It fails unless the operation concerns one item.
func workOf(ctx context.Context, s *client.Service, operationID uuid.UUID) (workDone, error) {
	got, err := s.GetOperationWithResponse(ctx, operationID, nil)
	if err != nil {
		return workDone{}, err
	}
	of := workDone{operationType: optional.Text(got.JSON200.OperationType)}
	if r := got.JSON200.Resource; r != nil {
		var wrong [2]error
		of.workspaceID, wrong[0] = uuid.Parse(optional.Text(r.WorkspaceID))
		of.itemID, wrong[1] = uuid.Parse(optional.Text(r.ItemID))
		err = errors.Join(wrong[:]...)
	}
	if err != nil || of.itemID == uuid.Nil {
		return of, fmt.Errorf("operation %s, of type %s, is not about one item", operationID, cli.Printable(of.operationType))
	}
	return of, nil
}
