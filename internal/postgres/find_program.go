//go:build unix

package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// FindProgram returns the path of a program that comes with the PostgreSQL server,
// such as pgbench. It searches the folder in READINESS_POSTGRES_BIN or, if that is
// not set, PATH and the usual places.
func FindProgram(name string) (string, error) {
	var dirs []string
	if bin := os.Getenv(BinEnv); bin != "" {
		dirs = []string{bin}
	} else {
		dirs = (&Server{}).candidates()
	}
	for _, dir := range dirs {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("PostgreSQL's program %s was not found; install it, or set %s to its folder", name, BinEnv)
}
