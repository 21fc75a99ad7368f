// Package quota limits the calls that all processes of the service make to a remote platform, through PostgreSQL. The
// platform counts the calls of each person in a few buckets. The service uses a share of each bucket, half by default,
// because the person's other tools use the same quota. After a 429, Hold stops the person's calls of the bucket, and
// everyone's calls of the route.
//
// While the database is away no call is counted: Take, Hold and Wait return an error within Options.Timeout. Callers
// must treat it like Busy and make no call, because calls that are not counted could exceed the platform's quota.
//
// The package makes no call to the platform and does not know what a route does.
package quota

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/internal/database"
)

const (
	// Window is the length of every sliding window.
	Window = time.Minute
	// MaxHold is the longest hold.
	MaxHold = time.Hour
)

// The buckets of the platform's quota.
const (
	Platform   = "platform"   // calls that are in no other bucket
	Operations = "operations" // states and results of long-running operations
	Jobs       = "jobs"       // the job scheduler
	Queries    = "queries"    // queries of a model
)

// published is how many calls of a bucket the platform allows one person in a minute.
var published = map[string]int{Platform: 200, Operations: 200, Jobs: 200, Queries: 120}

// The urgencies of a call. A less urgent call may not use the last part of a window, so a more urgent one still finds
// room.
const (
	Read = iota
	Poll
	Write
)

// shares is the percentage of a window that may be in use when a call of the urgency is counted.
var shares = [...]int{Read: 80, Poll: 95, Write: 100}

// Call is a call to the platform.
type Call struct {
	Bucket string // Platform, Operations, Jobs or Queries
	Person string // the tenant's id, a slash, and the person's id in it
	Route  string // the method and the path's template, such as "GET /workspaces"
	// Urgency is Read, Poll or Write.
	Urgency int
}

// key identifies the window of the call. The database holds no person's id, so it is a hash.
func (c Call) key() string {
	of := sha256.Sum256([]byte(c.Person))
	return c.Bucket + " " + hex.EncodeToString(of[:16])
}

// route identifies the route of the call in the person's tenant. No bucket has this first word.
func (c Call) route() string {
	tenant, _, _ := strings.Cut(c.Person, "/")
	return "route " + tenant + " " + c.Route
}

// Percentages for Share: what a Limiter uses by default, and the most.
const (
	DefaultShare = 50
	MaxShare     = 10_000
)

// Share returns the limits that are this percentage, from 1 to MaxShare, of what the platform publishes, at least one call each.
func Share(percent int) map[string]int {
	limits := map[string]int{}
	for bucket, calls := range published {
		limits[bucket] = max(1, calls*percent/100)
	}
	return limits
}

// Options configures a Limiter.
type Options struct {
	// Limits is how many calls of a bucket all processes together make for one person in a Window, at least 1. A bucket
	// that is missing has half of the published quota: 100, or 60 for Queries.
	Limits map[string]int
	// Waiting is how many calls of one person in one bucket may wait in this process; 0 means 1000.
	Waiting int
	// Connections is the size of the limiter's own connection pool; 0 means 4.
	Connections int32
	// Timeout bounds each access to the database; 0 means 2 seconds.
	Timeout time.Duration
	// Registry registers the metrics; nil for none.
	Registry prometheus.Registerer
}

// Limiter counts calls. It is safe for concurrent use.
type Limiter struct {
	pool    *pgxpool.Pool
	timeout time.Duration
	limits  map[string]int
	queues  *queues
	metrics *metrics
}

// Open returns a Limiter for the database at url. It does not connect yet. The caller must close the Limiter.
func Open(ctx context.Context, url string, o Options) (*Limiter, error) {
	o.Waiting = cmp.Or(o.Waiting, 1000)
	o.Connections = cmp.Or(o.Connections, 4)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Second)
	l := &Limiter{timeout: o.Timeout, limits: map[string]int{}, metrics: newMetrics()}
	maps.Copy(l.limits, Share(DefaultShare))
	for bucket, calls := range o.Limits {
		if published[bucket] == 0 || calls < 1 {
			return nil, fmt.Errorf("quota: limit %d of bucket %q: at least 1, of platform, operations, jobs or queries", calls, bucket)
		}
		l.limits[bucket] = calls
	}
	l.queues = newQueues(o.Waiting, l.most)
	if o.Registry != nil {
		if err := l.metrics.register(o.Registry); err != nil {
			return nil, err
		}
	}
	pool, err := database.Open(ctx, url, func(c *pgxpool.Config) {
		c.MaxConns = o.Connections
		c.MinConns = o.Connections // no call waits for a new connection
		c.ConnConfig.RuntimeParams["application_name"] = "readiness quota"
		c.ConnConfig.RuntimeParams["statement_timeout"] = fmt.Sprint(o.Timeout.Milliseconds())
		// Losing the latest rows in a crash is harmless, so commits do not wait for the disk.
		c.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			for _, sql := range []string{take, hold} {
				if _, err := conn.Prepare(ctx, sql, sql); err != nil {
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, fmt.Errorf("quota: %w", err)
	}
	l.pool = pool
	return l, nil
}

// Close closes the limiter's connections. No call may wait.
func (l *Limiter) Close() { l.pool.Close() }

// most is how many calls a window may hold when the call was counted.
func (l *Limiter) most(c Call) int { return max(1, l.limits[c.Bucket]*shares[c.Urgency]/100) }

// check returns an error if the call cannot be counted.
func check(c Call) error {
	if published[c.Bucket] == 0 || c.Person == "" || c.Route == "" || c.Urgency < Read || c.Urgency > Write {
		return fmt.Errorf("quota: %+v: needs a known bucket, a person, a route and an urgency from %d to %d", c, Read, Write)
	}
	return nil
}

// Take counts the call and returns 0, or returns how long to wait before the next attempt and counts nothing. Other
// calls may take the room in the meantime. An error means that the database did not answer; the call must not be made.
func (l *Limiter) Take(ctx context.Context, c Call) (wait time.Duration, err error) {
	if err := check(c); err != nil {
		return 0, err
	}
	a, err := l.ask(ctx, c)
	return max(a.window, a.person, a.route), err
}

// ask counts the call, or returns what it must wait for.
func (l *Limiter) ask(ctx context.Context, c Call) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	var counted bool
	var window, person, route float64 // seconds
	err := l.pool.QueryRow(ctx, take, c.key(), c.route(), l.most(c), Window, MaxHold+Window).Scan(&counted, &window, &person, &route)
	if err != nil {
		return answer{}, fmt.Errorf("quota: count a call of bucket %s: %w", c.Bucket, err)
	}
	if counted {
		l.metrics.calls.WithLabelValues(c.Bucket).Inc()
		return answer{}, nil
	}
	a := answer{window: seconds(window), person: seconds(person), route: seconds(route)}
	if max(a.window, a.person, a.route) == 0 { // what the call had to wait for ended while the statement ran
		a.window = time.Millisecond
	}
	return a, nil
}

func seconds(s float64) time.Duration { return max(0, time.Duration(s*float64(time.Second))) }

// Hold records a 429. For the duration, at most MaxHold, no call of the person and bucket and no call of the route in the
// person's tenant is counted. An earlier hold that ends later remains. Hold runs even if ctx has ended. An error means
// that the database did not answer: the hold may be missing.
func (l *Limiter) Hold(ctx context.Context, c Call, d time.Duration) error {
	if err := check(c); err != nil {
		return err
	}
	l.metrics.held.WithLabelValues(c.Bucket).Inc()
	left := min(d, MaxHold)
	if left <= 0 {
		return nil
	}
	ctx, cancel := database.Beyond(ctx, l.timeout)
	defer cancel()
	if _, err := l.pool.Exec(ctx, hold, c.key(), c.route(), left, MaxHold+Window); err != nil {
		return fmt.Errorf("quota: hold the calls of bucket %s: %w", c.Bucket, err)
	}
	return nil
}

// Wait waits until the call is counted. Each person has a queue for each bucket: writes before polls
// before reads, then in order of arrival; a call whose route is on hold does not stop those behind it. No call
// waits for those of other people.
//
// The error is a *Busy if the call cannot be counted before the deadline of ctx or if too many calls wait, and wraps
// context.Canceled if ctx was cancelled. Any other error means that the database did not answer. After an error the call
// must not be made.
func (l *Limiter) Wait(ctx context.Context, c Call) error {
	if err := check(c); err != nil {
		return err
	}
	began := time.Now()
	if err := l.queues.wait(ctx, c, l.ask); err != nil {
		return err
	}
	l.metrics.waited.WithLabelValues(c.Bucket).Observe(time.Since(began).Seconds())
	return nil
}
