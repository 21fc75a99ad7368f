package folder

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Remove removes a file or an empty folder. Some drivers of file systems lack the call by which os.Root removes.
func (f *itemFolder) Remove(name string) error {
	err := f.Root.Remove(name)
	if errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return os.Remove(filepath.Join(f.Name(), name))
	}
	return err
}

// RemoveAll removes a file or a folder with all that is in it, or does nothing if nothing is there.
func (f *itemFolder) RemoveAll(name string) error {
	err := f.Root.RemoveAll(name)
	if !errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return err
	}
	inside, _ := fs.ReadDir(f.FS(), name) // a folder that cannot be read is not removed either
	for _, e := range inside {
		if err := f.RemoveAll(path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return f.Remove(name)
}
