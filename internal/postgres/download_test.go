//go:build unix

package postgres_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"readiness/internal/postgres"
)

// tarred returns an archive of the entries.
func tarred(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		content := h.PAXRecords["content"]
		h.PAXRecords, h.Size = nil, int64(len(content))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(name, content string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755, PAXRecords: map[string]string{"content": content}}
}

// xzStored wraps plain in the .xz format without compressing it: one block of stored LZMA2 chunks, no integrity check.
func xzStored(plain []byte) []byte {
	crc := func(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)) }
	pad := func(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
	flags := []byte{0, 0} // no check

	header := crc([]byte{2, 0, 0x21, 1, 22, 0, 0, 0}) // 12 bytes; filter LZMA2, dictionary 8 MiB
	var chunks []byte
	for i, rest := 0, plain; len(rest) > 0; i++ {
		chunk := rest[:min(len(rest), 1<<16)]
		rest = rest[len(chunk):]
		control := byte(2) // stored
		if i == 0 {
			control = 1 // stored, begin of the dictionary
		}
		chunks = append(append(chunks, control, byte((len(chunk)-1)>>8), byte(len(chunk)-1)), chunk...)
	}
	chunks = append(chunks, 0)
	block := append(header, chunks...)

	index := binary.AppendUvarint([]byte{0, 1}, uint64(len(block)))
	index = crc(pad(binary.AppendUvarint(index, uint64(len(plain)))))
	footer := append(binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1)), flags...)

	out := append([]byte("\xfd7zXZ\x00"), flags...)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(flags))
	out = append(append(out, pad(block)...), index...)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(footer))
	return append(append(out, footer...), "YZ"...)
}

func jar(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// installed returns the programs installed here, packed as embedded-postgres packs
// them.
func installed(t *testing.T) []byte {
	t.Helper()
	s, err := postgres.StartTemporary(t.Context(), postgres.Options{NoDownload: true})
	if err != nil {
		t.Fatal(err)
	}
	bin := mustQuery(t, s.URL(), "SELECT setting FROM pg_config() WHERE name = 'BINDIR'")
	stop(t, s)
	script := func(name string) tar.Header {
		return file("bin/"+name, fmt.Sprintf("#!/bin/sh\nexec '%s/%s' \"$@\"\n", bin, name))
	}
	long := file("share/long", strings.Repeat("long ", 50_000)) // several chunks
	link := tar.Header{Name: "bin/postmaster", Typeflag: tar.TypeSymlink, Linkname: "postgres"}
	return jar(t, "postgres.txz", xzStored(tarred(t, script("initdb"), script("postgres"), long, link)))
}

// repository serves jar and its digests, under their extensions, at the address of
// this system's programs.
func repository(t *testing.T, jar []byte, digests map[string]string) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		digest, known := digests[path.Ext(r.URL.Path)]
		switch {
		case path.Ext(r.URL.Path) == ".jar" && jar != nil:
			_, _ = w.Write(jar)
		case known:
			_, _ = w.Write([]byte(digest + "\n"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/", asked
}

func sha256Of(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }
func sha1Of(b []byte) string   { s := sha1.Sum(b); return hex.EncodeToString(s[:]) }

func TestMissingProgramsAreDownloadedOnce(t *testing.T) {
	t.Parallel()
	jar := installed(t)
	for name, digests := range map[string]map[string]string{
		"with SHA-256": {".sha256": strings.ToUpper(sha256Of(jar))},
		"with SHA-1":   {".sha1": sha1Of(jar)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, asked := repository(t, jar, digests)
			o := postgres.SearchOnly(options(t))
			o.NoDownload, o.Repository = false, url
			s := start(t, o)
			mustQuery(t, s.URL(), "CREATE TABLE kept (x int)")
			stop(t, s)
			first := asked.Load()
			mustQuery(t, start(t, o).URL(), "SELECT count(*) FROM kept")
			if first == 0 || asked.Load() != first {
				t.Errorf("asked %d times for the first start and %d for the second, want some and none", first, asked.Load()-first)
			}
		})
	}
}

func TestDownloadIsRefused(t *testing.T) {
	t.Parallel()
	outside := file("../../../outside", "x")
	through := []tar.Header{{Name: "bin", Typeflag: tar.TypeSymlink, Linkname: "../../.."}, file("bin/outside", "x")}
	rows := map[string]struct {
		jar     []byte
		digests map[string]string
		want    string
	}{
		"not there":            {nil, nil, "404"},
		"no digest":            {jar(t, "p.txz", xzStored(tarred(t))), map[string]string{}, "no digest"},
		"another SHA-256":      {jar(t, "p.txz", xzStored(tarred(t))), map[string]string{".sha256": strings.Repeat("0", 64)}, "damaged"},
		"another SHA-1":        {jar(t, "p.txz", xzStored(tarred(t))), map[string]string{".sha1": strings.Repeat("0", 40)}, "damaged"},
		"not a zip":            {[]byte("<html>"), nil, "zip"},
		"nothing in it":        {jar(t, "readme.txt", nil), nil, "no .txz"},
		"not an xz":            {jar(t, "p.txz", []byte("plain")), nil, "xz"},
		"not a tar":            {jar(t, "p.txz", xzStored(bytes.Repeat([]byte("x"), 2048))), nil, "tar"},
		"no programs in it":    {jar(t, "p.txz", xzStored(tarred(t, file("share/x", "")))), nil, "initdb"},
		"a file outside":       {jar(t, "p.txz", xzStored(tarred(t, outside))), nil, "escapes"},
		"a file through links": {jar(t, "p.txz", xzStored(tarred(t, through...))), nil, "escapes"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if row.digests == nil {
				row.digests = map[string]string{".sha256": sha256Of(row.jar)}
			}
			o := postgres.SearchOnly(options(t))
			o.NoDownload = false
			o.Repository, _ = repository(t, row.jar, row.digests)
			s, err := postgres.Start(t.Context(), o)
			if err == nil {
				stop(t, s)
				t.Fatal("started")
			}
			for _, want := range []string{row.want, "apt-get install postgresql"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want it to say %q", err, want)
				}
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(o.DataDir), "outside")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file was written outside (%v)", err)
			}
			if rest, _ := filepath.Glob(filepath.Join(o.DataDir, "programs", "unpacking-*")); len(rest) > 0 {
				t.Errorf("left behind: %v", rest)
			}
		})
	}
}
