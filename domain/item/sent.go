package item

// Sent is the error of a write that the platform has accepted and performs in a long-running operation. Once that operation has ended,
// reading the item again shows whether the write was made.
type Sent struct {
	// Operation is the platform's id of its operation; empty if the platform has already ended it.
	Operation string
}

// Error implements error.
func (s *Sent) Error() string {
	return "the platform has accepted the write, and only a read shows its outcome"
}

// Ending is how a write that was sent has ended, as the platform reports it.
type Ending struct {
	// Made is true if the platform reports that it made the write.
	Made bool
	// Failure is why the platform reports that it did not; nil if it does not say. With neither, the platform no longer
	// knows the write.
	Failure error
}
