package cli

import "runtime/debug"

// Version returns the module's version, or the commit of the build.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	if commit != "" {
		return commit[:min(12, len(commit))] + modified
	}
	return "(devel)"
}
