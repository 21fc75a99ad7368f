package main

import (
	"github.com/spf13/pflag"

	"readiness/accounts"
	"readiness/domain/readiness"
)

// rulesFlag adds the flag for the rules file.
func rulesFlag(flags *pflag.FlagSet, file *string) {
	flags.StringVar(file, "rules", "", "YAML file that turns rules off or gives them another severity")
}

// readRules returns the regime with the changes of a rules file; without a path, the regime itself.
func readRules(path string, of *readiness.Regime) (*readiness.Regime, error) {
	if path == "" {
		return of, nil
	}
	src, err := readDeclared(path)
	if err != nil {
		return nil, err
	}
	return accounts.ParseRules(path, src, of)
}
