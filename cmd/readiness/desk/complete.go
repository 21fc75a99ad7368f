package desk

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"readiness/offline"
)

// longestSearch is how long a shell waits for the models of a folder.
const longestSearch = 500 * time.Millisecond

// completesModels makes shells complete the arguments of a command with the models of the folder that is typed, and with files where
// there is none or the search takes long.
func completesModels(c *cobra.Command, most int) *cobra.Command {
	c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(c.Context(), longestSearch)
		defer cancel()
		items, _, err := offline.Find(ctx, ".", []string{filepath.Dir(typed + "…")})
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		var found []string
		for _, i := range items {
			if !slices.Contains(args, i.Shown) {
				found = append(found, i.Shown)
			}
		}
		return found, cobra.ShellCompDirectiveDefault
	}
	return c
}
