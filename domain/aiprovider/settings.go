package aiprovider

import (
	"github.com/google/uuid"
)

// EmbeddedID is the id of the embedded provider, which every account has.
const EmbeddedID = "embedded"

// EmbeddedName is the display name of the embedded provider.
const EmbeddedName = "Embedded rules"

// Limits are the limits on requests to a provider.
type Limits struct {
	// MaxConcurrency is the maximum number of requests of one process in flight at
	// once.
	MaxConcurrency int `json:"maxConcurrency"`
	// TimeoutMs bounds one attempt of a request, in milliseconds.
	TimeoutMs int `json:"timeoutMs"`
	// MaxRetries is how often a request is retried after an error that may pass.
	MaxRetries int `json:"maxRetries"`
	// MaxOutputTokens bounds the length, and so the cost, of one answer.
	MaxOutputTokens int `json:"maxOutputTokens"`
}

// DefaultLimits returns the limits of a provider that configures none.
func DefaultLimits() Limits {
	return Limits{MaxConcurrency: 4, TimeoutMs: 120_000, MaxRetries: 2, MaxOutputTokens: 8192}
}

// Settings are everything needed to ask a provider, including its key. The provider is
// a saved one, the one of the accounts file (Declared), or the embedded one, which the
// zero Settings also means. Settings are made for a call and stored nowhere.
type Settings struct {
	// ProviderID is EmbeddedID or the id of a saved provider; "" for the declared one.
	ProviderID string
	Kind       Kind
	Name       string
	// BaseURL is "" to use the default address of the kind.
	BaseURL    string
	Model      string
	APIVersion string
	// WorkspaceID and DataAgentID identify the data agent of kind DataAgent.
	WorkspaceID, DataAgentID uuid.UUID
	Key                      Key
	// KeyEnv names the environment variable that holds the key of a declared provider;
	// used instead of Key.
	KeyEnv string
	// Entra is zero unless a token of Microsoft Entra replaces the key.
	Entra Entra
	// Declared is true for the accounts file's provider: the operator chose its
	// address, so it may be in the service's own network.
	Declared bool
	// WithoutDAX prevents sending the DAX of measures and columns.
	WithoutDAX bool
	// WithRows allows sending rows of data to a judge.
	WithRows bool
	// Limits are the request limits; zero means DefaultLimits.
	Limits Limits
	// Prices are nil when they are unknown.
	Prices *Prices
	// Capabilities are those observed by the last successful test call.
	Capabilities Capabilities
}

// Embedded returns the settings of the embedded provider.
func Embedded() Settings {
	return Settings{ProviderID: EmbeddedID, Kind: Rules, Name: EmbeddedName}
}

// IsEmbedded reports whether the embedded rules answer.
func (s Settings) IsEmbedded() bool { return s.Kind == Rules || s.Kind == "" }

// IsDataAgent reports whether a data agent answers; it is asked as the person.
func (s Settings) IsDataAgent() bool { return s.Kind == DataAgent }
