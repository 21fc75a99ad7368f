// Package readiness embeds the documents of this repository, so that the service shows those of its version.
package readiness

import "embed"

// Notice is the licenses of the modules that the program contains.
//
//go:embed NOTICE
var Notice string

// Documents holds README.md, CONTRIBUTING.md, CHANGELOG.md and the folder docs, under their paths in the repository.
//
//go:embed README.md CONTRIBUTING.md CHANGELOG.md docs
var Documents embed.FS
