package lift

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// Asks is a file of answers, one line of JSON each, so that a second run does not ask again and an interrupted one goes on. A
// nil *Asks keeps nothing; one without a file keeps them in memory. It must not be used concurrently.
type Asks struct {
	file *os.File
	kept map[string]benchmark.Reply
}

// Bounds of the file and of one line in bytes.
const (
	largestFile = 256 << 20
	longestLine = 4 << 20
)

// kept is one line of the file.
type kept struct {
	Key      string         `json:"key"`
	Question string         `json:"question"`
	Answer   verdict.Answer `json:"answer"`
}

// NewAsks keeps answers in memory.
func NewAsks() *Asks { return &Asks{kept: map[string]benchmark.Reply{}} }

// OpenAsks opens the file, or begins it. A last line that an interruption cut off is replaced.
func OpenAsks(path string) (*Asks, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	a := &Asks{f, map[string]benchmark.Reply{}}
	if err := a.read(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return a, nil
}

func (a *Asks) read(path string) error {
	if info, err := a.file.Stat(); err != nil || info.Size() > largestFile {
		return errors.Join(err, fmt.Errorf("%s has over %d MB; name another file", path, largestFile>>20))
	}
	in, whole := bufio.NewReaderSize(a.file, 64<<10), int64(0)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // what follows the last line feed was cut off
		}
		if err != nil {
			return err
		}
		var k kept
		if err := json.Unmarshal(text, &k); err != nil || k.Key == "" || len(text) > longestLine {
			return fmt.Errorf("%s:%d is no answer that lift kept; name another file for them", path, line)
		}
		a.kept[k.Key] = benchmark.Reply{Answer: k.Answer}
		whole += int64(len(text))
	}
	if err := a.file.Truncate(whole); err != nil {
		return err
	}
	_, err := a.file.Seek(whole, io.SeekStart)
	return err
}

// Close closes the file.
func (a *Asks) Close() error { return a.file.Close() }

// newAskKey identifies an ask by who answers, what it was given of the model, the question and the repeat.
func newAskKey(about verdict.Target, question string, repeat int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%d", about.Transport, about.Model, about.ConfigHash, question, repeat))
	return hex.EncodeToString(sum[:16])
}

func (a *Asks) get(key string) (benchmark.Reply, bool) {
	if a == nil {
		return benchmark.Reply{}, false
	}
	r, ok := a.kept[key]
	return r, ok
}

// keep writes an answer. A failure is not kept: the next run asks again.
func (a *Asks) keep(key, question string, r benchmark.Reply) error {
	if a == nil || r.Failure != nil {
		return nil
	}
	line, err := json.Marshal(kept{key, question, r.Answer})
	if err != nil || len(line) >= longestLine {
		return err
	}
	a.kept[key] = r
	if a.file == nil {
		return nil
	}
	_, err = a.file.Write(append(line, '\n'))
	return err
}
