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
// missing, broken or no file says nothing; sure is false when it went away only
// now.
func readPlatformFile(at *os.Root, folder string) (said platformFile, sure bool, err error) {
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
		return platformFile{}, false, err
	}
	said = platformFile{cut(strings.TrimSpace(file.Metadata.DisplayName), maxName), cut(file.Metadata.Description, maxDescription), parseID(file.Config.LogicalID)}
	return said, !gone(err), nil
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
func newEntry(t item.Type, dir string, file platformFile) entry {
	folder := path.Base(dir)
	name := cmp.Or(file.displayName, strings.ToValidUTF8(strings.TrimSuffix(folder, path.Ext(folder)), "\ufffd"))
	return entry{
		Item: item.Item{
			Type: t, DisplayName: name, Description: file.description,
			Maintained: t == item.SemanticModel && slices.Contains(maintained, name),
		},
		dir: dir, logicalID: file.logicalID,
	}
}
