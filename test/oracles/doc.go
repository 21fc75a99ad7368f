// Package oracles tests the emulator of package emulator with third-party clients: Microsoft's SDK for Fabric and its
// two libraries for Entra. It is a separate module, so that the program does not depend on the SDK.
package oracles
