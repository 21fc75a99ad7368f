package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// bill writes the software bill of materials of a binary: CycloneDX, with the modules that the go command says are in it.
func (r *release) bill(b binary) (err error) {
	info, err := buildinfo.ReadFile(b.file)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(b.file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.date.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: b.program.name, Type: cyclonedx.ComponentTypeApplication, Name: b.program.name, Version: r.version,
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
			Hashes:   &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		},
	}
	components := []cyclonedx.Component{{
		BOMRef: "go", Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, PackageURL: "pkg:golang/std@" + info.GoVersion,
	}}
	refs := []string{"go"}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		purl := "pkg:golang/" + m.Path + "@" + m.Version
		refs = append(refs, purl)
		components = append(components, cyclonedx.Component{
			BOMRef: purl, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: purl,
			Properties: &[]cyclonedx.Property{{Name: "go.sum", Value: m.Sum}},
		})
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: b.program.name, Dependencies: &refs}}
	f, err := os.Create(filepath.Join(r.out, r.name(b)+".cdx.json"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return cyclonedx.NewBOMEncoder(f, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}
