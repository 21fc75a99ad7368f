package http

import (
	"net/http"
	"strconv"

	"github.com/gorilla/mux"
)

const (
	// pixieFolder is the prefix of the paths of Pixies.
	pixieFolder = "/p/"
	pixiePath   = pixieFolder + "{id}.gif"
)

// pixel is a GIF image of one transparent pixel.
const pixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff" +
	"!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// Collector counts views of pages that carry a Pixie.
type Collector interface {
	// See counts a view of the Pixie with the id, if it exists. It must not block.
	See(id string)
}

// pixie handles GET /p/{id}.gif. The response is the same for every id. A HEAD does not count as a view.
func (s *Server) pixie(w http.ResponseWriter, r *http.Request) {
	if s.collector != nil && !callOf(r.Context()).head {
		s.collector.See(mux.Vars(r)["id"])
	}
	w.Header().Set("Content-Type", "image/gif")
	w.Header().Set("Content-Length", strconv.Itoa(len(pixel)))
	_, _ = w.Write([]byte(pixel))
}
