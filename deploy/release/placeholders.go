package main

import (
	"fmt"
	"regexp"
)

// placeholder finds what stands where an address or a name is still to be filled in.
var placeholder = regexp.MustCompile(`(?i:\b(?:\w+\.)?example\.(?:com|org|net)\b|\byour-?(?:org|name|company)\b)|\bOWNER\b[/.]|\bREPO\b`)

// filledIn refuses flags that hold a placeholder: packages and manifests would name it.
func filledIn(flags map[string]string) error {
	for name, value := range flags {
		if found := placeholder.FindString(value + "/"); found != "" {
			return fmt.Errorf("-%s %s: %s is a placeholder; give what a release is to name, or leave the flag out", name, value, found)
		}
	}
	return nil
}
