package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
)

// Writes configures the writing of definitions: for accounts that may, in tenants whose probe passed.
type Writes struct {
	On          bool
	AnswersFile string
}

// AddTo adds the flags that fill it.
func (w *Writes) AddTo(flags *pflag.FlagSet) {
	flags.BoolVar(&w.On, "fabric-writes", false, "let people write to Fabric: those of accounts whose settings have fabricWrites, in "+
		"tenants that passed the probe of --fabric-answers")
	flags.StringVar(&w.AnswersFile, "fabric-answers", "", "JSON file with what a probe found out about each tenant")
}

// answersDoc is the file: the answers of probes, by tenant.
type answersDoc struct {
	Tenants map[string]fabric.Answers `json:"tenants"`
}

// maxAnswers bounds the file, in bytes.
const maxAnswers = 1 << 20

func readAnswers(file string) (doc answersDoc, err error) {
	info, err := os.Stat(file)
	if err == nil && info.Size() > maxAnswers {
		err = errors.New("it is larger than 1 MiB")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		return doc, fmt.Errorf("--fabric-answers: %w", err)
	}
	return doc, nil
}

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// KeepAnswers stores the answers about a tenant in the file.
func KeepAnswers(file, tenant string, a fabric.Answers) error {
	doc, err := readAnswers(file)
	if err != nil && !isAbsent(err) {
		return err
	}
	if doc.Tenants == nil {
		doc.Tenants = map[string]fabric.Answers{}
	}
	doc.Tenants[strings.ToLower(tenant)] = a
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(file), ".answers-*")
	if err != nil {
		return err
	}
	_, err = draft.Write(append(text, '\n'))
	if err = errors.Join(err, draft.Sync(), draft.Close()); err == nil {
		err = os.Rename(draft.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(draft.Name()))
	}
	return nil
}

// kept are the answers of a file, which is read again when it has changed.
type kept struct {
	file string
	log  *slog.Logger

	mu  sync.Mutex
	is  os.FileInfo // when it was last looked at; nil if it was not there
	doc answersDoc
}

// of returns the answers about a person's tenant. If the file can no longer be read, the earlier answers stay.
func (k *kept) of(person item.Person) fabric.Answers {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now, err := os.Stat(k.file); err != nil && k.is != nil || err == nil && !unchanged(k.is, now) {
		k.is = now
		doc, err := readAnswers(k.file)
		if err != nil {
			k.log.Warn("the answers of probes cannot be read again; the earlier ones stay", "error", err)
		} else {
			k.doc = doc
			k.log.Info("the answers of probes were read again", "tenants", len(doc.Tenants))
		}
	}
	tenant, _, _ := strings.Cut(person.ID, "/")
	return k.doc.Tenants[strings.ToLower(tenant)]
}

// unchanged reports whether a file is still the same. KeepAnswers replaces the file by a new one.
func unchanged(before, now os.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// Load reads the file and returns the options of a platform: the answers about a person's tenant, and why a caller's
// definitions may not be written. may reports whether the caller's account may. Unless writes are on, nothing is written. A file
// that changes later is read again.
func (w *Writes) Load(may func(context.Context, item.Caller) (bool, error), log *slog.Logger) (probed func(item.Person) fabric.Answers,
	writing func(context.Context, item.Caller) error, err error) {
	if w.AnswersFile == "" {
		if w.On {
			return nil, nil, errors.New("--fabric-writes needs --fabric-answers, the file with what a probe found out")
		}
		return nil, nil, nil
	}
	k := &kept{file: w.AnswersFile, log: log}
	k.is, _ = os.Stat(k.file) // before it is read: a later change is read again
	if k.doc, err = readAnswers(k.file); err != nil {
		return nil, nil, err
	}
	probed = k.of
	if !w.On {
		return probed, nil, nil
	}
	return probed, func(ctx context.Context, as item.Caller) error {
		allowed, err := may(ctx, as)
		switch {
		case err != nil:
			return err
		case !allowed:
			return domain.Refuse(domain.OperationNotSupportedForItem, "the service only reads from Fabric for your account; its operator "+
				"can turn on writing with settings.fabricWrites of the account in the accounts file")
		case !probed(as.Person).Passed:
			return domain.Refuse(domain.OperationNotSupportedForItem, "the service writes to no item of your organization before a probe "+
				"has passed there; its operator runs readinessd fabric probe")
		}
		return nil
	}, nil
}
