package projections

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/modelnotes"
	"readiness/eventstore"
)

var modelOwners = &Table{
	Name:    "model_owners",
	Columns: []Column{{"account_id", "text"}, {"model_id", "uuid"}, {"owner", "text"}},
	Key:     []string{"account_id", "model_id"},
}

var modelNotes = &Table{
	Name: "model_notes",
	Columns: []Column{
		{"account_id", "text"}, {"note_id", "uuid"}, {"model_id", "uuid"}, {"author", "text"}, {"text", "text"},
		{"added_at", "timestamptz"}, {"changed_at", "timestamptz"},
	},
	Key:     []string{"account_id", "note_id"},
	Indexes: []string{"(account_id, model_id, added_at DESC, note_id DESC)"},
}

// ModelNotes is the view of the owners of semantic models and of the notes about them; each row is fed by the model's stream of them
// alone.
var ModelNotes = &View{
	Name: "model_notes", Version: 1, Inline: true,
	Tables: []*Table{modelOwners, modelNotes},
	Of: []domain.Event{
		modelnotes.OwnerSet{}, modelnotes.OwnerRemoved{}, modelnotes.Added{}, modelnotes.Changed{}, modelnotes.Removed{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		switch e := r.Event.(type) {
		case modelnotes.OwnerSet:
			rows.Delete(modelOwners, Key{r.Account, e.ModelID})
			rows.Insert(modelOwners, Row{"account_id": r.Account, "model_id": e.ModelID, "owner": string(e.Owner)})
		case modelnotes.OwnerRemoved:
			rows.Delete(modelOwners, Key{r.Account, e.ModelID})
		case modelnotes.Added:
			rows.Insert(modelNotes, Row{"account_id": r.Account, "note_id": e.NoteID, "model_id": e.ModelID, "author": string(e.By),
				"text": e.Text, "added_at": e.At, "changed_at": nil})
		case modelnotes.Changed:
			rows.Set(modelNotes, Key{r.Account, e.NoteID}, Row{"text": e.Text, "changed_at": e.At})
		case modelnotes.Removed:
			rows.Delete(modelNotes, Key{r.Account, e.NoteID})
		}
		return nil
	},
}

// Person is a person of an account, and how they are shown; Name is "" for one who was erased.
type Person struct {
	ID   item.PersonID
	Name string
}

// person opens the row of a person; nil for no id.
func (v *Views) person(accountID string, id *item.PersonID, row []byte) (*Person, error) {
	if id == nil {
		return nil, nil
	}
	name, err := v.People.Shown(accountID, *id, row)
	return &Person{ID: *id, Name: name}, err
}

// ownersSQL selects the owners, called o, who are members of account $1, with their rows of people.
var ownersSQL = `SELECT o.model_id, o.owner, w.key || w.sealed AS sealed FROM ` + live.modelOwners + ` o
	JOIN ` + live.members + ` m ON m.account_id = o.account_id AND m.person = o.owner
	JOIN people w ON w.account_id = o.account_id AND w.person_id = o.owner WHERE o.account_id = $1`

// Owner returns who looks after a semantic model; nil for nobody.
func (v *Views) Owner(ctx context.Context, accountID string, modelID uuid.UUID) (owner *Person, err error) {
	owner, _, err = one(ctx, v, "read the owner of a model", func(row pgx.CollectableRow) (*Person, error) {
		var id item.PersonID
		var sealed []byte
		if err := row.Scan(nil, &id, &sealed); err != nil {
			return nil, err
		}
		return v.person(accountID, &id, sealed)
	}, ownersSQL+` AND o.model_id = $2`, accountID, modelID)
	return owner, err
}

// NoteCursor is the place after which a page of notes starts.
type NoteCursor struct {
	AddedAt time.Time
	NoteID  uuid.UUID
}

// NotesQuery selects a page of the notes on a semantic model, newest first.
type NotesQuery struct {
	AccountID string
	ModelID   uuid.UUID
	NoteID    *uuid.UUID  // nil for all
	Before    *NoteCursor // nil for the first page
	Limit     int
}

// Note is a note on a semantic model. ChangedAt is nil until its text was changed.
type Note struct {
	NoteID    uuid.UUID
	Author    Person
	Text      string
	AddedAt   time.Time
	ChangedAt *time.Time
}

// Notes returns a page of the notes on a semantic model.
func (v *Views) Notes(ctx context.Context, q NotesQuery) ([]Note, error) {
	before := NoteCursor{}
	if q.Before != nil {
		before = *q.Before
	}
	return collect(ctx, v, "list the notes on a model", func(row pgx.CollectableRow) (n Note, err error) {
		var sealed []byte
		if err := row.Scan(&n.NoteID, &n.Author.ID, &n.Text, &n.AddedAt, &n.ChangedAt, &sealed); err != nil {
			return n, err
		}
		n.AddedAt = n.AddedAt.UTC()
		n.Author.Name, err = v.People.Shown(q.AccountID, n.Author.ID, sealed)
		return n, err
	}, `SELECT n.note_id, n.author, n.text, n.added_at, n.changed_at, w.key || w.sealed FROM `+live.modelNotes+` n
		LEFT JOIN people w ON w.account_id = n.account_id AND w.person_id = n.author
		WHERE n.account_id = $1 AND n.model_id = $2 AND ($3::uuid IS NULL OR n.note_id = $3) AND ($4 OR (n.added_at, n.note_id) < ($5, $6))
		ORDER BY n.added_at DESC, n.note_id DESC LIMIT $7`, q.AccountID, q.ModelID, q.NoteID, q.Before == nil, before.AddedAt, before.NoteID,
		q.Limit)
}

// AccountMembers returns at most limit members of the account, in the order of their ids, after one.
func (v *Views) AccountMembers(ctx context.Context, accountID string, after item.PersonID, limit int) ([]Person, error) {
	return collect(ctx, v, "list the members of an account", func(row pgx.CollectableRow) (p Person, err error) {
		var sealed []byte
		if err := row.Scan(&p.ID, &sealed); err != nil {
			return p, err
		}
		p.Name, err = v.People.Shown(accountID, p.ID, sealed)
		return p, err
	}, `SELECT m.person, w.key || w.sealed FROM `+live.members+` m
		JOIN people w ON w.account_id = m.account_id AND w.person_id = m.person
		WHERE m.account_id = $1 AND m.person > $2 ORDER BY m.person LIMIT $3`, accountID, after, limit)
}
