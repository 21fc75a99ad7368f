package postgres

import (
	"errors"
	"log/slog"
)

// BinEnv is the environment variable with the folder of PostgreSQL's server
// programs (initdb, postgres). If it is set, no other place is searched and nothing
// is downloaded.
const BinEnv = "READINESS_POSTGRES_BIN"

// MinMajor is the oldest major version of PostgreSQL that the service supports.
const MinMajor = 14

// ErrInUse reports that another process runs a server in the data directory.
var ErrInUse = errors.New("the data directory is in use")

// Options configure a server. The zero value needs only DataDir.
type Options struct {
	// DataDir is the folder with all files of the server: the cluster, its
	// password, its log, downloaded programs. It is created if missing, and private
	// to the service. When the process runs as root, the server runs as another
	// user, who must be able to traverse every folder above DataDir.
	DataDir string

	// Log receives what the operator should know: a start, a restart, an old server
	// that was stopped. Nil discards it.
	Log *slog.Logger

	// Volatile trades durability for speed: a crash of the machine may lose or
	// damage the data. It is for tests.
	Volatile bool

	// Bin is the folder of initdb and postgres; it overrides BinEnv. If empty, they
	// are searched for, then downloaded.
	Bin string

	// NoDownload makes missing programs an error instead of downloading them.
	NoDownload bool

	// Repository is the Maven repository to download programs from. Empty means
	// Maven Central.
	Repository string

	// Settings are further run-time settings of the server, by name. They override
	// the launcher's own.
	Settings map[string]string

	// places are the folders to search for programs, as patterns. Nil means PATH
	// and where systems install them.
	places []string
}

func (o Options) log() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}
