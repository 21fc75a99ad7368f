package bench

import (
	"fmt"
	"strings"
)

// AppendArgument returns a Script.Argument for the appends of an event store. With
// each sending, existing streams advance by the same number of versions, new
// streams start again, and events get new ids. The ids of the last loaded events
// differ for each sending, so the statement looks them up.
func AppendArgument(statements []Statement) func(Statement, int) string {
	grows := map[string]int64{} // by stream, with each sending
	for i, s := range statements {
		if isEvents(s) {
			statements[i].SQL = strings.Replace(s.SQL, "(SELECT $13::uuid[])", lastLoaded, 1)
		}
		if isStreams(s) {
			names, versions, loaded := s.Args[0].([]string), s.Args[3].([]int64), s.Args[5].([]int64)
			for i, name := range names {
				if loaded[i] > 0 {
					grows[name] = versions[i] - loaded[i]
				}
			}
		}
	}
	versions := func(names []string, versions []int64) string {
		all := make([]string, len(versions))
		for i, v := range versions {
			all[i] = fmt.Sprint(v)
			if by := grows[names[i]]; by > 0 {
				all[i] = fmt.Sprintf("%d + :made::bigint * %d", v, by)
			}
		}
		return "ARRAY[" + strings.Join(all, ", ") + "]"
	}
	return func(s Statement, n int) string {
		switch {
		case isStreams(s) && (n == 3 || n == 5):
			return versions(s.Args[0].([]string), s.Args[n].([]int64))
		case isEvents(s) && n == 0:
			ids := make([]string, len(s.Args[0].([][16]byte)))
			for i := range ids {
				// Like ids made one after another, they are adjacent in the index.
				ids[i] = fmt.Sprintf("('00000000-0000-7000-8%03x-' || :n)::uuid", i)
			}
			return "ARRAY[" + strings.Join(ids, ", ") + "]"
		case isEvents(s) && n == 11:
			return versions(s.Args[10].([]string), s.Args[n].([]int64))
		case isEvents(s) && n == 3:
			return versions(s.Args[2].([]string), s.Args[n].([]int64))
		}
		return ""
	}
}

// lastLoaded is an SQL expression for the ids of the events that were loaded last.
const lastLoaded = `coalesce((
	SELECT array_agg(e.event_id ORDER BY i) FROM unnest($11::text[], $12::bigint[]) WITH ORDINALITY AS w (stream, version, i)
	LEFT JOIN events e ON e.stream = w.stream AND e.version = w.version
), $13::uuid[])`

func isStreams(s Statement) bool { return strings.Contains(s.SQL, "INSERT INTO streams") }
func isEvents(s Statement) bool  { return strings.Contains(s.SQL, "INSERT INTO events") }
