package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
)

// Writes says whose definitions may be written: those of the accounts, in the tenants whose probe passed.
type Writes struct {
	Accounts    []string
	AnswersFile string
}

// AddTo adds the flags that fill it.
func (w *Writes) AddTo(flags *pflag.FlagSet) {
	flags.StringSliceVar(&w.Accounts, "fabric-writes", nil, "id of an account whose people may write to Fabric, in tenants that passed "+
		"the probe of --fabric-answers; can be repeated")
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
// definitions may not be written. Without accounts nothing is written.
func (w *Writes) Load() (probed func(item.Person) fabric.Answers, writing func(context.Context, item.Caller) error, err error) {
	if w.AnswersFile == "" {
		if len(w.Accounts) > 0 {
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
	if len(w.Accounts) == 0 {
		return probed, nil, nil
	}
	return probed, func(_ context.Context, as item.Caller) error {
		switch {
		case !slices.Contains(w.Accounts, as.Account):
			return domain.Refuse(domain.OperationNotSupportedForItem, "the service only reads from Fabric for your account; its operator "+
				"can turn on writing with --fabric-writes")
		case !probed(as.Person).Passed:
			return domain.Refuse(domain.OperationNotSupportedForItem, "the service writes to no item of your organization before a probe "+
				"has passed there; its operator sets --fabric-answers")
		}
		return nil
	}, nil
}
