// Package natstest runs servers of NATS with JetStream in the process of a test.
package natstest

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// limit bounds each wait for a server. It is a safeguard, not a claim.
const limit = 3 * time.Minute

// Cluster is servers that form one, or one server alone. They keep what they confirmed when they are stopped and started again.
type Cluster struct {
	testing.TB
	dir, accounts string
	// Sync is how a server flushes that is started next: always, or a duration.
	Sync    string
	ports   []int // of clients; 0 until the server has started
	routes  []int
	servers []*server.Server
}

// own has one account, and a user of the system account.
const own = `accounts {
	LOG { jetstream: enabled, users: [ { user: log, password: log } ] }
	SYS { users: [ { user: system, password: system } ] }
}
system_account: SYS
no_auth_user: log
`

// Start starts n servers, which flush as sync says: a duration, or always.
func Start(t testing.TB, n int, sync string) *Cluster {
	t.Helper()
	return StartWith(t, n, sync, own)
}

// StartWith is Start with accounts in the form of NATS' configuration.
func StartWith(t testing.TB, n int, sync, accounts string) *Cluster {
	t.Helper()
	c := &Cluster{TB: t, dir: t.TempDir(), Sync: sync, accounts: accounts, ports: make([]int, n), routes: make([]int, n),
		servers: make([]*server.Server, n)}
	t.Cleanup(func() {
		for i := range c.servers {
			c.Stop(i)
		}
	})
	for i := range n { // a server of a cluster must know the addresses of the others before it starts
		c.routes[i] = c.free()
	}
	for i := range n {
		c.run(i)
	}
	c.ready()
	return c
}

// free returns a port that is not in use.
func (c *Cluster) free() int {
	c.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// Name returns the name of a server.
func Name(i int) string { return fmt.Sprintf("n%d", i) }

// run starts a server. The first start chooses its ports.
func (c *Cluster) run(i int) {
	c.Helper()
	text := fmt.Sprintf(`server_name: %s
host: 127.0.0.1
port: %d
jetstream { store_dir: %q, sync_interval: %q, max_file: 2GB, max_mem: 64MB }
%s
`, Name(i), cmp.Or(c.ports[i], server.RANDOM_PORT), filepath.Join(c.dir, Name(i)), c.Sync, c.accounts)
	if len(c.servers) > 1 {
		var routes []string
		for j, p := range c.routes {
			if j != i {
				routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", p))
			}
		}
		text += fmt.Sprintf("cluster { name: test, host: 127.0.0.1, port: %d, routes: [ %s ] }\n", c.routes[i], strings.Join(routes, ", "))
	}
	path := filepath.Join(c.dir, Name(i)+".conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
	options, err := server.ProcessConfigFile(path)
	if err != nil {
		c.Fatal(err)
	}
	options.NoLog, options.NoSigs = true, true
	s, err := server.NewServer(options)
	if err != nil {
		c.Fatal(err)
	}
	go s.Start()
	for began := time.Now(); !s.ReadyForConnections(time.Second); {
		if time.Since(began) > limit {
			c.Fatalf("the server %s did not start in %s", Name(i), limit)
		}
	}
	c.servers[i], c.ports[i] = s, s.Addr().(*net.TCPAddr).Port
}

// Stop stops a server at once; what it confirmed is kept.
func (c *Cluster) Stop(i int) {
	if s := c.servers[i]; s != nil {
		s.Shutdown()
		s.WaitForShutdown()
		c.servers[i] = nil
	}
}

// Again starts a server that was stopped, at its address.
func (c *Cluster) Again(i int) {
	c.Helper()
	c.run(i)
}

// ready waits until the servers have elected one that leads JetStream. Without one, creating a stream waits indefinitely.
func (c *Cluster) ready() {
	c.Helper()
	if len(c.servers) == 1 {
		return
	}
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		for _, s := range c.servers {
			if s != nil && s.JetStreamIsLeader() {
				return
			}
		}
		if time.Since(began) > limit {
			c.Fatalf("no server leads JetStream after %s", limit)
		}
	}
}

// Leader returns the server that leads a stream, -1 if none does at the moment.
func (c *Cluster) Leader(stream string) int {
	for i, s := range c.servers {
		if s != nil && s.JetStreamIsStreamLeader("LOG", stream) {
			return i
		}
	}
	return -1
}

// URL returns the addresses of all servers.
func (c *Cluster) URL() string { return c.URLs("log:log") }

// System returns the addresses of the system account.
func (c *Cluster) System() string { return c.URLs("system:system") }

// URLs returns the addresses of all servers for a user, USER:PASSWORD.
func (c *Cluster) URLs(user string) string {
	urls := make([]string, len(c.ports))
	for i, p := range c.ports {
		urls[i] = fmt.Sprintf("nats://%s@127.0.0.1:%d", user, p)
	}
	return strings.Join(urls, ",")
}
