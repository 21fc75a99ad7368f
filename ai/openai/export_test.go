package openai

// PublicOnly is publicOnly.
var PublicOnly = publicOnly

// ErrAddress is errAddress.
var ErrAddress = errAddress
