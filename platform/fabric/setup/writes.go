package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
)

// Writes says whether definitions are written: those of accounts that may, in the tenants whose probe passed.
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

// answersDoc is the file: what was found out, by tenant.
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

// KeepAnswers records in the file what was found out about a tenant.
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

// Load reads the file and returns the options of a platform: what is known about a person's tenant, and why a caller's
// definitions may not be written. may reports whether the caller's account may. Unless writes are on, nothing is written.
func (w *Writes) Load(may func(context.Context, item.Caller) (bool, error)) (probed func(item.Person) fabric.Answers,
	writing func(context.Context, item.Caller) error, err error) {
	if w.AnswersFile == "" {
		if w.On {
			return nil, nil, errors.New("--fabric-writes needs --fabric-answers, the file with what a probe found out")
		}
		return nil, nil, nil
	}
	doc, err := readAnswers(w.AnswersFile)
	if err != nil {
		return nil, nil, err
	}
	probed = func(person item.Person) fabric.Answers {
		tenant, _, _ := strings.Cut(person.ID, "/")
		return doc.Tenants[strings.ToLower(tenant)]
	}
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
				"has passed there; its operator runs readiness fabric probe")
		}
		return nil
	}, nil
}
