// Command notices writes NOTICE: the licenses of the modules that are linked into the programs on any system of a release. Each text stands
// there once, below the modules that have it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:generate go run . ../..

// systems are those of a release. The processor makes no difference to the modules.
var systems = []string{"darwin", "linux", "windows"}

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	text, err := notices(context.Background(), root)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "NOTICE"), text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// module is a module as go list describes it.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// notices returns the text of NOTICE.
func notices(ctx context.Context, root string) ([]byte, error) {
	modules := map[string]module{}
	for _, system := range systems {
		if err := linked(ctx, root, system, modules); err != nil {
			return nil, err
		}
	}
	with := map[string][]string{} // the modules that have a text
	std, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	modules["std"] = module{Path: "The Go standard library", Dir: strings.TrimSpace(string(std))}
	for _, m := range modules {
		texts, err := licenses(m)
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			with[text] = append(with[text], strings.TrimSpace(m.Path+" "+m.Version))
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "The programs of this project contain %d modules of others and the Go standard library, under the licenses "+
		"below. The project's own license is in LICENSE.\n",
		len(modules)-1)
	blocks := make([]string, 0, len(with))
	for text, of := range with {
		slices.Sort(of)
		blocks = append(blocks, strings.Join(slices.Compact(of), "\n")+"\n\n"+text+"\n")
	}
	slices.Sort(blocks)
	for _, b := range blocks {
		out.WriteString("\n" + strings.Repeat("=", 80) + "\n" + b)
	}
	return out.Bytes(), nil
}

// linked adds the modules of others that the programs have on a system, by path.
func linked(ctx context.Context, root, system string, to map[string]module) error {
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", "./cmd/...")
	list.Dir, list.Env = root, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	text, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", list, err, stderr.Bytes())
	}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct{ Module *module }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Module != nil && !p.Module.Main {
			to[p.Module.Path] = *p.Module
		}
	}
}

var named = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense|patents)[^/]*$`)

// licenses returns the texts of a module's licenses and notices. A module without a license must not be linked.
func licenses(m module) ([]string, error) {
	files, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, err
	}
	texts := map[string]bool{}
	for _, f := range files {
		if !named.MatchString(f.Name()) || f.IsDir() || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, f.Name()))
		if err != nil {
			return nil, err
		}
		texts[strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(string(text), ""), "\r\n", "\n"))] = true
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("the module %s has no license", m.Path)
	}
	return slices.Sorted(maps.Keys(texts)), nil
}
