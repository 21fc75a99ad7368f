package fabric_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"readiness/domain"
	"readiness/platform/fabric/emulator"
)

func says(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// Every failure of the platform becomes the refusal that says what the person can do, after a bounded number of calls.
func TestFailures(t *testing.T) {
	t.Parallel()
	const challenge = `Bearer realm="", error="insufficient_claims", claims="eyJhIjoxfQ=="`
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   domain.Code // "" for none
		words  string
		calls  int
	}{
		"lost once":             {emulator.Lost, "", "", 2},
		"500 once":              {emulator.Error(500, "UnknownError", "x"), "", "", 2},
		"unknown 400":           {emulator.Error(400, "Strange", "The thing\nis odd"), domain.PlatformUnavailable, `(Strange): "The thing is odd"`, 1},
		"feature":               {emulator.Error(403, "FeatureNotAvailable", ""), domain.PlatformAccessDenied, "FeatureNotAvailable", 1},
		"scopes":                {emulator.Error(403, "InsufficientScopes", ""), domain.PlatformAccessDenied, "InsufficientScopes", 1},
		"busy capacity":         {emulator.Error(429, "CapacityLimitExceeded", ""), domain.PlatformUnavailable, "is overloaded (CapacityLimitExceeded)", 3},
		"inactive, by any name": {emulator.Error(503, "CapacityNotActive", ""), domain.CapacityPaused, "resume it", 1},
		"code in a header":      {says(404, map[string]string{"x-ms-public-api-error-code": "WorkspaceNotFound"}, ""), domain.WorkspaceNotFound, "", 1},
		"Power BI's error":      {says(403, nil, `{"error":{"code":"PowerBINotAuthorizedException"}}`), domain.PlatformAccessDenied, "PowerBINot", 1},
		"a page of a proxy":     {says(403, nil, "<html>no</html>"), domain.PlatformAccessDenied, "HTTP 403", 1},
		"an element of nothing": {says(200, nil, `{"value":[null,5,"x",[],{},{"id":7},{"id":"x"},{"displayName":"no id"}]}`), "", "", 1},
		"odd members":           {says(200, nil, `{"value":[{"id":"11111111-0000-4000-8000-000000000001","displayName":5,"description":[1],"tags":{}}]}`), "", "", 1},
		"no list":               {says(200, nil, `{"continuationToken":null}`), domain.PlatformUnavailable, "cannot be read", 1},
		"null for a list":       {says(200, nil, `{"value":null}`), domain.PlatformUnavailable, "cannot be read", 1},
		"an odd token":          {says(200, nil, `{"value":[],"continuationToken":5}`), domain.PlatformUnavailable, "cannot be read", 1},
		"nothing":               {says(200, nil, ``), domain.PlatformUnavailable, "cannot be read", 1},
		"BOM":                   {says(200, nil, "\ufeff"+`{"value":[]}`), "", "", 1},
		"control characters":    {says(400, nil, `{"errorCode":"Odd\u001b[1m","message":"a\u0000b"}`), domain.PlatformUnavailable, `failed (Odd[1m): "ab"`, 1},
		"a short answer":        {says(200, nil, `{"value":[`), domain.PlatformUnavailable, "cannot be read", 1},
		"another shape":         {says(200, nil, `[1]`), domain.PlatformUnavailable, "cannot be read", 1},
		"a huge answer":         {says(200, nil, `{"value":[`+strings.Repeat(" ", 4<<10)), domain.PlatformUnavailable, "larger than", 1},
		"claims":                {says(401, map[string]string{"WWW-Authenticate": challenge}, ""), domain.Unauthorized, "sign in again", 1},
		"claims of no JSON":     {says(401, map[string]string{"WWW-Authenticate": `Bearer claims="AAAA"`}, ""), domain.PlatformAccessDenied, "HTTP 401", 1},
	} {
		w := newWorld(t, nil)
		w.Lower(10, 1<<20, 1<<20, 2<<10, 3)
		times := 1
		if name == "busy capacity" {
			times = 9
		}
		w.service.Script(emulator.Fault{Path: "semanticModels", Answer: c.answer, Times: times})
		_, err := w.Items(t.Context(), person("ada"), retail, "SemanticModel")
		if c.code != "" {
			refused(t, err, c.code, c.words)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := w.called("GET", "semanticModels"); n != c.calls {
			t.Errorf("%s: %d calls, want %d", name, n, c.calls)
		}
	}
}

// A short block is waited for, a long one is reported with its time; either holds the calls of other processes.
func TestThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: w.service.Throttled(3 * time.Second)})
	if _, err := w.Workspaces(t.Context(), person("ada")); err != nil {
		t.Fatal(err)
	}
	w.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: w.service.Throttled(50 * time.Second), Times: 5})
	_, err := w.Workspaces(t.Context(), person("ada"))
	if r := refused(t, err, domain.PlatformUnavailable, "no further calls for now (RequestBlocked); try again in 50s"); r.RetryAfter != 50*time.Second {
		t.Errorf("try again after %s, want what the platform returned", r.RetryAfter)
	}
	if n := w.called("GET", "/v1/workspaces"); n != 3 || len(w.shared.holds) != 2 || w.shared.holds[1].Route != "GET /workspaces" {
		t.Errorf("%d calls and holds %+v, want 3 and 2", n, w.shared.holds)
	}
}

// A bearer goes to no other host, whatever the platform says, and no list is endless.
func TestNoOtherHostAndNoEndlessList(t *testing.T) {
	t.Parallel()
	other := elsewhere(t)
	w := newWorld(t, nil)
	w.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: says(200, nil,
		`{"value":[],"continuationToken":"LDEwMCw%3D","continuationUri":"`+other.URL+`/v1/workspaces?continuationToken=LDEsOSw%3D"}`)})
	if _, err := w.Workspaces(t.Context(), person("ada")); err != nil {
		t.Errorf("got %v, want the next page of the configured host", err)
	}
	for _, status := range []int{301, 302, 307, 308} {
		w.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: says(status, map[string]string{"Location": other.URL}, "")})
		_, err := w.Workspaces(t.Context(), person("ada"))
		refused(t, err, domain.PlatformUnavailable, fmt.Sprintf("HTTP %d", status))
	}
	again := newWorld(t, nil)
	again.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: says(200, nil, `{"value":[],"continuationToken":"A"}`), Times: 99})
	_, err := again.Workspaces(t.Context(), person("ada"))
	refused(t, err, domain.PlatformUnavailable, "does not end")
	if n := again.called("GET", "/v1/workspaces"); n != 2 {
		t.Errorf("%d calls, want the two that gave the same token", n)
	}
	n := 0
	long := newWorld(t, nil)
	long.Lower(10, 10, 10, 1<<20, 7)
	long.service.Script(emulator.Fault{Path: "/v1/workspaces", Times: 99, Answer: func(rw http.ResponseWriter, _ *http.Request) {
		n++
		fmt.Fprintf(rw, `{"value":[],"continuationToken":"A%d"}`, n)
	}})
	_, err = long.Workspaces(t.Context(), person("ada"))
	refused(t, err, domain.PlatformUnavailable, "does not end")
	if n != 7 {
		t.Errorf("%d pages, want at most 7", n)
	}
}

// A definition that is not one is not taken for one.
func TestHostileDefinitions(t *testing.T) {
	t.Parallel()
	part := func(path, payload, kind string) string {
		return fmt.Sprintf(`{"path":%q,"payload":%q,"payloadType":%q}`, path, payload, kind)
	}
	text := base64.StdEncoding.EncodeToString([]byte("model Model"))
	of := func(parts ...string) string {
		return `{"definition":{"format":"TMDL","parts":[` + strings.Join(parts, ",") + `]}}`
	}
	good := part("definition/model.tmdl", text, "InlineBase64")
	for name, c := range map[string]struct {
		body  string
		code  domain.Code
		words string
	}{
		"good":             {of(good, part(".platform", text, "InlineBase64")), "", ""},
		"unknown members":  {`{"x":{"parts":[1]},"definition":{"y":[{}],"parts":[{"z":1,` + good[1:] + `],"w":1}}`, "", ""},
		"no parts":         {of(), domain.ItemNotReadable, "no part"},
		"only .platform":   {of(part(".platform", text, "InlineBase64")), domain.ItemNotReadable, "no part"},
		"null":             {`null`, domain.PlatformUnavailable, "cannot be read"},
		"null parts":       {`{"definition":{"parts":null}}`, domain.PlatformUnavailable, "cannot be read"},
		"cut":              {of(good)[:60], domain.PlatformUnavailable, "cannot be read"},
		"no base64":        {of(part("a", "%%", "InlineBase64")), domain.PlatformUnavailable, "cannot be read"},
		"a link":           {of(part("a", text, "VfsReference")), domain.ItemNotReadable, "InlineBase64"},
		"above the item":   {of(part("../a", text, "InlineBase64")), domain.ItemNotReadable, "leaves the item"},
		"below and above":  {of(part("a/../../b", text, "InlineBase64")), domain.ItemNotReadable, "leaves the item"},
		"absolute":         {of(part("/etc/passwd", text, "InlineBase64")), domain.ItemNotReadable, "leaves the item"},
		"of Windows":       {of(part(`a\b`, text, "InlineBase64")), domain.ItemNotReadable, "leaves the item"},
		"twice":            {of(good, good), domain.ItemNotReadable, "two parts"},
		"too many parts":   {of(part("a", "", ""), part("b", "", ""), part("c", "", ""), part("d", "", "")), domain.ItemNotReadable, "more than 3"},
		"a large part":     {of(part("a", base64.StdEncoding.EncodeToString(make([]byte, 3<<20)), "")), domain.ItemNotReadable, "larger than"},
		"large in all":     {of(part("a", base64.StdEncoding.EncodeToString(make([]byte, 1<<20)), ""), part("b", text, "")), domain.ItemNotReadable, "larger"},
		"an endless token": {`{"definition":{"parts":[{"path":"` + strings.Repeat("x", 6<<20), domain.ItemNotReadable, "larger than"},
	} {
		w := newWorld(t, nil)
		w.Lower(3, 1<<20, 1<<20, 1<<20, 3)
		w.service.Script(emulator.Fault{Path: "getDefinition", Answer: says(200, nil, c.body)})
		d, err := w.Definition(t.Context(), person("ada"), w.model(t))
		if c.code != "" {
			if refused(t, err, c.code, c.words); len(d.Parts) > 0 {
				t.Errorf("%s: got parts in addition to the refusal", name)
			}
			continue
		}
		if err != nil || len(d.Parts) != 1 || string(d.Parts[0].Data) != "model Model" {
			t.Errorf("%s: got %+v, %v", name, d, err)
		}
	}
}
