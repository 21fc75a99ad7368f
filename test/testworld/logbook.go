package testworld

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// LogBook keeps what a service logs. It may be used by several goroutines.
type LogBook struct {
	// Blank, set before its use, makes it drop everything.
	Blank bool

	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *LogBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Blank {
		return len(p), nil
	}
	return b.text.Write(p)
}

// String returns the log.
func (b *LogBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Take returns the log and empties it.
func (b *LogBook) Take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// late matches errors of a database that did not answer in time, because the machine is slow.
var late = regexp.MustCompile(`context deadline exceeded|timed out after|timeout:`)

// Faults returns the lines that report an error, except those of a database that did not answer in time and those of subscribers, which
// report that they were stopped.
func (b *LogBook) Faults() (lines []string) {
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, `"level":"ERROR"`) && !strings.Contains(line, `"subscriber_id"`) && !late.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}
