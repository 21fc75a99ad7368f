package fabric_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

const (
	denied      = domain.PlatformAccessDenied
	unavailable = domain.PlatformUnavailable
	notReadable = domain.ItemNotReadable
	noWorkspace = domain.WorkspaceNotFound
	noItem      = domain.ItemNotFound
)

// meant is what the service says for an error code of the platform: to the list of a workspace's items, to the look-up of
// an item, and to the read of a definition.
type meant struct{ list, item, definition domain.Code }

func all(c domain.Code) meant { return meant{c, c, c} }

// codes are the platform's error codes, with what they mean for the calls that read.
var codes = map[string]struct {
	status int
	meant
}{
	"WorkspaceNotFound":             {404, all(noWorkspace)},
	"PowerBIFolderNotFound":         {404, all(noWorkspace)},
	"ItemNotFound":                  {404, meant{noWorkspace, noItem, noItem}},
	"EntityNotFound":                {404, meant{noWorkspace, noItem, noItem}},
	"PowerBIEntityNotFound":         {404, meant{noWorkspace, noItem, noItem}},
	"FolderNotFound":                {404, meant{noWorkspace, noItem, noItem}},
	"InsufficientPrivileges":        {403, meant{noWorkspace, noItem, denied}},
	"InsufficientWorkspaceRole":     {403, meant{noWorkspace, noItem, denied}},
	"InsufficientScopes":            {403, all(denied)},
	"FeatureNotAvailable":           {403, all(denied)},
	"TenantSwitchDisabled":          {403, all(denied)},
	"PowerBINotAuthorizedException": {401, all(denied)},
	"PrincipalTypeNotSupported":     {400, all(denied)},
	"Unauthorized":                  {401, all(denied)},
	"TokenExpired":                  {401, all(domain.TokenExpired)},
	"CapacityNotActive":             {404, all(domain.CapacityPaused)},
	"CapacityLimitExceeded":         {429, meant{unavailable, unavailable, domain.CapacityBusy}},
	"RequestBlocked":                {429, all(unavailable)},
	"TooManyRequests":               {429, all(unavailable)},
	"TooManyRequestsForJobs":        {430, all(unavailable)},
	"ItemHasProtectedLabel":         {400, meant{unavailable, unavailable, notReadable}},
	"ItemsHaveProtectedLabels":      {400, meant{unavailable, unavailable, notReadable}},
	"OperationNotSupportedForItem":  {400, meant{unavailable, unavailable, notReadable}},
	"UnsupportedItemType":           {400, meant{unavailable, unavailable, notReadable}},
	"InvalidItemType":               {400, meant{unavailable, unavailable, notReadable}},
	"CorruptedPayload":              {400, meant{unavailable, unavailable, notReadable}},

	// These say that a call of ours is wrong or that the platform failed: nothing that the person can change.
	"BadRequest":                 {400, all(unavailable)},
	"InvalidParameter":           {400, all(unavailable)},
	"InvalidRequest":             {400, all(unavailable)},
	"InvalidInput":               {400, all(unavailable)},
	"InvalidDefinitionFormat":    {400, all(unavailable)},
	"ItemReferencedMoreThanOnce": {400, all(unavailable)},
	"LengthRequired":             {411, all(unavailable)},
	"UnknownError":               {500, all(unavailable)},
	"InternalServerError":        {500, all(unavailable)},
	"ServiceUnavailable":         {503, all(unavailable)},
}

// An error means the same by its errorCode in the body, by the header alone, as Power BI says it, as a detail of an error
// with another code, and at any status.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	for code, c := range codes {
		header := map[string]string{"x-ms-public-api-error-code": code}
		forms := map[string]http.HandlerFunc{
			"body":     says(c.status, nil, fmt.Sprintf(`{"requestId":5,"errorCode":%q,"message":"x","isRetriable":null}`, code)),
			"header":   says(c.status, header, ``),
			"Power BI": says(c.status, nil, fmt.Sprintf(`{"error":{"code":%q,"message":"x","pbi.error":{"code":%q,"details":[]}}}`, code, code)),
			"inner":    says(c.status, nil, fmt.Sprintf(`{"error":{"pbi.error":{"code":%q}}}`, code)),
		}
		if c.meant != all(unavailable) && code != "FolderNotFound" { // known by name, so neither status nor place matters
			forms["status 409"] = says(409, nil, fmt.Sprintf(`{"errorCode":%q}`, code))
			forms["detail"] = says(400, nil, fmt.Sprintf(`{"errorCode":"BadRequest","message":"y","moreDetails":[{"errorCode":"Odd"},{"errorCode":%q}]}`, code))
			forms["other names in the body"] = says(400, header, `{"errorCode":"BadRequest"}`)
		}
		for form, answer := range forms {
			p := clientOf(t, seesWorkspace(answer))
			it := item.Item{WorkspaceID: uuid.UUID{15: 1}, Type: item.SemanticModel, ID: uuid.UUID{15: 2}}
			_, err := p.Items(t.Context(), person("ada"), it.WorkspaceID, it.Type)
			means(t, code, form, "list", err, c.list)
			_, err = p.Item(t.Context(), person("ada"), it.WorkspaceID, it.Type, it.ID)
			means(t, code, form, "item", err, c.item)
			_, err = p.Definition(t.Context(), person("ada"), it)
			means(t, code, form, "definition", err, c.definition)
		}
	}
}

// seesWorkspace answers the look-up of a workspace, and everything else otherwise.
func seesWorkspace(otherwise http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.Count(r.URL.Path, "/") == 3 {
			says(200, nil, `{"id":"`+uuid.UUID{15: 1}.String()+`"}`)(w, r)
			return
		}
		otherwise.ServeHTTP(w, r)
	})
}

func means(t *testing.T, code, form, call string, err error, want domain.Code) {
	t.Helper()
	if r, refused := domain.Refused(err); !refused || r.Code != want {
		t.Errorf("%s (%s) of a %s: got %v, want %s", code, form, call, err, want)
	}
}

// reading are the paths of the platform's description that the service reads by.
var reading = regexp.MustCompile(`^/(workspaces(/\{workspaceId\})?|workspaces/\{workspaceId\}/(semanticModels|reports|dataAgents)(/\{\w+\}(/getDefinition)?)?|` +
	`workspaces/\{workspaceId\}/items/(bulkExportDefinitions.*|\{itemId\}/relations/upstream.*)|capacities.*|operations/.*)$`)

// Every error code that the platform's description lists for a call that the service makes is in the table.
func TestEveryListedCode(t *testing.T) {
	t.Parallel()
	facts := os.Getenv("READINESS_FABRIC_FACTS")
	if facts == "" {
		t.Log("READINESS_FABRIC_FACTS names no folder with the platform's descriptions, so only the table above is tested")
		return
	}
	files, err := filepath.Glob(filepath.Join(facts, "specs", "*", "swagger.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no descriptions: %v", err)
	}
	named, listed := regexp.MustCompile(`(?m)(?:^|\s|\*)([A-Z][A-Za-z]+) - `), 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var api struct {
			Paths map[string]map[string]struct {
				Responses map[string]struct{ Description string }
			}
		}
		decode(t, text, &api)
		for path, methods := range api.Paths {
			for method, of := range methods {
				reads := method == "get" || strings.Contains(path, "getDefinition") || strings.Contains(path, "bulkExport")
				if !reads || !reading.MatchString(path) {
					continue
				}
				for _, response := range of.Responses {
					for _, code := range named.FindAllStringSubmatch(response.Description, -1) {
						listed++
						if _, known := codes[code[1]]; !known {
							t.Errorf("%s %s: the table lacks %s", method, path, code[1])
						}
					}
				}
			}
		}
	}
	if listed < 10 {
		t.Errorf("the descriptions list %d codes", listed)
	}
}
