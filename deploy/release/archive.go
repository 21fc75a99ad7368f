package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// accompanying are the files of the source tree that every archive and package has in addition to its program.
var accompanying = []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md"}

// archive writes a .tar.gz, or a .zip for Windows, with a folder of the release's name, and refuses one that is too large.
func (r *release) archive(b binary) error {
	ending, write := ".tar.gz", tarball
	if b.target.os == "windows" {
		ending, write = ".zip", zipped
	}
	name := filepath.Join(r.out, r.name(b)+ending)
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f, r, b), f.Close()); err != nil {
		return err
	}
	return limited(name, b.program.archive)
}

// each calls add for the files of an archive, in their order, with the mode that they have in it.
func (r *release) each(b binary, add func(name string, mode int64, data []byte) error) error {
	for _, file := range accompanying {
		data, err := os.ReadFile(filepath.Join(r.source, file))
		if err != nil {
			return err
		}
		if err := add(r.name(b)+"/"+file, 0o644, data); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(b.file)
	if err != nil {
		return err
	}
	return add(r.name(b)+"/"+filepath.Base(b.file), 0o755, data)
}

func tarball(to io.Writer, r *release, b binary) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(packed)
	err = r.each(b, func(name string, mode int64, data []byte) error {
		head := &tar.Header{Name: name, Mode: mode, Size: int64(len(data)), ModTime: r.date, Format: tar.FormatPAX}
		if err := out.WriteHeader(head); err != nil {
			return err
		}
		_, err := out.Write(data)
		return err
	})
	return errors.Join(err, out.Close(), packed.Close())
}

func zipped(to io.Writer, r *release, b binary) error {
	out := zip.NewWriter(to)
	out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	err := r.each(b, func(name string, mode int64, data []byte) error {
		head := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: r.date}
		head.SetMode(os.FileMode(mode))
		w, err := out.CreateHeader(head)
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	return errors.Join(err, out.Close())
}
