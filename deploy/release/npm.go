package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// npmOS and npmCPU are what Node.js calls the targets.
var (
	npmOS  = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
	npmCPU = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// npmName returns the name of the npm package of a program, or of its binary for a target, in the scope of the owner.
func (r *release) npmName(parts ...string) string {
	name := strings.Join(parts, "-")
	if r.owner != "" {
		name = "@" + strings.ToLower(r.owner) + "/" + name
	}
	return name
}

// npmManifest is a package.json.
type npmManifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage,omitempty"`
	Repository   string            `json:"repository,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	Dependencies map[string]string `json:"optionalDependencies,omitempty"`
}

func (r *release) npmManifest(p program, name string) npmManifest {
	return npmManifest{Name: name, Version: strings.TrimPrefix(r.version, "v"), Description: p.about, License: "Apache-2.0", Homepage: r.home, Repository: r.home}
}

// npmBinary writes the npm package that has a binary. Nothing is downloaded when it is installed, and no script runs.
func (r *release) npmBinary(b binary) error {
	if b.program.service {
		return nil
	}
	os, cpu := npmOS[b.target.os], npmCPU[b.target.arch]
	m := r.npmManifest(b.program, r.npmName(b.program.name, os, cpu))
	m.OS, m.CPU = []string{os}, []string{cpu}
	return r.npmPack(b.program.name, "_npm_"+os+"_"+cpu, m, map[string]string{filepath.Base(b.file): b.file}, nil)
}

// npmProgram writes the npm package that people install: it depends on those of the binaries, of which npm takes the right one.
func (r *release) npmProgram(p program, chosen []target) error {
	if p.service {
		return nil
	}
	m := r.npmManifest(p, r.npmName(p.name))
	m.Bin, m.Engines, m.Dependencies = map[string]string{p.name: p.name + ".js"}, map[string]string{"node": ">=18"}, map[string]string{}
	for _, t := range chosen {
		m.Dependencies[r.npmName(p.name, npmOS[t.os], npmCPU[t.arch])] = m.Version
	}
	return r.npmPack(p.name, "_npm", m, nil, map[string]string{p.name + ".js": fmt.Sprintf(npmStart, r.npmName(p.name), p.name)})
}

// npmStart runs the binary. An interrupt goes to both processes, and the binary decides what it ends with.
const npmStart = `#!/usr/bin/env node
"use strict";
const { spawn } = require("node:child_process");
const name = "%[1]s-" + process.platform + "-" + process.arch;
let file;
try {
  file = require.resolve(name + "/%[2]s" + (process.platform === "win32" ? ".exe" : ""));
} catch {
  console.error("%[2]s: the package " + name + " is missing: npm left it out (install again without --omit=optional), or there is none for this system");
  process.exit(1);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
spawn(file, process.argv.slice(2), { stdio: "inherit" })
  .on("error", (error) => { console.error("%[2]s: " + error.message); process.exit(1); })
  .on("exit", (code, signal) => process.exit(signal ? 130 : code));
`

// npmPack writes a package as npm pack does: files, from their paths or with their texts, below the folder package.
func (r *release) npmPack(name, ending string, m npmManifest, paths, texts map[string]string) (err error) {
	f, err := os.Create(filepath.Join(r.out, name+"_"+m.Version+ending+".tgz"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	packed, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(packed)
	add := func(name string, mode int64, data []byte) error {
		head := &tar.Header{Name: "package/" + name, Mode: mode, Size: int64(len(data)), ModTime: r.date, Format: tar.FormatPAX}
		if err := out.WriteHeader(head); err != nil {
			return err
		}
		_, err := out.Write(data)
		return err
	}
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := add("package.json", 0o644, manifest); err != nil {
		return err
	}
	for _, file := range accompanying {
		data, err := os.ReadFile(filepath.Join(r.source, file))
		if err == nil {
			err = add(file, 0o644, data)
		}
		if err != nil {
			return err
		}
	}
	for name, text := range texts {
		if err := add(name, 0o755, []byte(text)); err != nil {
			return err
		}
	}
	for name, path := range paths {
		data, err := os.ReadFile(path)
		if err == nil {
			err = add(name, 0o755, data)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), packed.Close())
}
