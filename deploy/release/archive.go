package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// accompanying are the files of the source tree that every archive and package has in addition to the program.
var accompanying = []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md"}

// archive writes a .tar.gz, or a .zip for Windows, with a folder of the release's name.
func (r *release) archive(t target, binary string) (err error) {
	ending, write := ".tar.gz", tarball
	if t.os == "windows" {
		ending, write = ".zip", zipped
	}
	f, err := os.Create(filepath.Join(r.out, r.name(t)+ending))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f, r, t, binary)
}

// each calls add for the files of an archive, in their order, with the mode that they have in it.
func (r *release) each(t target, binary string, add func(name string, mode int64, data []byte) error) error {
	for _, file := range accompanying {
		data, err := os.ReadFile(filepath.Join(r.source, file))
		if err != nil {
			return err
		}
		if err := add(r.name(t)+"/"+file, 0o644, data); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	return add(r.name(t)+"/"+filepath.Base(binary), 0o755, data)
}

func tarball(to io.Writer, r *release, t target, binary string) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(packed)
	err = r.each(t, binary, func(name string, mode int64, data []byte) error {
		head := &tar.Header{Name: name, Mode: mode, Size: int64(len(data)), ModTime: r.date, Format: tar.FormatPAX}
		if err := out.WriteHeader(head); err != nil {
			return err
		}
		_, err := out.Write(data)
		return err
	})
	return errors.Join(err, out.Close(), packed.Close())
}

func zipped(to io.Writer, r *release, t target, binary string) error {
	out := zip.NewWriter(to)
	err := r.each(t, binary, func(name string, mode int64, data []byte) error {
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
