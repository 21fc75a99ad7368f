// Package page has the parts that the screens of the console share: the layout with its style and script, the templates' functions, a
// visit of a page, and the pages of refusals. A screen is a separate package that returns a Screen; CONTRIBUTING.md says
// how to add one.
package page

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"readiness/client"
	"readiness/domain/benchmark/answerset"
)

// Route is a page, or what a form sends.
type Route struct {
	// Pattern is the method and the path, as http.ServeMux takes them.
	Pattern string
	// Serve answers the visit. Its error becomes a page: a *client.Error says what the service refused.
	Serve func(*Visit) error
}

// Screen is one job of the console.
type Screen struct {
	// Name is what the navigation calls it; "" for a screen that other screens lead to.
	Name string
	// Path is where the navigation leads.
	Path   string
	Routes []Route
}

// Person is who is signed in.
type Person struct{ Name, Account string }

// Site has the parts that all pages of a process have in common.
type Site struct {
	Screens []Screen
	Version string
	Log     *slog.Logger
}

// Visit is one request of a person for a page.
type Visit struct {
	Site    *Site
	Writer  http.ResponseWriter
	Request *http.Request
	// API makes calls of the public interface as the person; nil on pages that need no sign-in.
	API *client.Service
	// Who is the signed-in person; nil on pages that need no sign-in.
	Who *Person
}

// Page is what a View is shown with.
type Page struct {
	Title string
	// In is the path of the screen in the navigation that the page belongs to.
	In string
	// Status is the HTTP status; 0 for 200.
	Status int
	// Refresh is after how many seconds the page loads itself again; 0 for never. It needs no script.
	Refresh int
	// Data is what the view's template gets.
	Data any
}

// frame is what the layout's template gets.
type frame struct {
	Page
	*Visit
}

// Show sends a page.
func (v *Visit) Show(view View, p Page) error {
	var b bytes.Buffer
	if err := view.template.ExecuteTemplate(&b, "layout", frame{p, v}); err != nil {
		return fmt.Errorf("console: the page %q: %w", p.Title, err)
	}
	p.Status = cmp.Or(p.Status, http.StatusOK)
	send(v.Writer, v.Request, p.Status, "text/html; charset=utf-8", b.Bytes())
	return nil
}

// File sends a file that the browser saves under a name.
func (v *Visit) File(name, kind string, content []byte) error {
	v.Writer.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	send(v.Writer, v.Request, http.StatusOK, kind, content)
	return nil
}

// See sends the browser to another page of the console, by GET. Call it when a form did what it was for, so that loading
// the page again does not send the form again.
func (v *Visit) See(path string) error {
	if !Local(path) {
		return fmt.Errorf("console: %q is not a path of this service", path)
	}
	v.Writer.Header().Set("Location", path)
	v.Writer.WriteHeader(http.StatusSeeOther)
	return nil
}

// Local reports whether a text is a path of this service, and not the address of another one.
func Local(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") && !strings.ContainsFunc(path, func(c rune) bool {
		return c < ' ' || c == '\\' || c == 0x7f
	})
}

// maxForm bounds what a form may send, in bytes, and maxUpload what one with a file of answers may.
const (
	maxForm   = 1 << 20
	maxUpload = 16 << 20
)

// files reads a form with files. A file that is not empty becomes the value of its field, so that it survives an expired session too, as the
// service takes it. Its name is that of FIELD.name.
func (v *Visit) files() error {
	if err := v.Request.ParseMultipartForm(maxForm); err != nil {
		return err
	}
	for name, sent := range v.Request.MultipartForm.File {
		for _, header := range sent {
			file, err := header.Open()
			if err != nil {
				return err
			}
			text, err := io.ReadAll(file)
			if err := errors.Join(err, file.Close()); err != nil {
				return err
			}
			if len(text) > 0 {
				v.Request.PostForm.Set(name, answerset.Content(text)) //nolint:forbidigo // the field of that name, not the function
				v.Request.PostForm.Set(name+".name", header.Filename) //nolint:forbidigo // as above
			}
		}
	}
	return nil
}

// Form returns the fields of a form. An error becomes a page.
func (v *Visit) Form() (url.Values, error) { return v.form(maxForm) }

// Upload returns the fields of a form with a file that may be larger than a form.
func (v *Visit) Upload() (url.Values, error) { return v.form(maxUpload) }

func (v *Visit) form(limit int64) (url.Values, error) {
	v.Request.Body = http.MaxBytesReader(v.Writer, v.Request.Body, limit)
	kind, _, _ := mime.ParseMediaType(v.Request.Header.Get("Content-Type"))
	var err error
	if kind == "multipart/form-data" {
		err = v.files()
	} else {
		err = v.Request.ParseForm()
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, &Problem{Status: http.StatusRequestEntityTooLarge, Title: "That is too much for one form",
			Text: fmt.Sprintf("The form sent more than %d MiB. Shorten the texts, or send them in parts.", limit>>20)}
	}
	if err != nil {
		return nil, &Problem{Status: http.StatusBadRequest, Title: "The form could not be read", Text: "Go back, and send the form again."}
	}
	return v.Request.PostForm, nil //nolint:forbidigo // the field of that name, not the function
}
