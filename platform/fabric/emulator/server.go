package emulator

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log"
	"math/big"
	"net"
	"net/http"
	"strings"
	"time"
)

// Certificate is a self-signed certificate of a server with its key, both as PEM.
type Certificate struct{ Cert, Key []byte }

// certificateLife is how long a certificate is valid.
const certificateLife = 365 * 24 * time.Hour

// NewCertificate makes a certificate for this machine alone: localhost and its loopback addresses.
func NewCertificate(now time.Time) (Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Emulator of Microsoft Fabric"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(certificateLife), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true, IsCA: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return Certificate{}, err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Certificate{}, err
	}
	return Certificate{pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})}, nil
}

// Valid returns an error unless the certificate can be served at the time.
func (c Certificate) Valid(now time.Time) error {
	pair, err := tls.X509KeyPair(c.Cert, c.Key)
	if err != nil {
		return err
	}
	if now.After(pair.Leaf.NotAfter) {
		return errors.New("the certificate has expired")
	}
	return nil
}

// Handler answers as Fabric, as Power BI and as Entra at one address.
func Handler(service *Service, entra *Entra) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := strings.ToLower(r.URL.Path); strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/v1.0/") {
			service.ServeHTTP(w, r)
			return
		}
		entra.ServeHTTP(w, r)
	})
}

// Serve serves the handler by HTTPS on a listener until ctx ends.
func Serve(ctx context.Context, l net.Listener, h http.Handler, c Certificate, errorLog *log.Logger) error {
	pair, err := tls.X509KeyPair(c.Cert, c.Key)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, ErrorLog: errorLog,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if s.Shutdown(ending) != nil {
			_ = s.Close()
		}
	})
	err = s.ServeTLS(l, "", "")
	if stop() { // ctx has not ended: the server failed
		return err
	}
	<-done
	return nil
}
