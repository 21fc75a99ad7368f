package emulator

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// page is the sign-in page, and with Device the one for the code of a device.
var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Sign in to the emulator</title>
<h1>Sign in to the emulator</h1>
<p>This is no Microsoft Entra ID. Choose who you are; there is no password.</p>
{{with .Failed}}<p role="alert">{{.}}</p>{{end}}
<form method="post">{{if .Device}}<p><label>Code <input name="user_code" value="{{.Code}}" required></label></p>{{end}}
{{range .People}}<p><button name="person" value="{{.ID}}">{{.Name}}</button></p>{{end}}
{{if .Device}}<p><button name="deny" value="yes">Refuse</button></p>{{end}}</form></html>
`))

type pageData struct {
	Device       bool
	Code, Failed string
	People       []User
}

func (e *Entra) show(w http.ResponseWriter, d pageData) {
	e.mu.Lock()
	d.People = slices.Clone(e.people)
	e.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Execute(w, d)
}

// login is the sign-in page of a code.
func (e *Entra) login(w http.ResponseWriter, r *http.Request) {
	t, _ := e.behind(w, r, "")
	if t == nil {
		return
	}
	request, person := r.FormValue("request"), r.FormValue("person")
	if person == "" {
		e.show(w, pageData{})
		return
	}
	if err := t.CheckUsernamePassword(person, "", request); err != nil {
		e.show(w, pageData{Failed: "The sign-in has ended. Begin again."})
		return
	}
	http.Redirect(w, r, e.base(tenantIn(r))+"/oauth2/v2.0"+callbackPath+"?id="+url.QueryEscape(request), http.StatusSeeOther)
}

// device is the page where a person enters the code of a device.
func (e *Entra) device(w http.ResponseWriter, r *http.Request) {
	t, _ := e.behind(w, r, "")
	if t == nil {
		return
	}
	code, person := strings.ToUpper(strings.TrimSpace(r.FormValue("user_code"))), r.FormValue("person")
	deny := r.FormValue("deny") != ""
	if person == "" && !deny {
		e.show(w, pageData{Device: true, Code: code})
		return
	}
	_, err := t.GetDeviceAuthorizationByUserCode(r.Context(), code)
	switch {
	case err != nil:
	case deny:
		err = t.DenyDeviceAuthorization(r.Context(), code)
	default:
		err = t.CompleteDeviceAuthorization(r.Context(), code, person)
	}
	if err != nil {
		e.show(w, pageData{Device: true, Failed: "That code is not known."})
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("You may close this page.\n"))
}
