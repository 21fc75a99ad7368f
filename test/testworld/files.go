package testworld

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files returns the bytes of every file of a directory, by path.
func Files(dir string) (map[string]string, error) {
	all := map[string]string{}
	return all, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	})
}

// Difference returns the added and removed lines of each file that differs between two results of Files; "" if none
// does.
func Difference(before, after map[string]string) string {
	var b strings.Builder
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		old, was := before[name]
		now, is := after[name]
		switch {
		case was && is && old == now:
			continue
		case !was:
			fmt.Fprintf(&b, "new %s\n", name)
		case !is:
			fmt.Fprintf(&b, "gone %s\n", name)
		default:
			fmt.Fprintf(&b, "%s\n", name)
		}
		for _, line := range lineDifference(lines(old), lines(now)) {
			fmt.Fprintln(&b, line)
		}
	}
	return b.String()
}

// lines returns the lines of a text, each with its line ending if that is not the usual one.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.SplitAfter(text, "\n")
	for i, line := range all {
		bare, complete := strings.CutSuffix(line, "\n")
		all[i] = strings.ReplaceAll(bare, "\r", `\r`)
		if !complete && i < len(all)-1 {
			all[i] += `\no newline`
		}
	}
	return all
}

// lineDifference returns the shortest edit from one list of lines to another.
func lineDifference(a, b []string) []string {
	common := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "-"+a[i])
			i++
		default:
			out = append(out, "+"+b[j])
			j++
		}
	}
	return out
}
