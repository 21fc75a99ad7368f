package folder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
)

// maintained are the models that the platform makes for usage reports; it keeps
// them itself (fabric A.3).
var maintained = []string{"Usage Metrics Report", "Report Usage Metrics Model", "Dashboard Usage Metrics Model"}

// platformFile is what .platform in an item's folder says.
type platformFile struct {
	displayName, description string
	logicalID                uuid.UUID
}

// readPlatformFile reads the .platform of an item's folder. One that is
// missing, broken or no file says nothing.
func readPlatformFile(at *os.Root, folder string) (platformFile, error) {
	var file struct {
		Metadata struct{ DisplayName, Description string }
		Config   struct{ LogicalID string }
	}
	data, err := readFile(at, folder+"/.platform", MaxSettingsBytes)
	switch {
	case err == nil:
		// A member of another kind is as if absent, and of no JSON all are.
		_ = json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &file)
	case gone(err), errors.Is(err, errNotRegular), errors.Is(err, errTooLarge), errors.Is(err, fs.ErrPermission):
	default:
		return platformFile{}, err
	}
	return platformFile{cut(strings.TrimSpace(file.Metadata.DisplayName), maxName), cut(file.Metadata.Description, maxDescription), parseID(file.Config.LogicalID)}, nil
}

// How much of what people call and tell of things is taken, in characters: what
// lists and events repeat is bounded. The platform allows no more than 256 in a
// name.
const (
	maxName        = 256
	maxDescription = 4096
)

// cut is text without what is beyond most characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	characters := []rune(text)
	return string(characters[:min(most, len(characters))])
}

// newEntry is the item in a folder. Without a name of its own it is called as
// its folder.
func newEntry(t item.Type, folder string, file platformFile) entry {
	name := cmp.Or(file.displayName, strings.ToValidUTF8(strings.TrimSuffix(folder, path.Ext(folder)), "\ufffd"))
	return entry{
		Item: item.Item{
			Type: t, DisplayName: name, Description: file.description,
			Maintained: t == item.SemanticModel && slices.Contains(maintained, name),
		},
		logicalID: file.logicalID,
	}
}

// seenFiles remembers the .platform files of workspaces, so that a listing
// reads again only those that changed: that halves the time of a thousand items.
type seenFiles struct {
	mu          sync.Mutex
	byWorkspace map[string]map[string]seenFile
}

type seenFile struct {
	info fs.FileInfo
	platformFile
}

// settled is how old a change must be for its time to tell it from the next one.
const settled = time.Second

// of returns what was seen in a workspace. It is not changed any more.
func (s *seenFiles) of(workspace string) map[string]seenFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byWorkspace[workspace]
}

func (s *seenFiles) keep(workspace string, seen map[string]seenFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byWorkspace == nil {
		s.byWorkspace = map[string]map[string]seenFile{}
	}
	s.byWorkspace[workspace] = seen
}

// read returns the .platform in a folder at path: the one of before when it is
// the same file, unchanged since.
func (before seenFile) read(at *os.Root, folder string) (now seenFile, err error) {
	now.info, err = at.Lstat(folder + "/.platform")
	if err == nil && before.info != nil && os.SameFile(before.info, now.info) &&
		before.info.ModTime().Equal(now.info.ModTime()) && before.info.Size() == now.info.Size() {
		return before, nil
	}
	if err != nil || time.Since(now.info.ModTime()) < settled {
		now.info = nil
	}
	now.platformFile, err = readPlatformFile(at, folder)
	return now, err
}
