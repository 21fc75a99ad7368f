package database

import (
	"net"
	"syscall"
)

// dialer notices that the other machine is gone, whether data is in flight or not.
var dialer = &net.Dialer{
	Timeout:         connectTimeout,
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount},
	Control: func(network, _ string, c syscall.RawConn) (err error) {
		if network == "unix" {
			return nil
		}
		if failed := c.Control(func(socket uintptr) { err = boundSocket(socket) }); failed != nil {
			return failed
		}
		return err
	},
}
