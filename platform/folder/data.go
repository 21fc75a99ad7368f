package folder

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"readiness/definition/dax/evaluate"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/filelock"
)

// Bounds on the sample data of a semantic model, and on a query over it.
const (
	// MaxDataBytes is the largest total size of the files, in bytes.
	MaxDataBytes = 16 << 20
	// MaxDataRows and MaxDataColumns are how large a table may be.
	MaxDataRows    = 200_000
	MaxDataColumns = 500
	// maxDataFiles is how many files the folder may hold.
	maxDataFiles = 1000
	// QueryTimeout is how long a query may run.
	QueryTimeout = 10 * time.Second
)

// dataFolder is the folder of the sample data in a semantic model's folder. Its name begins with a dot, so that it is no
// part of the definition.
const dataFolder = ".data"

// Query runs a DAX query over the sample data of a semantic model: the files .data/TABLE.csv in its folder, whose first
// line names columns. Values are written as evaluate.ParseValue reads them; an empty one is BLANK. today is what TODAY
// returns. It refuses with OperationNotSupportedForItem if the model has no sample data, with ItemNotReadable for data
// that cannot be read, naming file, line and column, and with InvalidRequest for a query that is not evaluated, that
// runs longer than QueryTimeout, or whose result has more than 100,000 rows.
func (p *Platform) Query(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string, today time.Time) (
	evaluate.Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.bounds.query, errQueryTimeout)
	defer cancel()
	it := item.Item{WorkspaceID: workspaceID, Type: item.SemanticModel, ID: modelID}
	o := evaluate.Options{Today: today, Stop: func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}}
	m, err := p.sampled(ctx, as, it, o)
	if err != nil {
		return evaluate.Result{}, unevaluated(ctx, err)
	}
	result, err := m.Query(dax, o)
	return result, unevaluated(ctx, err)
}

var errQueryTimeout = errors.New("the query runs longer than " + QueryTimeout.String())

// unevaluated returns err as the refusal of a query, if it is the query's fault.
func unevaluated(ctx context.Context, err error) error {
	refusal, ok := errors.AsType[*evaluate.Refusal](err)
	_, refused := domain.Refused(err)
	switch {
	case err == nil, refused:
		return err
	case ok:
		return domain.Refuse(domain.InvalidRequest, "the query is not evaluated: %s", refusal)
	case errors.Is(context.Cause(ctx), errQueryTimeout):
		return domain.Refuse(domain.InvalidRequest, "%s; ask for less", errQueryTimeout)
	}
	return err
}

// sampled reads a semantic model with its sample data.
func (p *Platform) sampled(ctx context.Context, as item.Caller, it item.Item, o evaluate.Options) (m *evaluate.Model, err error) {
	err = p.within(ctx, as, it, filelock.Shared, func(f *itemFolder) error {
		d, err := f.definition(ctx)
		if err != nil {
			return err
		}
		model, err := semanticmodel.Read(d)
		if err != nil {
			return notReadable(it, "%s", err)
		}
		data, err := f.data(ctx, model)
		if err != nil {
			return err
		}
		m, err = evaluate.New(model, data, o)
		if _, refused := errors.AsType[*evaluate.Refusal](err); err != nil && !refused && ctx.Err() == nil {
			return f.badData("%s", err)
		}
		return err
	})
	return m, err
}

// badData returns the refusal of sample data.
func (f *itemFolder) badData(format string, args ...any) error {
	return domain.Refuse(domain.ItemNotReadable, "the sample data of %s cannot be read: %s", named(f.item),
		fmt.Sprintf(format, args...)).About(f.item.Type.IDName(), f.item.ID)
}

// data reads the sample data.
func (f *itemFolder) data(ctx context.Context, m *semanticmodel.Model) (all []evaluate.Data, err error) {
	names, err := f.dataFiles()
	if err != nil {
		return nil, err
	}
	left := MaxDataBytes
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		t := tableNamed(m, strings.TrimSuffix(name, path.Ext(name)))
		if t == nil {
			return nil, f.badData("%s/%s has the name of no table; rename or remove it", dataFolder, name)
		}
		text, err := readFile(f.Root, dataFolder+"/"+name, left)
		switch {
		case errors.Is(err, errTooLarge):
			return nil, f.badData("its files are together larger than %d bytes", MaxDataBytes)
		case err != nil:
			return nil, f.badData("%s/%s: %s", dataFolder, name, f.platform.cause(err))
		}
		left -= len(text)
		d, err := readTable(*t, text)
		if err != nil {
			return nil, f.badData("%s/%s, %s", dataFolder, name, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// dataFiles lists the files of the sample data.
func (f *itemFolder) dataFiles() (names []string, err error) {
	info, err := f.Lstat(dataFolder)
	if gone(err) || err == nil && !info.IsDir() {
		return nil, domain.Refuse(domain.OperationNotSupportedForItem, "%s has no sample data (%s/TABLE.csv), so that no query runs",
			named(f.item), dataFolder).About(f.item.Type.IDName(), f.item.ID)
	}
	dir, err := f.Open(dataFolder)
	if err != nil {
		return nil, f.badData("%s: %s", dataFolder, f.platform.cause(err))
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxDataFiles + 1)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, f.badData("%s: %s", dataFolder, f.platform.cause(err))
	case len(entries) > maxDataFiles:
		return nil, f.badData("it has more than %d files", maxDataFiles)
	}
	for _, e := range entries {
		if strings.EqualFold(path.Ext(e.Name()), ".csv") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func tableNamed(m *semanticmodel.Model, name string) *semanticmodel.Table {
	for i := range m.Tables {
		if strings.EqualFold(m.Tables[i].Name, name) {
			return &m.Tables[i]
		}
	}
	return nil
}

// readTable reads the rows of a table. The error names line and column, from 1; a column counts bytes.
func readTable(t semanticmodel.Table, text []byte) (d evaluate.Data, err error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return d, errors.New("line 1: it is not UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.ReuseRecord = true
	d.Table = t.Name
	types, err := readHeader(r, t, &d)
	if err != nil {
		return d, err
	}
	for rows := 0; ; rows++ {
		record, err := r.Read()
		if fault, ok := errors.AsType[*csv.ParseError](err); ok {
			return d, fmt.Errorf("line %d, column %d: %w", fault.Line, fault.Column, fault.Err)
		}
		switch {
		case errors.Is(err, io.EOF):
			return d, nil
		case err != nil:
			return d, err
		case rows == MaxDataRows:
			return d, fmt.Errorf("line %d: a table may have %d rows", rows+2, MaxDataRows)
		}
		for i, text := range record {
			v, err := evaluate.ParseValue(types[i], text)
			if err != nil {
				line, column := r.FieldPos(i)
				return d, fmt.Errorf("line %d, column %d: [%s] %w", line, column, d.Columns[i].Name, err)
			}
			d.Columns[i].Values = append(d.Columns[i].Values, v)
		}
	}
}

// readHeader reads the names of the columns, and returns their types.
func readHeader(r *csv.Reader, t semanticmodel.Table, d *evaluate.Data) (types []semanticmodel.DataType, err error) {
	names, err := r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("line 1: it names no columns")
	case err != nil:
		return nil, fmt.Errorf("line 1: %w", err)
	case len(names) > MaxDataColumns:
		return nil, fmt.Errorf("line 1: a table may have %d columns", MaxDataColumns)
	}
	seen := map[string]bool{}
	for i, name := range names {
		_, at := r.FieldPos(i)
		found := false
		for _, c := range t.Columns {
			if !c.IsRowNumber && strings.EqualFold(c.Name, name) {
				types, name, found = append(types, c.DataType), c.Name, true
			}
		}
		switch {
		case !found:
			return nil, fmt.Errorf("line 1, column %d: the table has no column %q", at, name)
		case seen[name]:
			return nil, fmt.Errorf("line 1, column %d: the column %q is named twice", at, name)
		}
		seen[name] = true
		d.Columns = append(d.Columns, evaluate.DataColumn{Name: name})
	}
	return types, nil
}
