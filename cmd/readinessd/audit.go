package main

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
	"readiness/storage/documents"
)

func (r *root) auditCommand() *cobra.Command {
	var flags databaseFlags
	c := &cobra.Command{
		Use:   "audit",
		Short: "Show the key of signed heads, compare the log with them, or begin its trees again",
		RunE:  cli.NeedsSubcommand,
	}
	flags.add(c.PersistentFlags())
	c.AddCommand(r.auditKeyCommand(&flags), r.auditVerifyCommand(&flags), r.auditExportCommand(&flags), r.auditRestartCommand(&flags))
	return c
}

// checkpointFlag adds the flag for notes that were kept outside of the database.
func checkpointFlag(c *cobra.Command, files *[]string) {
	c.Flags().StringSliceVar(files, "checkpoint", nil, "file with a signed head that was kept outside of the database; can be repeated")
}

func readNotes(files []string) (notes [][]byte, err error) {
	for _, name := range files {
		note, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if _, _, err := audit.ParseBody(note); err != nil {
			return nil, cli.Usage("--checkpoint %s: %w", name, err)
		}
		notes = append(notes, note)
	}
	return notes, nil
}

// trees returns the trees of the log, with the service's key if the data directory has it.
func (r *root) trees(core *core, data string) (*audit.Log, ed25519.PrivateKey, error) {
	o := audit.Options{Pool: core.pool, Watermark: core.store.Watermark, Now: time.Now, Log: r.Log}
	if there, err := hasKey(data); err != nil {
		return nil, nil, err
	} else if !there {
		return audit.New(o), nil, nil
	}
	secrets, err := openSecrets(data)
	if err != nil {
		return nil, nil, err
	}
	o.Key = ed25519.NewKeyFromSeed(secrets.key("checkpoints", ed25519.SeedSize))
	o.Published = audit.Kept(secrets.keptHead())
	return audit.New(o), o.Key, nil
}

// verifyTrees compares the trees with the events, with the notes and trees of o, and with the head that the data directory keeps, unless a
// standby is read, which may be behind it. damaged reports mismatches, which it lists as soon as after is closed.
func (r *root) verifyTrees(ctx context.Context, core *core, data string, standby bool, o audit.VerifyOptions,
	after <-chan struct{}) (damaged bool, err error) {
	log, key, err := r.trees(core, data)
	if err != nil {
		return false, err
	}
	if !standby {
		kept, err := log.Published(ctx)
		if err != nil {
			return false, err
		}
		o.Notes = append(slices.Clone(o.Notes), kept...)
	}
	o.Found = func(what string) { <-after; fmt.Fprintln(r.Stdout, what) }
	checked := "signatures not checked without service.key"
	if key != nil {
		o.Key, checked = key.Public().(ed25519.PublicKey), "signatures checked"
	}
	v, err := log.Verify(ctx, o)
	if err != nil {
		return false, err
	}
	<-after
	fmt.Fprintf(r.Stdout, "%d entries in %d trees with %d signed heads, %s: %d mismatches\n", v.Entries, v.Trees, v.Heads, checked,
		v.Mismatches)
	return v.Mismatches > 0, nil
}

// verifyAll verifies the trees, and the documents that the log names. An imported log has none.
func (r *root) verifyAll(ctx context.Context, core *core, data string, standby bool, in documentFlags, o audit.VerifyOptions) error {
	now := make(chan struct{})
	close(now)
	var damaged, lost bool
	err := r.repeated(func() (err error) {
		if damaged, err = r.verifyTrees(ctx, core, data, standby, o, now); err == nil {
			lost, err = r.verifyOutside(ctx, core)
		}
		return err
	})
	if err != nil {
		return err
	}
	closed, err := in.open(ctx, core)
	if err != nil && in.bucket == "" { // the trees are verified without the bucket
		fmt.Fprintf(r.Stdout, "results were not verified: %v\n", err)
		if damaged || lost {
			return cli.ErrDamaged
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = closed() }() // it was only read
	if inDatabase, inBucket, _, err := core.Documents.Places(ctx); err != nil {
		return err
	} else if inDatabase+inBucket == 0 {
		fmt.Fprintln(r.Stdout, "no document is stored here, so results were not verified")
	} else if found, err := r.verifyDocuments(ctx, core, documents.VerifyOptions{Rate: documentsRate}); err != nil {
		return err
	} else if found > 0 {
		damaged = true
	}
	if damaged || lost {
		return cli.ErrDamaged
	}
	return nil
}

func (r *root) auditKeyCommand(flags *databaseFlags) *cobra.Command {
	var id string
	c := &cobra.Command{
		Use:   "key",
		Short: "Print the key that verifies the signed heads of a tree",
		Long: `Prints the verifier key of the tree of all events, or of an account's tree, in its current epoch, in the format that
tools for signed notes read. Hand it to auditors over a channel that does not depend on this service.`,
		Example: "  readinessd audit key --account contoso",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.withCore(c.Context(), *flags, false, func(core *core) error {
				log, key, err := r.trees(core, flags.data)
				if err != nil {
					return err
				}
				if key == nil {
					return fmt.Errorf("%s has no %s; name the service's directory with --data", flags.data, keyFile)
				}
				origin, err := log.Origin(c.Context(), id)
				if err != nil {
					return err
				}
				vkey, err := audit.VerifierKey(origin, key.Public().(ed25519.PublicKey))
				fmt.Fprintln(r.Stdout, vkey)
				return err
			})
		},
	}
	c.Flags().StringVar(&id, "account", "", "the account whose tree it is; by default the tree of all events")
	return c
}

func (r *root) auditVerifyCommand(flags *databaseFlags) *cobra.Command {
	var files []string
	var bucket, read, exported string
	var in documentFlags
	c := &cobra.Command{
		Use:   "verify",
		Short: "Verify that the log still has the events under signed heads",
		Long: `Computes the trees of the log from its events, and compares them with the database's own tiles and heads and with each
--checkpoint: a signed head that was kept outside, of all events or of one account. With --checkpoint-to it also compares them
with the newest published head of each tree. It finds a log that was replaced by another consistent one, and a
database that was restored to an earlier time. Then it looks for missing keys of texts and for persons whose row is gone
although no event says that they were erased, and verifies stored documents, as readinessd documents verify does. Mismatches are listed on
stdout; then the exit code is 3.

An imported log lacks the first entries of epochs after the first, which are not events. With --trees, the file that readinessd audit export
wrote from the exported log, heads of every epoch are compared.

It cannot find changes made before the first kept head, or to events after the last one.`,
		Example: "  readinessd audit verify --checkpoint 2025/audit.checkpoint --checkpoint 2026/audit.checkpoint",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(files) == 0 && bucket == "" && exported == "" {
				return cli.Usage("--checkpoint or --checkpoint-to is missing; readinessd events verify compares the database with itself")
			}
			if read != "" && flags.url == "" {
				return cli.Usage("--read-database-url needs --database-url here: a standby that is behind looks like a log that was cut")
			}
			notes, err := readNotes(files)
			if err != nil {
				return err
			}
			trees, err := readTrees(exported)
			if err != nil {
				return err
			}
			// The heads are read first, so that a standby has what they cover.
			if err := r.withCore(c.Context(), *flags, false, func(core *core) error {
				log, _, err := r.trees(core, flags.data)
				if err != nil {
					return err
				}
				published, err := published(c.Context(), log, bucket)
				notes = append(notes, published...)
				return err
			}); err != nil {
				return err
			}
			return r.withReader(c.Context(), *flags, read, func(core *core, _ int64) error {
				return r.verifyAll(c.Context(), core, flags.data, read != "", in, audit.VerifyOptions{Notes: notes, Trees: trees})
			})
		},
	}
	checkpointFlag(c, &files)
	standbyFlag(c.Flags(), &read, "to be verified instead")
	in.add(c.Flags())
	c.Flags().StringVar(&exported, "trees", "", "file of readinessd audit export, from the log that this one was imported from")
	c.Flags().StringVar(&bucket, "checkpoint-to", "", "bucket to which heads are published: "+bucketUsage)
	return c
}

func (r *root) auditRestartCommand(flags *databaseFlags) *cobra.Command {
	var files []string
	var because, bucket string
	c := &cobra.Command{
		Use:   "restart",
		Short: "Begin the trees of the log again after the database was restored to an earlier time",
		Long: `A database that is behind a head that it has published signs nothing, because two heads would contradict each other. This
command begins a new epoch of all trees, under a new name. The first entry of each tree names the reason and the last known head of the
earlier epoch: the database's own, the one kept in the data directory, a published one (--checkpoint-to), or one of
--checkpoint. Heads of the earlier epoch can still be
verified for what the database still has.`,
		Example: `  readinessd audit restart --because "restored the backup of 3 May after a disk failure" --checkpoint last.checkpoint`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if because = strings.TrimSpace(because); because == "" || len(because) > maxBecause {
				return cli.Usage("--because must say in 1 to %d bytes why", maxBecause)
			}
			notes, err := readNotes(files)
			if err != nil {
				return err
			}
			return r.withCore(c.Context(), *flags, false, func(core *core) error {
				log, key, err := r.trees(core, flags.data)
				if err != nil {
					return err
				}
				if key == nil {
					return fmt.Errorf("%s has no %s, which signs the first heads; name the service's directory with --data", flags.data,
						keyFile)
				}
				published, err := published(c.Context(), log, bucket)
				if err != nil {
					return err
				}
				number, err := log.Restart(c.Context(), because, append(notes, published...))
				if err == nil {
					fmt.Fprintf(r.Stdout, "epoch %d has begun; the log is added to its trees within seconds while a worker runs\n", number)
				}
				return err
			})
		},
	}
	checkpointFlag(c, &files)
	c.Flags().StringVar(&bucket, "checkpoint-to", "", "bucket to which heads are published: "+bucketUsage)
	c.Flags().StringVar(&because, "because", "", "why the trees are begun again; it is in their first entries")
	return c
}

// maxBecause bounds the reason of a restart.
const maxBecause = 500
