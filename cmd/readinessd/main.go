// Command readinessd is the Readiness and Pixies Service: the server, its workers and the operator's tools. This package only
// parses flags and wires other packages. cmd/readiness is the program for people.
package main

import (
	"os"

	"readiness/cmd/cli"
)

func main() { cli.Main(newRoot(os.Stdout, os.Stderr).Program) }
