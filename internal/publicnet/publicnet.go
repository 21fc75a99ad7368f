// Package publicnet makes connections to public addresses alone, for addresses that the operator did not choose. It knows nothing of what
// is sent.
package publicnet

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	"readiness/internal/lists"
)

// ErrAddress is the error of a connection that Transport refuses to make.
var ErrAddress = errors.New("the address is in a network that accounts may not reach")

// Transport returns a transport for addresses that the operator did not choose. It checks the
// resolved address of each connection and refuses this machine, private networks and every other
// address that is not public. It uses no proxy, because a proxy would connect in its place.
var Transport = sync.OnceValue(func() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: Control}
	return &http.Transport{
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          100,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
})

// Control is the Control function of a net.Dialer: address is the resolved address.
func Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAddress, err)
	}
	if !public(at.Addr()) {
		return ErrAddress
	}
	return nil
}

// reserved are networks, in addition to those that netip knows, that are unassigned or not public
// (IANA's special-purpose registries).
var reserved = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24",
	"240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20")

// global is the IPv6 space that is allocated as public.
var global = netip.MustParsePrefix("2000::/3")

// carriers maps IPv6 networks that embed an IPv4 address to the first byte of that address.
var carriers = map[netip.Prefix]int{
	netip.MustParsePrefix("64:ff9b::/96"): 12, // NAT64
	netip.MustParsePrefix("2002::/16"):    2,  // 6to4
}

func prefixes(texts ...string) []netip.Prefix {
	return lists.Map(texts, netip.MustParsePrefix)
}

// public reports whether an address is publicly reachable.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for of, at := range carriers {
		if of.Contains(a) {
			bytes := a.As16()
			return public(netip.AddrFrom4([4]byte(bytes[at : at+4])))
		}
	}
	return (a.Is4() || global.Contains(a)) && !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) })
}
