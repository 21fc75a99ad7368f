package aiprovider

import "time"

// Saved records that the account has the provider, still without a key.
type Saved struct {
	// Configuration is the provider as it was saved, without its key.
	Configuration Configuration `json:"configuration"`
	At            time.Time     `json:"atUtc"`
}

// Changed records the provider's new configuration.
type Changed struct {
	// Configuration is the provider after the change, without its key.
	Configuration Configuration `json:"configuration"`
	At            time.Time     `json:"atUtc"`
}

// KeyChanged records that the provider's key was given, replaced or, when HasKey is
// false, removed. No event contains the key itself.
type KeyChanged struct {
	ProviderID string `json:"providerId"`
	// HasKey says whether the provider has a key now.
	HasKey bool      `json:"hasKey"`
	At     time.Time `json:"atUtc"`
}

// Tested records a test call. Capabilities is nil when the provider did not answer.
type Tested struct {
	ProviderID string `json:"providerId"`
	// Test is the result.
	Test         Test          `json:"test"`
	Capabilities *Capabilities `json:"capabilities,omitempty"`
}

// Used records that By needs the provider, which cannot be deleted until it is
// released.
type Used struct {
	ProviderID string `json:"providerId"`
	// By is what uses the provider, such as abtest/ID.
	By string `json:"by"`
}

// Released records that By no longer needs the provider.
type Released struct {
	ProviderID string `json:"providerId"`
	// By is what no longer uses the provider.
	By string `json:"by"`
}

// Deleted records that the provider was deleted, and its key with it.
type Deleted struct {
	ProviderID string `json:"providerId"`
}

func (Saved) EventType() string      { return "aiprovider.saved" }
func (Changed) EventType() string    { return "aiprovider.changed" }
func (KeyChanged) EventType() string { return "aiprovider.key-changed" }
func (Tested) EventType() string     { return "aiprovider.tested" }
func (Used) EventType() string       { return "aiprovider.used" }
func (Released) EventType() string   { return "aiprovider.released" }
func (Deleted) EventType() string    { return "aiprovider.deleted" }
