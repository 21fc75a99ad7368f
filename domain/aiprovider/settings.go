package aiprovider

import (
	"github.com/google/uuid"
)

// EmbeddedID is the id of the embedded provider, which every account has.
const EmbeddedID = "embedded"

// EmbeddedName is what people call it.
const EmbeddedName = "Embedded rules"

// Limits bound what a provider is asked and how.
type Limits struct {
	// MaxConcurrency is how many requests of one process are under way at once.
	MaxConcurrency int `json:"maxConcurrency"`
	// TimeoutMs bounds one attempt of one request.
	TimeoutMs int `json:"timeoutMs"`
	// MaxRetries is how often a request is made again that may succeed then.
	MaxRetries int `json:"maxRetries"`
	// MaxOutputTokens bounds what one answer may cost.
	MaxOutputTokens int `json:"maxOutputTokens"`
}

// DefaultLimits are those of a provider that says nothing else.
func DefaultLimits() Limits {
	return Limits{MaxConcurrency: 4, TimeoutMs: 120_000, MaxRetries: 2, MaxOutputTokens: 8192}
}

// Settings are all that is needed to ask a provider, its key among them: a saved
// one's, those of the accounts file (Declared), or the embedded one's, which is
// the zero Settings too. They are made for a call and stored nowhere.
type Settings struct {
	// ProviderID is EmbeddedID or the id of a saved provider; "" of the declared one.
	ProviderID string
	Kind       Kind
	Name       string
	// BaseURL is "" where the kind has an address of its own.
	BaseURL    string
	Model      string
	APIVersion string
	// WorkspaceID and DataAgentID name the data agent of kind DataAgent.
	WorkspaceID, DataAgentID uuid.UUID
	Key                      Key
	// KeyEnv names the environment variable that holds the key of a declared
	// provider, in place of Key.
	KeyEnv string
	// Declared is true of the accounts file's: its address is the operator's choice
	// and may be in the service's own network.
	Declared bool
	// WithoutDAX keeps the DAX of measures and columns from being sent.
	WithoutDAX bool
	// Limits are the default ones where they are zero.
	Limits Limits
	// Capabilities are those that the last test call that succeeded observed.
	Capabilities Capabilities
}

// Embedded are the settings of the embedded provider.
func Embedded() Settings {
	return Settings{ProviderID: EmbeddedID, Kind: Rules, Name: EmbeddedName}
}

// IsEmbedded reports whether the embedded rules answer.
func (s Settings) IsEmbedded() bool { return s.Kind == Rules || s.Kind == "" }

// IsDataAgent reports whether a data agent answers, which is asked as the person.
func (s Settings) IsDataAgent() bool { return s.Kind == DataAgent }
