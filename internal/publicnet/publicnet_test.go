package publicnet_test

import (
	"errors"
	"testing"

	"readiness/internal/publicnet"
)

// The resolved address of a connection counts, not the name that led to it.
func TestControl(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"8.8.8.8:443": true, "93.184.215.14:80": true, "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443": true, "172.32.0.1:443": true, "100.128.0.1:443": true,
		"127.0.0.1:80": false, "127.255.255.254:80": false, "[::1]:80": false, "0.0.0.0:80": false, "[::]:80": false, "0.1.2.3:80": false,
		"10.0.0.1:443": false, "172.16.0.1:443": false, "172.31.255.255:443": false, "192.168.1.1:443": false, "[fd00::1]:443": false, "[fc00::1]:443": false,
		"169.254.169.254:80": false, "[fe80::1%eth0]:80": false, "[fe80::1]:80": false, "[fec0::1]:80": false,
		"224.0.0.1:80": false, "[ff02::1]:80": false, "255.255.255.255:80": false, "240.0.0.1:80": false, "100.64.0.1:80": false, "198.18.0.1:80": false,
		"192.0.2.1:80": false, "[2001:db8::1]:80": false, "[4000::1]:80": false,
		"[::ffff:127.0.0.1]:80": false, "[::ffff:10.0.0.1]:80": false, "[::ffff:8.8.8.8]:443": true, "[::127.0.0.1]:80": false,
		"[64:ff9b::a00:1]:80": false, "[64:ff9b::808:808]:443": true, "[2002:a00:1::1]:80": false, "[2002:7f00:1::]:80": false, "[2002:808:808::1]:443": true,
		"localhost:80": false, "": false,
	} {
		if err := publicnet.Control("tcp", address, nil); (err == nil) != want {
			t.Errorf("%s: got error %v, want it reachable: %v", address, err, want)
		} else if err != nil && !errors.Is(err, publicnet.ErrAddress) {
			t.Errorf("%s: %v is another error", address, err)
		}
	}
	if publicnet.Transport().Proxy != nil {
		t.Error("a proxy would connect in our place")
	}
}
