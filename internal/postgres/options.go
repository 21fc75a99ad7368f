package postgres

import (
	"errors"
	"log/slog"
)

// BinEnv names the environment variable that holds the folder of PostgreSQL's server programs (initdb, postgres). When
// it is set, no other place is searched and nothing is downloaded.
const BinEnv = "READINESS_POSTGRES_BIN"

// MinMajor is the oldest major version of PostgreSQL that the service runs on.
const MinMajor = 14

// ErrInUse says that another process runs a server in the data directory.
var ErrInUse = errors.New("the data directory is in use")

// Options say how a server is run. The zero value needs only DataDir.
type Options struct {
	// DataDir is the folder that holds everything of the server: the cluster, its password, its log, downloaded programs.
	// It is made when it is missing, and is private to the service. When the process runs as root, the server runs as another
	// user, who must be allowed to pass through every folder above DataDir.
	DataDir string

	// Log hears of what the operator should know: a start, a restart, a leftover that was stopped. Nil is silence.
	Log *slog.Logger

	// Volatile trades durability for speed: a crash of the machine may lose or damage the data. It is for tests.
	Volatile bool

	// Bin is the folder of initdb and postgres, and wins over BinEnv. Empty: they are searched for, then downloaded.
	Bin string

	// NoDownload makes missing programs an error at once.
	NoDownload bool

	// Repository is the Maven repository that programs are downloaded from. Empty is Maven Central.
	Repository string

	// Settings are further run-time settings of the server, by name. They win over the launcher's own.
	Settings map[string]string

	// places are the folders, as patterns, to search for programs. Nil is PATH and where systems install them.
	places []string
}

func (o Options) log() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}
