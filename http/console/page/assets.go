package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
)

var (
	//go:embed style.css
	style []byte
	//go:embed console.js
	script []byte
	//go:embed icon.svg
	icon []byte
)

// The addresses of the files that pages load. They contain a hash of the file, so that browsers keep it as long as it is
// current.
var (
	stylePath  = assetPath("style", ".css", style)
	scriptPath = assetPath("console", ".js", script)
	iconPath   = assetPath("icon", ".svg", icon)
)

// AssetsPath is the pattern of the addresses of those files.
const AssetsPath = "/assets/{file}"

func assetPath(name, extension string, content []byte) string {
	sum := sha256.Sum256(content)
	return "/assets/" + name + "-" + hex.EncodeToString(sum[:8]) + extension
}

// Asset serves a file that pages load. A file of another version of the service is not found.
func Asset(w http.ResponseWriter, r *http.Request) {
	var content []byte
	var kind string
	switch r.URL.Path {
	case stylePath:
		content, kind = style, "text/css; charset=utf-8"
	case scriptPath:
		content, kind = script, "text/javascript; charset=utf-8"
	case iconPath:
		content, kind = icon, "image/svg+xml"
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	send(w, r, http.StatusOK, kind, content)
}
