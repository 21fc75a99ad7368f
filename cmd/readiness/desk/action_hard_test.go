//go:build hard

package desk

import (
	"os/exec"
	"strings"
	"testing"
)

// A version that is not a release, and a release that cannot be downloaded, are built from the action's own source.
func TestHardActionBuilds(t *testing.T) {
	t.Parallel()
	releases, _, _ := releases(t)
	for _, version := range []string{"main", "v0.0.1"} {
		r := newRunner(t, t.TempDir())
		r.values = map[string]string{
			"github.server_url": strings.TrimSuffix(releases, "/contoso/readiness"), "github.action_repository": "contoso/readiness",
			"inputs.version || github.action_ref": version,
		}
		code := r.step("Install readiness")
		out, err := exec.Command(r.outputs["install.readiness"], "version").CombinedOutput()
		if code != 0 || err != nil || !strings.HasPrefix(string(out), "readiness ") {
			t.Errorf("%s: exit code %d, %v\n%s%s", version, code, err, out, r.log.String())
		}
	}
}
