package http

import (
	"net/http"
	"strconv"

	"github.com/gorilla/mux"
)

const (
	// pixieFolder is what the paths of Pixies' addresses begin with.
	pixieFolder = "/p/"
	pixiePath   = pixieFolder + "{id}.gif"
)

// pixel is a transparent image of one pixel, a GIF.
const pixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// Collector counts the views of pages that carry a Pixie.
type Collector interface {
	// See counts a view of the Pixie with the id, if there is one. It never waits.
	See(id string)
}

// pixie answers GET /p/{id}.gif: the same for every id. Who only asks how the image is answered sees no page.
func (s *Server) pixie(w http.ResponseWriter, r *http.Request) {
	if s.collector != nil && !of(r.Context()).head {
		s.collector.See(mux.Vars(r)["id"])
	}
	w.Header().Set("Content-Type", "image/gif")
	w.Header().Set("Content-Length", strconv.Itoa(len(pixel)))
	_, _ = w.Write([]byte(pixel))
}
