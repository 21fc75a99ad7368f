package cli

import "github.com/spf13/cobra"

// AddGroup adds commands below a title in the program's help.
func (p *Program) AddGroup(title string, commands ...*cobra.Command) {
	p.Command.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
		p.Command.AddCommand(c)
	}
}
