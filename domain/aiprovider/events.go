package aiprovider

import "time"

// Saved: the account has the provider from here on, without a key yet.
type Saved struct {
	Configuration Configuration `json:"configuration"`
	At            time.Time     `json:"atUtc"`
}

// Changed: the provider is now as it says.
type Changed struct {
	Configuration Configuration `json:"configuration"`
	At            time.Time     `json:"atUtc"`
}

// KeyChanged: the provider's key was given, replaced or, without HasKey, removed.
// Of the key itself no event holds anything.
type KeyChanged struct {
	ProviderID string    `json:"providerId"`
	HasKey     bool      `json:"hasKey"`
	At         time.Time `json:"atUtc"`
}

// Tested: a test call was made. Capabilities is nil when it brought no answer.
type Tested struct {
	ProviderID   string        `json:"providerId"`
	Test         Test          `json:"test"`
	Capabilities *Capabilities `json:"capabilities,omitempty"`
}

// Used: something needs the provider, which is not deleted meanwhile.
type Used struct {
	ProviderID string `json:"providerId"`
	By         string `json:"by"`
}

// Released: it no longer does.
type Released struct {
	ProviderID string `json:"providerId"`
	By         string `json:"by"`
}

// Deleted: the provider is gone, and its key with it.
type Deleted struct {
	ProviderID string `json:"providerId"`
}

// EventType implements domain.Event.
func (Saved) EventType() string      { return "aiprovider.saved" }
func (Changed) EventType() string    { return "aiprovider.changed" }
func (KeyChanged) EventType() string { return "aiprovider.key-changed" }
func (Tested) EventType() string     { return "aiprovider.tested" }
func (Used) EventType() string       { return "aiprovider.used" }
func (Released) EventType() string   { return "aiprovider.released" }
func (Deleted) EventType() string    { return "aiprovider.deleted" }
