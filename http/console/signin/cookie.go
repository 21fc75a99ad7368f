package signin

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
)

// The cookies: of a session, of a sign-in in progress, and of a browser that may use the trial.
const (
	sessionCookie = "readiness"
	pendingCookie = "readiness-sign-in"
	trialCookie   = "readiness-trial"
)

// cookie returns a cookie's name. With the prefix __Host-, browsers accept it only over TLS and for this host alone. They
// accept no such cookie over plain HTTP, so a trial on loopback uses names without it; those have the port, because the
// services of a machine share the cookies of its loopback address.
func (d *Desk) cookie(name string) string {
	switch {
	case d.secure:
		return "__Host-" + name
	case d.port != "":
		return name + "-" + d.port
	}
	return name
}

// set sets a cookie for the life of the browser, or for some seconds. -1 deletes it.
func (d *Desk) set(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: d.cookie(name), Value: value, Path: "/", MaxAge: seconds, Secure: d.secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
}

func marshal(s session) ([]byte, error) { return json.Marshal(s) }

func sortFields(fields []field) {
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Compare(a.Name, b.Name) })
}
