package emulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// clusterURL is the host that Location names: a cluster of the platform. No bearer token may be sent to it.
const clusterURL = "https://wabi-us-central-b-primary-redirect.analysis.windows.net"

// common sets the headers of every answer and returns the request's id.
func common(w http.ResponseWriter, exposed ...string) string {
	h, id := w.Header(), uuid.NewString()
	h["RequestId"] = []string{id} // the platform's letter case
	h.Set("Access-Control-Expose-Headers", strings.Join(append([]string{"RequestId"}, exposed...), ","))
	h.Set("Cache-Control", "no-store, must-revalidate, no-cache")
	h.Set("Pragma", "no-cache")
	h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "deny")
	return id
}

// setClusterHeaders adds the headers that name the home cluster of a redirected call.
func setClusterHeaders(w http.ResponseWriter) {
	w.Header()["home-cluster-uri"] = []string{clusterURL + "/"}
	w.Header()["request-redirected"] = []string{"true"}
}

// send answers 200 with a JSON value.
func send(w http.ResponseWriter, value any, exposed ...string) {
	common(w, exposed...)
	setClusterHeaders(w)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(value)
}

type detail struct {
	ErrorCode string `json:"errorCode"`
	Message   string `json:"message"`
}

// fail answers with the platform's error.
func fail(w http.ResponseWriter, status int, code, message string, details ...detail) {
	id := common(w)
	h := w.Header()
	setClusterHeaders(w)
	h["x-ms-public-api-error-code"] = []string{code}
	h.Set("Content-Type", "application/json; charset=utf-8")
	body := map[string]any{"requestId": id, "errorCode": code, "message": message, "isRetriable": status == http.StatusTooManyRequests}
	if len(details) > 0 {
		body["moreDetails"] = details
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// failPowerBI answers as the older interface does.
func failPowerBI(w http.ResponseWriter, status int, code string) {
	common(w)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": code,
		"pbi.error": map[string]any{"code": code, "parameters": map[string]any{}, "details": []any{}}}})
}

// blocked answers 429. It has none of the headers of other answers.
func blocked(w http.ResponseWriter, now time.Time, wait time.Duration) {
	seconds := int((wait + time.Second - 1) / time.Second)
	h := w.Header()
	id := uuid.NewString()
	h["RequestId"] = []string{id}
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Retry-After", fmt.Sprint(seconds))
	h["x-ms-public-api-error-code"] = []string{"RequestBlocked"}
	w.WriteHeader(http.StatusTooManyRequests)
	until := now.Add(time.Duration(seconds) * time.Second).UTC().Format("1/2/2006 3:04:05 PM")
	_ = json.NewEncoder(w).Encode(map[string]any{"requestId": id, "errorCode": "RequestBlocked", "isRetriable": true,
		"message": "Request is blocked by the upstream service until: " + until + " (UTC)"})
}

// refuse answers with the platform's error for a refusal of the folder.
func (c *call) refuse(err error) {
	r, refused := domain.Refused(err)
	if !refused {
		fail(c.w, http.StatusInternalServerError, "UnknownError", "An error occurred while processing the operation")
		return
	}
	switch r.Code {
	case domain.WorkspaceNotFound:
		fail(c.w, http.StatusNotFound, "WorkspaceNotFound", "The requested workspace could not be found")
	case domain.ItemNotFound:
		fail(c.w, http.StatusNotFound, "ItemNotFound", "The requested item could not be found")
	case domain.CapacityPaused:
		fail(c.w, http.StatusNotFound, cmp.Or(c.o.Unknown.PausedCode, "CapacityNotActive"), "The capacity is not active")
	case domain.ItemNotReadable:
		fail(c.w, http.StatusBadRequest, "OperationNotSupportedForItem", "The operation is not supported for the item")
	default:
		fail(c.w, http.StatusInternalServerError, "UnknownError", "An error occurred while processing the operation")
	}
}
