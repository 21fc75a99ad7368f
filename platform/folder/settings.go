package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"readiness/definition/textfile"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/jsonerror"
)

// settings is the content of a workspace.json.
type settings struct {
	id          uuid.UUID // uuid.Nil if there is none
	displayName string
	capacityID  string
	capacity    item.CapacityState
	// members lists the ids of the people who see the workspace; nil means everyone.
	members []string
	// closed is true if workspace.json cannot be read. Then no one sees the workspace, because its members are unknown.
	closed bool
}

func (s settings) visibleTo(as item.Caller) bool {
	return !s.closed && (s.members == nil || slices.Contains(s.members, as.Person.ID))
}

// readSettings reads the workspace.json at a path, if there is one. read reports whether the file could be read,
// whatever its content.
func (p *Platform) readSettings(root *os.Root, name string) (s settings, read bool) {
	data, err := readFile(root, name, MaxSettingsBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{capacity: item.CapacityActive}, false
	}
	if read = err == nil; read {
		s, err = parseSettings(data)
	}
	if err != nil {
		p.logger.Warn("platform folder: a workspace is hidden from everyone until its workspace.json is repaired", "root", p.path, "file",
			name, "error", err)
		return settings{closed: true}, read
	}
	return s, read
}

// parseSettings parses a workspace.json. It is strict, because a misspelled member must not open a workspace to
// everyone.
func parseSettings(data []byte) (settings, error) {
	var file struct {
		ID          string
		DisplayName string
		Capacity    *struct {
			ID    string
			State item.CapacityState
		}
		Members *[]string
	}
	if damage := textfile.Check(data); damage != nil {
		return settings{}, damage
	}
	decoder := json.NewDecoder(bytes.NewReader(textfile.Trim(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return settings{}, jsonerror.Explain(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return settings{}, errors.New("there is more than one JSON value")
	}
	s := settings{displayName: domain.FirstCharacters(strings.TrimSpace(file.DisplayName), maxName), capacity: item.CapacityActive}
	if file.ID != "" {
		if s.id = parseID(file.ID); s.id == uuid.Nil {
			return settings{}, fmt.Errorf("id %q is not a UUID", file.ID)
		}
	}
	if file.Capacity != nil {
		s.capacityID = file.Capacity.ID
		switch file.Capacity.State {
		case "":
		case item.CapacityActive, item.CapacityPaused, item.CapacityUnknown:
			s.capacity = file.Capacity.State
		default:
			return settings{}, fmt.Errorf("capacity.state %q must be Active, Paused or Unknown", file.Capacity.State)
		}
	}
	if file.Members != nil {
		if slices.Contains(*file.Members, "") {
			return settings{}, errors.New("members contains an empty id")
		}
		s.members = append([]string{}, *file.Members...)
	}
	return s, nil
}

// parseID parses an id in its canonical form; it returns uuid.Nil for anything else.
func parseID(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.UUID{}.String()) {
		return uuid.Nil
	}
	return id
}

var (
	// errNotRegular means that a part is a link, a pipe, a device, …
	errNotRegular = errors.New("it is not a regular file")
	// errReplaced means that another file took the file's place while it was opened.
	errReplaced = errors.New("it is being replaced")
	errTooLarge = errors.New("it is too large")
)

// openRegular opens a file for reading. A pipe does not block it, and it refuses a link as the last path element.
func openRegular(root *os.Root, name string) (f *os.File, info fs.FileInfo, err error) {
	for range 3 {
		if f, info, err = openOnce(root, name); !errors.Is(err, errReplaced) {
			break
		}
	}
	return f, info, err
}

func openOnce(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	listed, err := root.Lstat(name)
	if err == nil && !listed.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(listed, info) {
		err = errReplaced
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readFile reads a file of at most limit bytes.
func readFile(root *os.Root, name string, limit int) ([]byte, error) {
	f, _, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = errTooLarge
	}
	return data, err
}
