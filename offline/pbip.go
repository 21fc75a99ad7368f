package offline

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"readiness/definition/report"
	"readiness/internal/jsonerror"
)

// maxProject bounds a .pbip file and a definition.pbir, in bytes.
const maxProject = 1 << 20

// pbip finds the semantic models that the reports of a .pbip file refer to by path, in any letter case, because
// projects are made on Windows.
func (f *scan) pbip(file string) (int, error) {
	data, err := readFile(file, maxProject)
	if err != nil {
		return 0, err
	}
	var pbip struct {
		Artifacts []struct{ Report struct{ Path string } }
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &pbip); err != nil {
		return 0, fmt.Errorf("it is not a project file: %w", jsonerror.Explain(err))
	}
	n := 0
	for _, a := range pbip.Artifacts {
		if a.Report.Path == "" {
			continue
		}
		dir, err := spelled(filepath.Dir(file), a.Report.Path)
		if err != nil {
			return 0, err
		}
		pbir, err := spelled(dir, "definition.pbir")
		if err != nil {
			return 0, err
		}
		data, err := readFile(pbir, maxProject)
		if err != nil {
			return 0, err
		}
		named, err := report.ReadModel(data)
		if err != nil {
			return 0, err
		}
		if named.Path == "" {
			return 0, fmt.Errorf("the report %s uses a semantic model of the service, not of the project", path.Base(filepath.ToSlash(dir)))
		}
		model, err := spelled(dir, named.Path)
		if err != nil {
			return 0, err
		}
		found, err := f.one(model)
		if err != nil {
			return 0, err
		}
		n += found
	}
	return n, nil
}

// spelled returns a path below a folder, with slashes of either kind, as it is spelled on disk. For each element it
// takes the exact match, else the only match that ignores letter case.
func spelled(dir, below string) (string, error) {
	for element := range strings.SplitSeq(strings.ReplaceAll(below, `\`, "/"), "/") {
		switch element {
		case "", ".":
			continue
		case "..":
			dir = filepath.Dir(dir)
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, element)); err == nil {
			dir = filepath.Join(dir, element)
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		var like []string
		for _, e := range entries {
			if strings.EqualFold(e.Name(), element) {
				like = append(like, e.Name())
			}
		}
		switch len(like) {
		case 0:
			return "", &fs.PathError{Op: "open", Path: filepath.Join(dir, element), Err: fs.ErrNotExist}
		case 1:
			dir = filepath.Join(dir, like[0])
		default:
			return "", fmt.Errorf("%q matches %s, which differ only in letter case; correct the letter case of the reference, "+
				"or rename one", element, strings.Join(like, " or "))
		}
	}
	return dir, nil
}
