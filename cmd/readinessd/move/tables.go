package move

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/item"
	"readiness/internal/database"
	"readiness/internal/lists"
	"readiness/storage/people"
)

// sealedTable is a table whose rows are sealed under a key of the service. In the file they are sealed for the target instead.
type sealedTable struct {
	name string
	// rows passes the opened rows of the account to each.
	rows func(ctx context.Context, d Deployment, account string, each func(row any) error) error
	// store returns the statement that stores a row, sealed under the key of the target.
	store func(d Deployment, account string, row json.RawMessage) (database.Statement, error)
}

// sealedTables are all of them. A table with a column that is sealed under service.key, and that an account needs, is added here.
var sealedTables = []sealedTable{
	{"people", peopleRows, storePerson},
	{"ai_credentials", aiKeyRows, storeAIKey},
	{"account_keys", accountKeyRows, storeAccountKey},
}

// plainTables are copied as they are: what the account has and no event says. Tokens and sessions are not among them; people sign in again.
// Nor are keys of repeatable calls, whose rows name people by a key of the source.
var plainTables = []string{"page_view_hours", "console_choices", "console_applies"}

type person struct {
	ID     item.PersonID `json:"personId"`
	Issuer string        `json:"issuer"`
	Name   string        `json:"id"`
}

func peopleRows(ctx context.Context, d Deployment, account string, each func(any) error) error {
	return d.People.List(ctx, account, func(s people.Stored) error {
		if s.Unnamed != nil {
			return s.Unnamed
		}
		return each(person{s.ID, s.Person.Issuer, s.Person.ID})
	})
}

func storePerson(d Deployment, account string, row json.RawMessage) (database.Statement, error) {
	var p person
	err := decode(row, &p)
	return d.People.Put(account, p.ID, item.Person{Issuer: p.Issuer, ID: p.Name}), err
}

type aiKey struct {
	Provider uuid.UUID `json:"providerId"`
	Key      string    `json:"key"`
}

func aiKeyRows(ctx context.Context, d Deployment, account string, each func(any) error) error {
	return d.Keys.All(ctx, account, func(provider uuid.UUID, key string) error { return each(aiKey{provider, key}) })
}

func storeAIKey(d Deployment, account string, row json.RawMessage) (database.Statement, error) {
	var k aiKey
	err := decode(row, &k)
	return d.Keys.Put(account, k.Provider, k.Key), err
}

// accountKeyRows passes the key that opens the account's texts in events. An account without sealed events may have none.
func accountKeyRows(ctx context.Context, d Deployment, account string, each func(any) error) error {
	own, err := d.Store.Keys.Export(ctx, d.Pool, account)
	if err != nil || own == nil {
		return err
	}
	return each(own)
}

func storeAccountKey(d Deployment, account string, row json.RawMessage) (database.Statement, error) {
	var own []byte
	err := decode(row, &own)
	sql, args := d.Store.Keys.Put(account, own)
	return database.Statement{SQL: sql, Args: args}, err
}

// plainRows passes the rows of a plain table to each, as JSON.
func plainRows(ctx context.Context, tx pgx.Tx, table, account string, each func(json.RawMessage) error) error {
	rows, _ := tx.Query(ctx, `SELECT to_jsonb(t)::text FROM `+pgx.Identifier{table}.Sanitize()+` t WHERE account_id = $1`, account)
	var row string
	_, err := pgx.ForEachRow(rows, []any{&row}, func() error { return each(json.RawMessage(row)) })
	return err
}

// storePlain stores rows of a plain table. It refuses one that belongs to another account.
func storePlain(ctx context.Context, tx pgx.Tx, table, account string, rows []json.RawMessage) (int64, error) {
	texts := lists.Map(rows, func(row json.RawMessage) string { return string(row) })
	tag, err := tx.Exec(ctx, `INSERT INTO `+pgx.Identifier{table}.Sanitize()+` SELECT r.* FROM unnest($1::text[]) AS l (row),
		jsonb_populate_record(NULL::`+pgx.Identifier{table}.Sanitize()+`, l.row::jsonb) AS r WHERE r.account_id = $2`, texts, account)
	return tag.RowsAffected(), err
}
