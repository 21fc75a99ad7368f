// Package recordings reads recorded traffic with Fabric.
package recordings

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

// Exchange is a recorded call and its answer.
type Exchange struct {
	Method string
	URL    *url.URL
	Status int
	Header http.Header
	// Named is Header with the names in their recorded letter case.
	Named map[string][]string
	Body  []byte
}

// ServeHTTP answers as recorded. Bodies are recorded without their compression.
func (e *Exchange) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for name, values := range e.Header {
		if name != "Content-Encoding" && name != "Content-Length" && name != "Transfer-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.Body)
}

// Recording is a file of exchanges, in the order in which they were made.
type Recording struct {
	Name      string
	Exchanges []*Exchange
}

// Read reads the files in a folder, and in those below it, that hold recorded traffic (VCR cassettes in YAML). A file's
// name is its path in the folder.
func Read(folder string) (all []Recording, err error) {
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		r := Recording{}
		if r.Exchanges, err = recorded(text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if r.Name, err = filepath.Rel(folder, file); err != nil {
			return err
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

func recorded(text []byte) ([]*Exchange, error) {
	var file struct {
		Interactions []struct {
			Request struct {
				Method string `yaml:"method"`
				URI    string `yaml:"uri"`
			} `yaml:"request"`
			Response struct {
				Status struct {
					Code int `yaml:"code"`
				} `yaml:"status"`
				Headers map[string]any `yaml:"headers"`
				Body    any            `yaml:"body"`
			} `yaml:"response"`
		} `yaml:"interactions"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	all := make([]*Exchange, 0, len(file.Interactions))
	for _, i := range file.Interactions {
		u, err := url.Parse(i.Request.URI)
		if err != nil || i.Response.Status.Code < 100 {
			continue
		}
		e := &Exchange{Method: i.Request.Method, URL: u, Status: i.Response.Status.Code, Header: http.Header{},
			Named: map[string][]string{}, Body: bytesOf(i.Response.Body)}
		for name, value := range i.Response.Headers {
			values, several := value.([]any)
			if !several {
				values = []any{value}
			}
			for _, v := range values {
				text := strings.TrimSpace(fmt.Sprint(v))
				e.Header.Add(name, text)
				e.Named[name] = append(e.Named[name], text)
			}
		}
		all = append(all, e)
	}
	return all, nil
}

// bytesOf returns a recorded body: a text, bytes, or either in a member string.
func bytesOf(body any) []byte {
	switch b := body.(type) {
	case string:
		return []byte(b)
	case []byte:
		return b
	case map[string]any:
		return bytesOf(b["string"])
	}
	return nil
}
