package operations

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
)

// maxSearched is how many of the newest operations a search looks at.
const maxSearched = 100

// Match is an operation that a search found.
type Match struct{ Name, Item, Status, Address string }

// Search returns the newest operations that have a text in their name or in that of their item, or the operation with the text as its id.
func Search(v *page.Visit, text string) (matches []Match, err error) {
	var all []client.Operation
	id, wrong := uuid.Parse(text)
	if wrong == nil {
		got, err := v.API.GetOperationWithResponse(v.Request.Context(), id, nil)
		if err != nil {
			if hasStatus(err, http.StatusNotFound) {
				return nil, nil
			}
			return nil, err
		}
		all = append(all, *got.JSON200)
	} else {
		got, err := v.API.ListOperationsWithResponse(v.Request.Context(), &client.ListOperationsParams{MaxResults: new(maxSearched)})
		if err != nil {
			return nil, err
		}
		all = got.JSON200.Value
	}
	rows, err := named(v, all)
	for _, r := range rows {
		if wrong == nil || strings.Contains(strings.ToLower(r.Name()+"\n"+r.Item), strings.ToLower(text)) {
			matches = append(matches, Match{r.Name(), r.Item, string(r.Status), "/operations/" + r.ID.String()})
		}
	}
	return matches, err
}
