package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

// units is the folder of the systemd units in the source tree. The packages of the service install them and start none.
const units = "deploy/systemd"

// packages writes a Debian and an RPM package of a binary for Linux.
func (r *release) packages(b binary) error {
	if b.target.os != "linux" {
		return nil
	}
	for _, format := range []string{"deb", "rpm"} {
		if err := r.pack(b, format); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) pack(b binary, format string) (err error) {
	at := func(from, to string, mode os.FileMode) *files.Content {
		return &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.date}}
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: b.program.name, Arch: b.target.arch, Platform: "linux", Version: r.version, VersionSchema: "semver", Release: "1", Section: "utils",
		Maintainer: r.maintainer, License: "Apache-2.0", MTime: r.date,
		Description: b.program.about,
		Overridables: nfpm.Overridables{
			Contents: files.Contents{
				at(b.file, "/usr/bin/"+b.program.name, 0o755),
			},
			RPM: nfpm.RPM{BuildHost: "localhost", Compression: "gzip"},
		},
	})
	if b.program.service {
		info.Recommends = []string{map[string]string{"deb": "postgresql", "rpm": "postgresql-server"}[format]}
		installed, err := os.ReadDir(filepath.Join(r.source, units))
		if err != nil {
			return err
		}
		for _, unit := range installed {
			c := at(filepath.Join(r.source, units, unit.Name()), "/usr/lib/systemd/system/"+unit.Name(), 0o644)
			if filepath.Ext(unit.Name()) == ".env" {
				c.Destination, c.Type, c.FileInfo.Mode = "/etc/readiness/"+unit.Name(), files.TypeConfigNoReplace, 0o600
			}
			info.Contents = append(info.Contents, c)
		}
	}
	for _, file := range accompanying {
		info.Contents = append(info.Contents, at(filepath.Join(r.source, file), "/usr/share/doc/"+b.program.name+"/"+file, 0o644))
	}
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(r.out, r.name(b)+"."+format))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return packager.Package(info, f)
}
