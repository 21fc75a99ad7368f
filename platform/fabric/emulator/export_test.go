package emulator

import (
	"strings"

	"github.com/gorilla/mux"
)

// Templates returns the method and the path of every route, with the patterns of ids left out.
func (s *Service) Templates() (all []string) {
	_ = s.router.Walk(func(r *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, err := r.GetPathTemplate()
		methods, _ := r.GetMethods()
		if err == nil {
			all = append(all, strings.Join(methods, ",")+" "+strings.ReplaceAll(path, ":"+uuidPattern, ""))
		}
		return nil
	})
	return all
}
