package clientcmd

import (
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/definition/textfile"
)

// ids accepts before arguments of any kind followed by n ids. listing is the command that lists those ids.
func ids(before, n int, what, listing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(before+n)(cmd, args); err != nil {
			return err
		}
		return areIDs(args[before:], what, listing)
	}
}

// areIDs rejects arguments that are not UUIDs. listing is the command that lists the ids.
func areIDs(args []string, what, listing string) error {
	for _, a := range args {
		if _, err := uuid.Parse(a); err != nil {
			return cli.Usage("%q is not the id of %s; %s shows them", a, what, listing)
		}
	}
	return nil
}

// given returns the value of a flag set on the command line or in the environment; nil leaves the choice to the
// service.
func given[T any](cmd *cobra.Command, flag string, value T) *T {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return &value
}

// maxRequest bounds a request body read from a file, in bytes.
const maxRequest = 4 << 20

// readBody reads a request body from a file, or from stdin if file is "-".
func readBody(cmd *cobra.Command, file string) ([]byte, error) {
	return readFile(cmd, file, maxRequest)
}

// readFile reads a file of at most so many bytes, or stdin if it is -.
func readFile(cmd *cobra.Command, file string, limit int64) ([]byte, error) {
	from := cmd.InOrStdin()
	if file != "-" {
		f, err := os.Open(file) //nolint:gosec // the user's own file
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	body, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("%s has more than %d MiB", file, limit>>20)
	}
	return textfile.Trim(body), nil
}
