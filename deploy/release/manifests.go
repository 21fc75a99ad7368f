package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// manifests writes what winget, Scoop and Homebrew are told about readiness, into a folder of their own, because they go to the
// repositories of others. They name archives by their address and checksum, so a release without an address and an owner has none.
func (r *release) manifests(p program, chosen []target) error {
	if p.service || r.home == "" || r.owner == "" {
		return nil
	}
	archives := map[target]publication{}
	for _, t := range chosen {
		ending := ".tar.gz"
		if t.os == "windows" {
			ending = ".zip"
		}
		folder := r.name(binary{program: p, target: t})
		sum, err := hashOf(filepath.Join(r.out, folder+ending))
		if err != nil {
			return err
		}
		archives[t] = publication{r.home + "/releases/download/" + r.version + "/" + folder + ending, sum, folder}
	}
	files := map[string]string{}
	r.winget(p, archives, files)
	if err := r.scoop(p, archives, files); err != nil {
		return err
	}
	r.homebrew(p, archives, files)
	for name, text := range files {
		file := filepath.Join(r.out, "manifests", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// publication is an archive: its address, its checksum and the folder in it.
type publication struct{ url, sum, folder string }

// winget writes the three files of a version in the form of microsoft/winget-pkgs.
func (r *release) winget(p program, archives map[target]publication, files map[string]string) {
	id, version := r.owner+"."+p.name, strings.TrimPrefix(r.version, "v")
	head := func(kind string) string {
		return fmt.Sprintf("# yaml-language-server: $schema=https://aka.ms/winget-manifest.%s.1.6.0.schema.json\nPackageIdentifier: %s\nPackageVersion: %s\n",
			kind, id, version)
	}
	tail := func(kind string) string { return "ManifestType: " + kind + "\nManifestVersion: 1.6.0\n" }
	installers := ""
	for _, t := range targets {
		if a, ok := archives[t]; ok && t.os == "windows" {
			installers += fmt.Sprintf("- Architecture: %s\n  InstallerUrl: %s\n  InstallerSha256: %s\n  NestedInstallerFiles:\n  - RelativeFilePath: %s\\%s.exe\n"+
				"    PortableCommandAlias: %[5]s\n", npmCPU[t.arch], a.url, strings.ToUpper(a.sum), a.folder, p.name)
		}
	}
	if installers == "" {
		return
	}
	files["winget/"+id+".yaml"] = head("version") + "DefaultLocale: en-US\n" + tail("version")
	files["winget/"+id+".installer.yaml"] = head("installer") + "InstallerType: zip\nNestedInstallerType: portable\nInstallers:\n" + installers + tail("installer")
	files["winget/"+id+".locale.en-US.yaml"] = head("defaultLocale") + fmt.Sprintf("PackageLocale: en-US\nPublisher: %s\nPackageName: %s\nPackageUrl: %s\n"+
		"License: Apache-2.0\nShortDescription: %s\n", r.owner, p.name, r.home, p.about) + tail("defaultLocale")
}

// scoop writes the manifest of a Scoop bucket.
func (r *release) scoop(p program, archives map[target]publication, files map[string]string) error {
	type architecture struct {
		URL    string `json:"url"`
		Hash   string `json:"hash"`
		Folder string `json:"extract_dir"`
	}
	of := map[string]architecture{}
	for t, a := range archives {
		if t.os == "windows" {
			of[map[string]string{"amd64": "64bit", "arm64": "arm64"}[t.arch]] = architecture{a.url, a.sum, a.folder}
		}
	}
	if len(of) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(struct {
		Version      string                  `json:"version"`
		Description  string                  `json:"description"`
		Homepage     string                  `json:"homepage"`
		License      string                  `json:"license"`
		Architecture map[string]architecture `json:"architecture"`
		Bin          string                  `json:"bin"`
	}{strings.TrimPrefix(r.version, "v"), p.about, r.home, "Apache-2.0", of, p.name + ".exe"}, "", "  ")
	files["scoop/"+p.name+".json"] = string(text) + "\n"
	return err
}

// homebrew writes the formula of a tap.
func (r *release) homebrew(p program, archives map[target]publication, files map[string]string) {
	var b strings.Builder
	fmt.Fprintf(&b, "class %s < Formula\n  desc %q\n  homepage %q\n  version %q\n  license \"Apache-2.0\"\n", strings.ToUpper(p.name[:1])+p.name[1:],
		strings.TrimSuffix(p.about, ", and improves them"), r.home, strings.TrimPrefix(r.version, "v"))
	for _, system := range [][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		fmt.Fprintf(&b, "\n  on_%s do\n", system[1])
		for _, processor := range [][2]string{{"arm64", "arm"}, {"amd64", "intel"}} {
			if a, ok := archives[target{system[0], processor[0]}]; ok {
				fmt.Fprintf(&b, "    on_%s do\n      url %q\n      sha256 %q\n    end\n", processor[1], a.url, a.sum)
			}
		}
		b.WriteString("  end\n")
	}
	fmt.Fprintf(&b, "\n  def install\n    bin.install %q\n    generate_completions_from_executable(bin/%[1]q, \"completion\")\n  end\n\n"+
		"  test do\n    assert_match version.to_s, shell_output(\"#{bin}/%[2]s --version\")\n  end\nend\n", p.name, p.name)
	files["homebrew/"+p.name+".rb"] = b.String()
}
