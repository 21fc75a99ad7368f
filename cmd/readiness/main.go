// Command readiness scores how ready semantic models are for AI, and improves them: in files, without a server, and as the
// client of the Readiness and Pixies Service (cmd/readinessd).
package main

import (
	"os"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/desk"
)

func main() { cli.Main(desk.New(os.Stdout, os.Stderr)) }
