package pgtest

import (
	"context"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy forwards the service's connections to its database and simulates network failures.
type Proxy struct {
	// URL is the database's address through the proxy.
	URL string

	to string
	t  testing.TB

	mu        sync.Mutex
	listener  net.Listener
	broken    bool
	swallows  chan struct{} // closed while packets pass
	all       map[net.Conn]struct{}
	transfers sync.WaitGroup
}

// Between returns a proxy to the database at address that forwards everything. It
// ends with t.
func Between(t testing.TB, address string) *Proxy {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{to: u.Host, t: t, swallows: make(chan struct{}), all: map[net.Conn]struct{}{}}
	close(p.swallows)
	p.listen("127.0.0.1:0")
	u.Host = p.listener.Addr().String()
	p.URL = u.String()
	t.Cleanup(func() {
		p.Break()
		p.pass()
		p.transfers.Wait()
	})
	return p
}

func (p *Proxy) listen(at string) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", at)
	if err != nil {
		p.t.Error(err)
		return
	}
	p.mu.Lock()
	p.listener = l
	p.mu.Unlock()
	p.transfers.Go(func() {
		for {
			here, err := l.Accept()
			if err != nil {
				return
			}
			p.transfers.Go(func() { p.connect(here) })
		}
	})
}

// connect forwards data between both sides of a connection, while packets pass.
func (p *Proxy) connect(here net.Conn) {
	there, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", p.to)
	if err != nil {
		_ = here.Close()
		return
	}
	p.mu.Lock()
	p.all[here], p.all[there] = struct{}{}, struct{}{}
	p.mu.Unlock()
	p.transfers.Go(func() { p.transfer(here, there) })
	p.transfer(there, here)
}

func (p *Proxy) transfer(to, from net.Conn) {
	defer func() {
		_, _ = to.Close(), from.Close()
		p.mu.Lock()
		delete(p.all, to)
		delete(p.all, from)
		p.mu.Unlock()
	}()
	packet := make([]byte, 64<<10)
	for {
		n, err := from.Read(packet)
		p.mu.Lock()
		passing := p.swallows
		p.mu.Unlock()
		<-passing
		if _, failed := to.Write(packet[:n]); failed != nil || err != nil {
			return
		}
	}
}

// Swallow holds back every packet from now on, of existing and new connections,
// without ending any.
func (p *Proxy) Swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.swallows = make(chan struct{})
}

// Break ends every connection and refuses new ones.
func (p *Proxy) Break() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
	_ = p.listener.Close()
	for conn := range p.all {
		_ = conn.Close()
	}
}

// Pass forwards everything again; packets held back arrive late.
func (p *Proxy) Pass() {
	p.pass()
	p.mu.Lock()
	broken, at := p.broken, p.listener.Addr().String()
	p.broken = false
	p.mu.Unlock()
	if broken {
		p.listen(at)
	}
}

func (p *Proxy) pass() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.swallows:
	default:
		close(p.swallows)
	}
}
