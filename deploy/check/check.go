// Package check holds the tests of what is in deploy. It is a separate module, so that none of what they need is a dependency of the
// program. make deploy/check runs them with Debian's packages prometheus and systemd.
package check
