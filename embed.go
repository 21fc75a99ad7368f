// Package readiness embeds the documents of this repository, so that the service shows those of its version.
package readiness

import "embed"

// Notice is the licenses of the modules that the program contains.
//
//go:embed NOTICE
var Notice string

// Documents holds README.md, CONTRIBUTING.md, CHANGELOG.md and the folder docs, under their paths in the repository. Of the pictures of
// screens it has the one that a page shows; all are 3 MB.
//
//go:embed README.md CONTRIBUTING.md CHANGELOG.md docs/*.* docs/adr docs/rules docs/screens/portfolio-light.png
var Documents embed.FS
