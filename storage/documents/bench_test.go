package documents_test

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"readiness/internal/bucket"
	"readiness/storage/documents"
	"readiness/test/pgtest"
)

// BenchmarkDocuments puts and names, and gets, documents of 100 kB that compress to half, in the database and in a folder.
func BenchmarkDocuments(b *testing.B) {
	folder, err := bucket.Open(b.Context(), "file://"+b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = folder.Close() })
	pool := pgtest.Pool(b)
	random := rand.NewChaCha8([32]byte{})
	for _, in := range []string{"database", "folder"} {
		store := documents.New(pool)
		if in == "folder" {
			store.Use(folder, true)
		}
		var hash string
		put := func(b *testing.B) {
			bytes := make([]byte, 50_000)
			_, _ = random.Read(bytes) // it never fails
			h, stored, err := store.Put(b.Context(), []byte(hex.EncodeToString(bytes)))
			if err == nil {
				_, err = pool.Exec(b.Context(), stored.SQL, stored.Args...)
			}
			if err != nil {
				b.Fatal(err)
			}
			hash = h
		}
		b.Run("put/"+in, func(b *testing.B) {
			for b.Loop() {
				put(b)
			}
		})
		b.Run("get/"+in, func(b *testing.B) {
			put(b)
			for b.Loop() {
				if _, err := store.Get(b.Context(), hash); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
