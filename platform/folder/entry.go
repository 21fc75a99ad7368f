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

	"readiness/domain"
	"readiness/domain/item"
)

// maintained lists the models that the platform creates for usage reports and maintains itself.
var maintained = []string{"Usage Metrics Report", "Report Usage Metrics Model", "Dashboard Usage Metrics Model"}

// platformFile is the content of .platform in an item's folder.
type platformFile struct {
	displayName, description string
	logicalID                uuid.UUID
}

// readPlatformFile reads the .platform of an item's folder. If the file is missing, malformed or not regular, the
// result is empty. sure is false if the file is missing, so it may have vanished just now.
func readPlatformFile(at *os.Root, folder string) (said platformFile, sure bool, err error) {
	var file struct {
		Metadata struct{ DisplayName, Description string }
		Config   struct{ LogicalID string }
	}
	data, err := readFile(at, folder+"/.platform", MaxSettingsBytes)
	switch {
	case err == nil:
		// A member of the wrong type counts as absent; in malformed JSON, all do.
		_ = json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &file)
	case gone(err), errors.Is(err, errNotRegular), errors.Is(err, errTooLarge), errors.Is(err, fs.ErrPermission):
	default:
		return platformFile{}, false, err
	}
	said = platformFile{
		domain.FirstCharacters(strings.TrimSpace(file.Metadata.DisplayName), maxName),
		domain.FirstCharacters(file.Metadata.Description, maxDescription), parseID(file.Config.LogicalID),
	}
	return said, !gone(err), nil
}

// Limits on names and descriptions, in characters. They bound what lists and events repeat. The platform allows at most
// 256 in a name.
const (
	maxName        = 256
	maxDescription = 4096
)

// newEntry returns the item in a folder. Without a display name it is named after its folder.
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
