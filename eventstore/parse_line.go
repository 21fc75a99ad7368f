package eventstore

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxLine bounds a line of an export in bytes: twice what data alone may have.
const maxLine = 2 << 20

// lineReader reads lines, each into new memory.
type lineReader struct {
	from   *bufio.Reader
	number int64 // of the last line
}

// next returns the next line without its line feed, io.EOF after the last.
func (l *lineReader) next() (line []byte, err error) {
	for {
		part, err := l.from.ReadSlice('\n')
		end := errors.Is(err, io.EOF)
		if end && len(line)+len(part) == 0 {
			return nil, io.EOF
		}
		if line == nil {
			l.number++
		}
		line = append(line, part...)
		switch {
		case err == nil && len(line) <= maxLine:
			return line[:len(line)-1], nil
		case end:
			return nil, fmt.Errorf("line %d ends without a line feed: the file was cut off; export it again", l.number)
		case len(line) > maxLine:
			return nil, fmt.Errorf("line %d has more than %d bytes, more than any event; is it an export in format ndjson?", l.number,
				maxLine)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
	}
}

// formerLine begins the lines of programs from before lines had a version: they have the members of version 1, without "v".
const formerLine = `{"position":`

// parse reads a line of an export. The line must be, byte for byte, the one that Line makes of the event, or the one that programs made
// before lines had a version. The event's members share the line's memory.
func (r *Recorded) parse(line []byte) (err error) {
	if bytes.HasPrefix(line, []byte(formerLine)) {
		line = append([]byte(`{"v":1,`), line[1:]...)
	}
	p := lineParser{rest: line}
	if *r, err = p.event(); err != nil {
		if err := r.unmarshal(line); err != nil {
			return err
		}
	}
	if !utf8.Valid(line) || strings.Contains(r.Account+r.Stream+r.Type, "\x00") {
		return fmt.Errorf("it has a character that texts of events cannot have")
	}
	again, err := r.Line()
	if err != nil || bytes.Equal(again, line) {
		return err
	}
	at := 0
	for at < min(len(again), len(line)) && again[at] == line[at] {
		at++
	}
	return fmt.Errorf("from byte %d on it is not as readinessd events export writes it: order of members, spaces and escapes must be the "+
		"same; import the file that it wrote", at+1)
}

// lineParser reads the members of a line in the order and form of plainLine, in a fraction of the time of encoding/json. If it misreads
// a line, Line writes another one.
type lineParser struct {
	rest []byte
	bad  bool
}

var errNotPlain = errors.New("not a plain line")

func (p *lineParser) event() (r Recorded, err error) {
	p.skip(`{"v":1,"position":`)
	r.Position = p.number()
	p.skip(`,"eventId":"`)
	id, err := uuid.ParseBytes(p.upTo(`"`))
	p.bad, r.ID = p.bad || err != nil, id
	p.skip(`,"accountId":"`)
	r.Account = string(p.upTo(`"`))
	p.skip(`,"stream":"`)
	r.Stream = string(p.upTo(`"`))
	p.skip(`,"version":`)
	r.Version = p.number()
	p.skip(`,"type":"`)
	r.Type = string(p.upTo(`"`))
	p.skip(`,"schemaVersion":`)
	r.SchemaVersion = int(p.number())
	p.skip(`,"data":`)
	r.Data = p.json(`,"metadata":`)
	r.RawMetadata = p.json(`,"recordedAt":"`)
	at, err := time.Parse(time.RFC3339Nano, string(p.upTo(`"`)))
	p.bad, r.RecordedAt = p.bad || err != nil, at.UTC()
	p.skip(`,"hash":"`)
	hash, err := hex.DecodeString(string(p.upTo(`"`)))
	p.bad, r.Hash = p.bad || err != nil, hash
	p.skip(`}`)
	if p.bad || len(p.rest) > 0 || !plainText(r.Account) || !plainText(r.Stream) || !plainText(r.Type) {
		return Recorded{}, errNotPlain
	}
	return r, nil
}

func (p *lineParser) skip(text string) {
	rest, ok := bytes.CutPrefix(p.rest, []byte(text))
	p.rest, p.bad = rest, p.bad || !ok
}

// upTo returns what is before the text, and skips both.
func (p *lineParser) upTo(text string) []byte {
	before, rest, ok := bytes.Cut(p.rest, []byte(text))
	p.rest, p.bad = rest, p.bad || !ok
	return before
}

// json returns the JSON text before the last occurrence of the text, and skips both.
func (p *lineParser) json(text string) json.RawMessage {
	at := bytes.LastIndex(p.rest, []byte(text))
	if p.bad || at < 0 || !json.Valid(p.rest[:at]) {
		p.bad = true
		return nil
	}
	value := p.rest[:at:at]
	p.rest = p.rest[at+len(text):]
	return json.RawMessage(value)
}

func (p *lineParser) number() int64 {
	n := 0
	for n < len(p.rest) && (p.rest[n] == '-' || '0' <= p.rest[n] && p.rest[n] <= '9') {
		n++
	}
	value, err := strconv.ParseInt(string(p.rest[:n]), 10, 64)
	p.rest, p.bad = p.rest[n:], p.bad || err != nil
	return value
}
