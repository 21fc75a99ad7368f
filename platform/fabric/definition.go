package fabric

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

// Definition reads every part of an item but .platform, which is not part of what the service compares and writes. It
// returns a *item.Pending to the work of an operation when the platform has not finished the read in the caller's time;
// a later call for the same operation of the service continues the read, in any process. A read that has ended gives the
// same again until Release or half an hour after its begin.
func (p *Platform) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	d, found, err := p.exported(ctx, as, it)
	if err == nil && !found {
		d, err = p.definition(ctx, p.readOf(as, it), it)
	}
	if pending, ok := errors.AsType[*item.Pending](err); ok && as.Work == uuid.Nil {
		err = domain.Refuse(domain.PlatformUnavailable, "the platform is still reading the definition of %s; try again", nameOf(it)).
			After(max(pending.After, time.Second))
	}
	return d, p.workspaceFirst(ctx, as, it.WorkspaceID, err)
}

// readOf returns the call that reads an item's definition.
func (p *Platform) readOf(as item.Caller, it item.Item) request {
	return request{as: as, permission: item.PermissionPlatform, host: p.fabric, method: http.MethodPost, bucket: quota.Platform,
		path:  p.itemPath(it) + "/getDefinition",
		route: "POST /workspaces/{w}/" + collections[it.Type] + "/{i}/getDefinition",
		about: subject{workspace: it.WorkspaceID, item: it, definition: true}}
}

// itemPath returns the path of an item.
func (p *Platform) itemPath(it item.Item) string {
	return "/workspaces/" + it.WorkspaceID.String() + "/" + collections[it.Type] + "/" + it.ID.String()
}

func (p *Platform) definition(ctx context.Context, r request, it item.Item) (definition.Definition, error) {
	read := p.readBy(r.as.Work, r.as, it)
	if read.Operation != uuid.Nil {
		if d, found, err := p.readOn(ctx, r, read); found || err != nil {
			return d, err
		}
	}
	a, err := p.call(ctx, r)
	if err != nil {
		return definition.Definition{}, err
	}
	defer a.Close()
	if a.status != http.StatusAccepted {
		return p.parts(ctx, r, a, it)
	}
	o, ok := p.operationOf(a.header)
	if !ok {
		return definition.Definition{}, p.garbled(ctx, r, errors.New("it names no operation"))
	}
	if read.Operation != uuid.Nil {
		if err := p.reads.Keep(ctx, read, o.id); err != nil {
			return definition.Definition{}, err
		}
	}
	return p.finishRead(ctx, r, read, o)
}

// longestRead is how long a read may last at the platform before it is abandoned, and how long its result is used.
const longestRead = 30 * time.Minute

// readOn continues the read that an earlier attempt of the work began, and uses its result if it has ended. found is false if there is no
// such read or it has expired: then the definition must be read from the start.
func (p *Platform) readOn(ctx context.Context, r request, read Read) (d definition.Definition, found bool, err error) {
	known, begun, err := p.reads.Find(ctx, read)
	if err != nil || known == "" {
		return d, false, err
	}
	o := operation{id: known}
	if p.now().Sub(begun) > longestRead {
		done, _, err := p.poll(ctx, r, o)
		if _, over := errors.AsType[*ended](err); over || done {
			return d, false, nil
		}
		if err == nil {
			err = domain.Refuse(domain.PlatformUnavailable, "the platform did not finish reading the definition within %s; try again",
				longestRead).After(time.Minute)
		}
		return d, false, err
	}
	d, err = p.finishRead(ctx, r, read, o)
	if over, ok := errors.AsType[*ended](err); ok && over.gone {
		return d, false, nil
	}
	return d, true, err
}

// finishRead polls the operation of a read and takes its result. The read stays stored, because a later part of the step can fail. A
// failed read is deleted, so the next attempt reads from the start.
func (p *Platform) finishRead(ctx context.Context, r request, read Read, o operation) (d definition.Definition, err error) {
	defer func() {
		if p.failed(ctx, err) && read.Operation != uuid.Nil {
			err = errors.Join(err, p.reads.Drop(ctx, read))
		}
	}()
	if err := p.finish(ctx, r, o); err != nil {
		return d, err
	}
	a, asked, err := p.result(ctx, r, o)
	if err != nil {
		return d, err
	}
	defer a.Close()
	return p.parts(ctx, asked, a, r.about.item)
}

// failed reports whether err is that of an operation, rather than of an attempt to ask for it.
func (p *Platform) failed(ctx context.Context, err error) bool {
	if _, over := errors.AsType[*ended](err); over {
		return true
	}
	_, pending := errors.AsType[*item.Pending](err)
	return err != nil && ctx.Err() == nil && !pending && !domain.IsRefused(err, domain.PlatformUnavailable)
}

// Release says that a step of the work of as has its outcome. It deletes the step's reads of the item.
func (p *Platform) Release(ctx context.Context, as item.Caller, it item.Item) error {
	err := p.reads.Drop(ctx, p.readBy(as.Work, as, it))
	if p.exports != nil && it.Type == item.SemanticModel {
		err = errors.Join(err, p.exports.Drop(ctx, Export{as.Work, as.PersonID, it.WorkspaceID}, it.ID))
	}
	return err
}

// parts reads the answer's definition.
func (p *Platform) parts(ctx context.Context, r request, a *answer, it item.Item) (definition.Definition, error) {
	b := builder{bounds: p.bounds, item: it}
	format, err := readParts(a.body, p.bounds, b.add, "definition", "parts")
	if err == nil {
		d, err := p.built(r.as.Person, &b, it)
		d.Format = format
		return d, err
	}
	if _, refused := domain.Refused(err); refused {
		return definition.Definition{}, err
	}
	if errors.Is(err, errTooLarge) {
		return definition.Definition{}, p.tooLarge(it)
	}
	return definition.Definition{}, p.garbled(ctx, r, err)
}

// built returns the collected definition.
func (p *Platform) built(person item.Person, b *builder, it item.Item) (definition.Definition, error) {
	d, err := b.definition()
	d.MayLackCopilot = it.Type == item.SemanticModel && !p.answers(person).CopilotShown
	return d, err
}

func (p *Platform) tooLarge(it item.Item) error {
	return notReadable(it, "it is larger than %d MiB, or one of its parts than %d MiB", p.bounds.definitionBytes>>20,
		p.bounds.partBytes>>20)
}

// meter is a reader that ends with errTooLarge once its allowance is read.
type meter struct {
	r    io.Reader
	left int
}

// Read implements io.Reader.
func (m *meter) Read(b []byte) (int, error) {
	if m.left <= 0 {
		return 0, errTooLarge
	}
	n, err := m.r.Read(b[:min(len(b), m.left)])
	m.left -= n
	return n, err
}

// unmarked returns the reader without a byte order mark at its beginning.
func unmarked(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	return b
}

// slack is what a part's JSON holds in addition to its payload, and what the decoder reads ahead, in bytes.
const slack = 1 << 20

// encoded returns the size of n bytes in base64, with slack.
func encoded(n int) int { return n/3*4 + 4 + slack }

// wirePart is a part as the platform gives it. A part without a payload must not be taken for an empty one.
type wirePart struct {
	Path        string  `json:"path"`
	Payload     *[]byte `json:"payload"`
	PayloadType string  `json:"payloadType"`
}

// inline is the only type of payload that the platform has.
func (wirePart) inline() string { return "InlineBase64" }

// give gives the part to take.
func (w wirePart) give(take func(path, payloadType string, data []byte) error) error {
	if w.Path == "" || w.Payload == nil {
		return errors.New("a part has no path or no payload")
	}
	return take(w.Path, w.PayloadType, *w.Payload)
}

// readParts reads the parts of an answer one by one and gives each to take, so that never more than one is held in addition to
// those taken. The list is at the path of members. It returns the format that stands next to the list, "" if none does.
func readParts(body io.Reader, b bounds, take func(path, payloadType string, data []byte) error, members ...string) (format string,
	err error) {
	total := &meter{unmarked(body), encoded(b.definitionBytes)}
	part := &meter{total, slack}
	d := json.NewDecoder(part)
	for _, member := range members {
		if t, err := d.Token(); err != nil || t != json.Delim('{') {
			return "", errors.Join(err, fmt.Errorf("it has no member %s", member))
		}
		switch found, err := descend(d, member, &format); {
		case err != nil:
			return "", err
		case !found:
			return "", fmt.Errorf("it has no member %s", member)
		}
	}
	err = readList(d, func() { part.left = encoded(b.partBytes) }, func(one wirePart) error { return one.give(take) })
	if err == nil && len(members) > 1 {
		part.left = slack
		_, err = descend(d, "", &format)
	}
	return format, err
}

// descend reads an object up to the value of the member, or to its end. It keeps the value of a member format.
func descend(d *json.Decoder, member string, format *string) (found bool, err error) {
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return false, err
		}
		if key == member {
			return true, nil
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return false, err
		}
		if text := ""; key == "format" && json.Unmarshal(skipped, &text) == nil {
			*format = text
		}
	}
	return false, nil
}

// builder collects the parts of a definition within the bounds.
type builder struct {
	bounds bounds
	item   item.Item
	parts  []definition.Part
	seen   map[string]bool
	bytes  int
}

// platformPart holds the item's name and logical id. The platform changes it only by another call.
const platformPart = ".platform"

func (b *builder) add(path, payloadType string, data []byte) error {
	switch {
	case path == platformPart:
		return nil
	case payloadType != "" && !strings.EqualFold(payloadType, wirePart{}.inline()):
		return notReadable(b.item, "the payload of %s is not InlineBase64", quoted(path))
	case !local(path):
		return notReadable(b.item, "the path %s of a part leaves the item", quoted(path))
	case b.seen[path]:
		return notReadable(b.item, "two parts have the path %s", quoted(path))
	case len(b.parts) == b.bounds.parts:
		return notReadable(b.item, "it has more than %d parts", b.bounds.parts)
	case len(data) > b.bounds.partBytes || b.bytes+len(data) > b.bounds.definitionBytes:
		return errTooLarge
	}
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	b.seen[path], b.bytes = true, b.bytes+len(data)
	b.parts = append(b.parts, definition.Part{Path: path, Data: data})
	return nil
}

// maxPath bounds the path of a part, in bytes.
const maxPath = 1024

// local reports whether the path names a file below the item's folder, on every system.
func local(path string) bool {
	if path == "" || len(path) > maxPath || !utf8.ValidString(path) || strings.ContainsAny(path, "\\:\x00") {
		return false
	}
	for element := range strings.SplitSeq(path, "/") {
		if element == "" || element == "." || element == ".." {
			return false
		}
	}
	return true
}

func quoted(path string) string {
	return fmt.Sprintf("%q", domain.FirstCharacters(strings.ToValidUTF8(path, "\ufffd"), maxQuoted))
}

func (b *builder) definition() (definition.Definition, error) {
	if len(b.parts) == 0 {
		return definition.Definition{}, notReadable(b.item, "the platform gives no part of it")
	}
	return definition.New(b.parts...), nil
}
