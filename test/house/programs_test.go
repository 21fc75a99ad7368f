package house_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// deskModules are the modules of others that the program for people may contain: no database, message broker, cloud or telemetry.
var deskModules = []string{
	"cel.dev/cel-go", "cel.dev/expr", // of own rules, with what follows
	"github.com/antlr4-go/antlr/v4", "go.yaml.in/yaml/v3", "golang.org/x/exp", "google.golang.org/genproto/googleapis/api",
	"google.golang.org/genproto/googleapis/rpc", "google.golang.org/protobuf",
	"github.com/agnivade/levenshtein", "github.com/clipperhouse/uax29/v2", "github.com/goccy/go-yaml",
	"github.com/google/jsonschema-go", "github.com/google/uuid", "github.com/hashicorp/golang-lru/v2", "github.com/inconshreveable/mousetrap",
	"github.com/jedib0t/go-pretty/v6", "github.com/klauspost/compress", "github.com/kljensen/snowball", "github.com/mattn/go-runewidth", "github.com/mitchellh/colorstring",
	"github.com/modelcontextprotocol/go-sdk", "github.com/oapi-codegen/runtime", "github.com/pkg/browser", "github.com/rivo/uniseg",
	"github.com/rogpeppe/go-internal", "github.com/schollz/progressbar/v3", "github.com/segmentio/asm", "github.com/segmentio/encoding",
	"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/yosida95/uritemplate/v3", "golang.org/x/oauth2", "golang.org/x/sync",
	"golang.org/x/sys", "golang.org/x/term", "golang.org/x/text", "golang.org/x/time",
}

// The program for people stays small: deploy/release refuses one that is too large, and this names what would make it so.
func TestDeskModules(t *testing.T) {
	t.Parallel()
	var linked []string
	for _, system := range []string{"linux", "windows", "darwin"} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "readiness/cmd/readiness")
		list.Env = append(list.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, out)
		}
		linked = append(linked, strings.Fields(string(out))...)
	}
	slices.Sort(linked)
	linked = slices.Compact(linked)
	for _, module := range linked {
		if module != "readiness" && !slices.Contains(deskModules, module) {
			t.Errorf("cmd/readiness contains %s", module)
		}
	}
	for _, module := range deskModules {
		if !slices.Contains(linked, module) {
			t.Errorf("%s may be contained and is not: take it off the list", module)
		}
	}
}

// The program uses no templates: text/template calls methods by name, so the linker would keep every method of the program (3 MB).
// Those that cobra has are linked only if one is set.
func TestDeskTemplates(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{range .Imports}}{{if or (eq . "text/template") (eq . "html/template")}}{{$.ImportPath}} {{end}}{{end}}`,
		"readiness/cmd/readiness").Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	users := slices.DeleteFunc(strings.Fields(string(out)), func(user string) bool {
		return slices.Contains([]string{"github.com/spf13/cobra", "cel.dev/cel-go/cel", "html/template"}, user) // linked only if called
	})
	if len(users) > 0 {
		t.Errorf("templates are used by %v", users)
	}
	all, err := sources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		for _, call := range s.calls() {
			for _, setter := range []string{".SetVersionTemplate", ".SetUsageTemplate", ".SetHelpTemplate"} {
				if strings.HasSuffix(call, setter) {
					t.Errorf("%s: %s needs text/template", s.path, call)
				}
			}
		}
	}
}
